//! Jobs of a backend: started when it is first needed, killed after any error, started again by the next job.

use crate::message::{self, Fields, Kind};
use crate::process::{self, Process};
use crate::{Each, Error, Plan, Question, Result, Size};
use isopod_linear::{drop_bits, Merged};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Version of Lattigo that the sizes belong to.
pub const LATTIGO: &str = "6.1.1";
/// Longest silence of the program: a stage of the largest size takes a minute of a slow core.
const PATIENCE: Duration = Duration::from_secs(1800);
/// Most reports of progress before an answer, of each ciphertext.
const REPORTS: usize = 1000;
/// Names of the stages: `deep/circuit/slots.go`.
const STAGES: [&str; 6] = [
    "reading of keys",
    "raise of the modulus",
    "move to slots",
    "reduction modulo q0",
    "polynomials",
    "answer",
];

/// Program, keys and limits.
#[derive(Debug, Clone)]
pub struct Options {
    /// The program `isopod-deep`.
    pub program: PathBuf,
    /// Folder of the keys.
    pub keys: PathBuf,
    /// Size of the keys.
    pub size: Size,
    /// Most bytes of memory; None for what the size needs. A program that needs more says so before it computes, or ends.
    pub memory: Option<u64>,
    /// Most processor cores.
    pub threads: usize,
    /// Longest silence: a job reports each of its stages.
    pub patience: Duration,
}

impl Options {
    /// A program with the keys in a folder, whose size they tell, and the patience that a slow machine needs.
    ///
    /// # Errors
    /// [`Error::Keys`]: those of [`Size::of_keys`].
    pub fn of_keys(
        program: PathBuf,
        keys: &Path,
        memory: Option<u64>,
        threads: usize,
    ) -> Result<Self> {
        Ok(Self {
            program,
            size: Size::of_keys(keys)?,
            keys: keys.to_owned(),
            memory,
            threads,
            patience: PATIENCE,
        })
    }
}

/// Keys that a backend has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeySet {
    /// Their security, as far as it is known.
    pub label: String,
    /// Digest of the parameters.
    pub parameters: [u8; 32],
    /// Name of the set.
    pub set: [u8; 32],
}

/// Progress of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stage {
    /// Its name.
    pub name: &'static str,
    /// Stages that are done.
    pub done: u32,
    /// All stages.
    pub total: u32,
}

/// A ciphertext under the key of the frames: a number, or every k-th coefficient of values of readings (`spec/merge.md`,
/// section 6).
#[derive(Debug, Clone, PartialEq)]
pub struct Piece {
    /// Coefficient 0 of c0, or all of them, modulo the modulus of the frames.
    pub c0: Vec<u64>,
    /// Coefficients of c1 likewise, always all of them.
    pub c1: Vec<u64>,
    /// Factor of the values.
    pub scale: f64,
}

/// An encrypted answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// Its numbers, as many as the plan has; of values of readings k pieces of each ciphertext, whose coefficients take turns.
    pub pieces: Vec<Piece>,
    /// Promise made before the computation.
    pub plan: Plan,
}

/// A backend, which may run or not.
#[derive(Debug)]
pub struct Backend {
    options: Options,
    running: Option<(Process, KeySet)>,
}

impl Backend {
    /// A backend that starts with its first job.
    pub fn new(options: Options) -> Self {
        Self {
            options,
            running: None,
        }
    }

    /// Starts the program unless it runs, and tells which keys it has.
    ///
    /// # Errors
    /// [`Error::Start`], [`Error::Version`], [`Error::Keys`], [`Error::Memory`], or those of a program that fails.
    pub fn start(&mut self) -> Result<&KeySet> {
        let (process, keys) = match self.running.take() {
            Some(running) => running,
            None => self.greeted()?,
        };
        Ok(&self.running.insert((process, keys)).1)
    }

    /// The size of the keys.
    pub fn size(&self) -> Size {
        self.options.size
    }

    /// Answers a question about all merged ciphertexts. A value of the plan is a promise; the answer is encrypted.
    ///
    /// # Errors
    /// Those of [`Backend::start`] and [`Question::plan`]; [`Error::Allowed`] for a merge for another ring or reduction;
    /// [`Error::Refused`], [`Error::Died`], [`Error::Late`], [`Error::Message`]. The program has then ended.
    pub fn ask(
        &mut self,
        merged: &[Merged],
        question: &dyn Question,
        progress: &mut dyn FnMut(Stage),
    ) -> Result<Answer> {
        let ring = self.options.size.ring;
        if let Some(other) = merged.iter().find(|one| one.large != ring) {
            let found = format!("{:?}", other.large);
            return Err(Error::allowed("ring", found, format!("{ring:?}")));
        }
        let reduction = question.reduction();
        self.options.size.check(reduction)?;
        if let Some(other) = merged.iter().find(|one| one.reduction != reduction) {
            let found = format!("{:?}", other.reduction);
            return Err(Error::allowed("reduction", found, format!("{reduction:?}")));
        }
        let plan = question.plan(merged)?;
        self.start()?;
        let Some((mut process, keys)) = self.running.take() else {
            return Err(Error::Message("start: without a process".into()));
        };
        process.send(message::encode(Kind::Job, &plan.message(merged.len())));
        for message in merged.iter().flat_map(ciphertext) {
            process.send(message);
        }
        let pieces = match &plan.each {
            None => numbers(&mut process, merged, &plan, progress)?,
            Some(each) => values(&mut process, merged, (&plan, each), progress)?,
        };
        process.expect(Kind::Done)?;
        // An error has dropped the process, which kills it.
        self.running = Some((process, keys));
        Ok(Answer { pieces, plan })
    }

    /// A program that has introduced itself.
    fn greeted(&self) -> Result<(Process, KeySet)> {
        let Options {
            program,
            keys,
            size,
            memory,
            threads,
            patience,
        } = &self.options;
        let arguments = [
            "--keys".to_owned(),
            keys.display().to_string(),
            format!("--memory={}", memory.unwrap_or(0)),
            format!("--threads={threads}"),
        ];
        let mut process = Process::start(program, &arguments, *patience)?;
        process.send(message::hello(size.name));
        let keys = introduced(&process.expect(Kind::Hello)?, size)?;
        Ok((process, keys))
    }
}

/// The introduction of a backend, which must be of this version and size.
fn introduced(body: &[u8], size: &Size) -> Result<KeySet> {
    let mut fields = Fields(body);
    if fields.bytes(message::MAGIC.len())? != message::MAGIC {
        return Err(Error::Message("hello: not of this protocol".into()));
    }
    let version = fields.u16()?;
    if version != message::VERSION {
        let allowed = message::VERSION;
        return Err(Error::Version(format!(
            "version: {version}; allowed is {allowed}"
        )));
    }
    let lattigo = fields.text()?;
    if lattigo != LATTIGO {
        return Err(Error::Version(format!(
            "Lattigo: {lattigo}; allowed is {LATTIGO}"
        )));
    }
    let keys = KeySet {
        label: fields.text()?,
        parameters: fields.fixed()?,
        set: fields.fixed()?,
    };
    let (modulus, degree) = (fields.u64()?, fields.u32()? as usize);
    fields.end()?;
    if (degree, modulus) == (size.ring.degree, size.ring.modulus) {
        return Ok(keys);
    }
    let allowed = size.ring;
    Err(Error::Version(format!(
        "ring: degree {degree}, modulus {modulus}; allowed are those of {}, {} and {}",
        size.name, allowed.degree, allowed.modulus
    )))
}

/// The messages of a ciphertext.
fn ciphertext(merged: &Merged) -> [Vec<u8>; 3] {
    let mut valid = vec![0; merged.large.degree / 8];
    for reading in merged.readings() {
        valid[reading.coefficient / 8] |= 1 << (reading.coefficient % 8);
    }
    [
        message::encode(Kind::Valid, &valid),
        message::residues(&merged.c0),
        message::residues(&merged.c1),
    ]
}

/// Numbers as they come; the first one ends the reports of progress.
fn numbers(
    process: &mut Process,
    merged: &[Merged],
    plan: &Plan,
    progress: &mut dyn FnMut(Stage),
) -> Result<Vec<Piece>> {
    let mut head = reported(process, REPORTS * merged.len(), progress)?;
    let mut numbers = Vec::with_capacity(plan.numbers.len());
    for (at, promise) in plan.numbers.iter().enumerate() {
        if at > 0 {
            head = process.expect(Kind::Answer)?;
        }
        // The plan is of one or more.
        let degree = merged[0].degree;
        let bound = promise.bound / plan.factor;
        let mut number = piece(process, &merged[0], &head, (bound, [1, degree]))?;
        number.scale /= plan.factor;
        numbers.push(number);
    }
    Ok(numbers)
}

/// Values of the readings of each ciphertext, which the program sends before it reads the next one.
fn values(
    process: &mut Process,
    merged: &[Merged],
    (plan, each): (&Plan, &Each),
    progress: &mut dyn FnMut(Stage),
) -> Result<Vec<Piece>> {
    let mut pieces = Vec::new();
    for one in merged {
        let degree = one.large.degree;
        let head = reported(process, REPORTS, progress)?;
        // The program knows of values from 0 to 1.
        let bound = plan.numbers[0].bound / plan.factor;
        let mut whole = piece(process, one, &head, (bound, [degree; 2]))?;
        whole.scale /= plan.factor;
        pieces.extend(split(&whole, one, each.dropped));
    }
    Ok(pieces)
}

/// Pieces under the key of the frames: every k-th coefficient, of which low bits are dropped.
fn split<'a>(
    whole: &'a Piece,
    like: &Merged,
    dropped: [u8; 2],
) -> impl Iterator<Item = Piece> + 'a {
    let (step, modulus) = (like.large.degree / like.degree, like.modulus);
    let rounded = move |residue: u64, bits: u32| match drop_bits(residue, bits) << bits {
        rounded if rounded < modulus => rounded,
        // It has carried to the modulus, which is zero.
        _ => 0,
    };
    let taken = move |side: &[u64], first: usize, bits: u8| {
        let taken = side.iter().skip(first).step_by(step);
        taken
            .map(|&residue| rounded(residue, bits.into()))
            .collect()
    };
    (0..step).map(move |first| Piece {
        c0: taken(&whole.c0, first, dropped[0]),
        c1: taken(&whole.c1, first, dropped[1]),
        scale: whole.scale,
    })
}

/// A ciphertext behind the head of its messages: values of this bound, so many coefficients of c0 and c1.
fn piece(
    process: &mut Process,
    like: &Merged,
    head: &[u8],
    (bound, counts): (f64, [usize; 2]),
) -> Result<Piece> {
    let mut fields = Fields(head);
    let scale = f64::from_le_bytes(fields.fixed()?);
    fields.end()?;
    let modulus = like.modulus;
    // An owner reads numbers up to a quarter of the modulus.
    let most = modulus as f64 / 4.0 / bound;
    if !(scale > 0.0 && scale <= most) {
        let text = format!("scale: {scale}; allowed are positive numbers up to {most}");
        return Err(Error::Message(text));
    }
    let c0 = polynomial(process, counts[0], modulus)?;
    let c1 = polynomial(process, counts[1], modulus)?;
    Ok(Piece { c0, c1, scale })
}

/// Passes on reports of progress until the answer begins.
fn reported(
    process: &mut Process,
    most: usize,
    progress: &mut dyn FnMut(Stage),
) -> Result<Vec<u8>> {
    for _ in 0..most {
        let message = process.receive()?;
        match message.kind {
            Kind::Answer => return Ok(message.body),
            Kind::Progress => {}
            other => return Err(process::unexpected(other, Kind::Answer)),
        }
        let (stage, done, total) = process::progress(&message.body)?;
        process.stage = STAGES.get(usize::from(stage)).unwrap_or(&"another stage");
        progress(Stage {
            name: process.stage,
            done,
            total,
        });
    }
    let text = format!("progress: more than {most} reports");
    Err(Error::Message(text))
}

fn polynomial(process: &mut Process, length: usize, modulus: u64) -> Result<Vec<u64>> {
    let mut polynomial = Vec::with_capacity(length);
    while polynomial.len() < length {
        let body = process.expect(Kind::Residues)?;
        message::append(&mut polynomial, &body, length, modulus)?;
    }
    Ok(polynomial)
}
