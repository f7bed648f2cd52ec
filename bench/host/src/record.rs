//! One record of `host.json`: times, sizes, instructions and peaks of memory of both sides.

use crate::cases::{Case, Work};
use crate::heap;
use crate::machine::{self, SIDES};
use crate::sides::{seal_key, Ours, Seals};
use anyhow::Result;
use cpu_time::ThreadTime;
use isopod_seal::{seal_version, Context, SecretKey};
use serde::Serialize;
use std::fmt;
use std::hint::black_box;
use std::time::Duration;

const METHOD: &str = "thread CPU time, medians of interleaved runs in one thread; encode and encrypt values, ours to bit-packed \
    residues, SEAL's to a ciphertext in memory, or decrypt these to 64-bit values; instructions by callgrind, of a second run; \
    heap by massif, the peak of a process that sets one side up and encrypts twice: ours from a key blob, with tables without \
    quotients and four chunks, residues given away as they come; SEAL's with its context and keys";

/// Times are microseconds of the thread's CPU, medians; sizes are bytes.
#[derive(Serialize)]
pub struct Record {
    pub case: String,
    pub set: &'static str,
    pub peer: &'static str,
    pub seal_version: String,
    pub ours_us: f64,
    pub peer_us: f64,
    /// peer_us / ours_us
    pub ratio: f64,
    /// Our time with frames: authenticated parts instead of bare residues.
    pub ours_framed_us: Option<f64>,
    /// SEAL's encoding of real values; included in peer_us.
    pub peer_encode_us: Option<f64>,
    pub peer_decode_us: Option<f64>,
    pub peer_decrypt_decode_us: Option<f64>,
    pub ours_instructions: Option<u64>,
    pub peer_instructions: Option<u64>,
    /// peer_instructions / ours_instructions, which the budget limits: times depend on the machine and its load.
    pub instruction_ratio: Option<f64>,
    /// Peak of a process that generates keys and tables and runs twice.
    pub ours_peak_bytes: u64,
    pub peer_peak_bytes: u64,
    pub ours_heap_bytes: Option<u64>,
    pub peer_heap_bytes: Option<u64>,
    /// peer_heap_bytes / ours_heap_bytes
    pub heap_ratio: Option<f64>,
    pub ours_bytes: usize,
    pub rounds: usize,
    pub method: &'static str,
    pub processor: String,
    pub tools: Vec<String>,
    pub commit: String,
}

/// Microseconds of CPU that a call takes, and its result.
fn timed<T>(call: impl FnOnce() -> Result<T>) -> Result<(f64, T)> {
    let start = ThreadTime::now();
    let given = black_box(call()?);
    let time: Duration = start.elapsed();
    Ok((time.as_secs_f64() * 1e6, given))
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Times of calls that run by turns, one column each.
struct Times {
    ours: f64,
    framed: Option<f64>,
    peer: f64,
    bytes: usize,
}

fn side_by_side(case: &Case, context: &Context, key: &SecretKey) -> Result<Times> {
    let mut ours = Ours::new(case)?;
    let seals = Seals::new(case, context, key)?;
    let mut bytes = ours.run()?;
    let has_frames = ours.run_framed()?.is_some();
    black_box(seals.run()?);
    let mut columns = [const { Vec::new() }; 3];
    for _ in 0..case.rounds {
        let (time, length) = timed(|| ours.run())?;
        columns[0].push(time);
        bytes = length;
        columns[1].push(timed(|| ours.run_framed())?.0);
        columns[2].push(timed(|| seals.run())?.0);
    }
    let [ours, framed, peer] = columns.map(median);
    Ok(Times {
        ours,
        framed: has_frames.then_some(framed),
        peer,
        bytes,
    })
}

/// SEAL's encode, decode, and decrypt with decode, of real values.
fn peer_alone(case: &Case, context: &Context, key: &SecretKey) -> Result<[Option<f64>; 3]> {
    let values = case.values();
    if case.set.plain_modulus.is_some() || case.work == Work::Decrypt {
        return Ok([None; 3]);
    }
    let seals = Seals::new(case, context, key)?;
    let ciphertext = seals.encrypt()?;
    let primes = case.set.data_primes.len();
    let mut columns = [const { Vec::new() }; 3];
    for _ in 0..case.rounds {
        let (time, plaintext) = timed(|| Ok(context.encode(&values, case.scale(), primes)?))?;
        columns[0].push(time);
        columns[1].push(timed(|| Ok(context.decode(&plaintext)?))?.0);
        columns[2].push(timed(|| Ok(key.decrypt(context, &ciphertext)?))?.0);
    }
    Ok(columns.map(|times| Some(median(times))))
}

impl Record {
    /// Measures one case.
    pub fn measure(case: &Case) -> Result<Self> {
        let context = Context::for_set(case.set)?;
        let key = seal_key(case, &context)?;
        let times = side_by_side(case, &context, &key)?;
        let [encode, decode, decrypt_decode] = peer_alone(case, &context, &key)?;
        let counted = |side| {
            case.is_counted
                .then(|| machine::instructions(side, case))
                .transpose()
        };
        let (ours_instructions, peer_instructions) = (counted(SIDES[0])?, counted(SIDES[1])?);
        let heaps = heap::measure(case)?;
        Ok(Self {
            case: case.name.clone(),
            set: case.set.name,
            peer: "seal",
            seal_version: seal_version(),
            ours_us: times.ours,
            peer_us: times.peer,
            ratio: times.peer / times.ours,
            ours_framed_us: times.framed,
            peer_encode_us: encode,
            peer_decode_us: decode,
            peer_decrypt_decode_us: decrypt_decode,
            ours_instructions,
            peer_instructions,
            instruction_ratio: ours_instructions
                .zip(peer_instructions)
                .map(|(ours, peer)| peer as f64 / ours as f64),
            ours_peak_bytes: machine::peak(SIDES[0], case)?,
            peer_peak_bytes: machine::peak(SIDES[1], case)?,
            ours_heap_bytes: heaps.as_ref().map(|heaps| heaps.ours),
            peer_heap_bytes: heaps.as_ref().map(|heaps| heaps.peer),
            heap_ratio: heaps.map(|heaps| heaps.peer as f64 / heaps.ours as f64),
            ours_bytes: times.bytes,
            rounds: case.rounds,
            method: METHOD,
            processor: machine::processor(),
            tools: vec![machine::version("valgrind")?, machine::version("cc")?],
            commit: machine::commit(),
        })
    }
}

impl fmt::Display for Record {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let thousands = |count: Option<u64>| {
            count.map_or_else(
                || "not counted".to_owned(),
                |count| format!("{} k", count / 1000),
            )
        };
        write!(
            formatter,
            "{:<18} ours {:>8.1} us, SEAL {} {:>9.1} us, ratio {:>5.1}; instructions {}, {}; peak {} KB, {} KB",
            self.case,
            self.ours_us,
            self.seal_version,
            self.peer_us,
            self.ratio,
            thousands(self.ours_instructions),
            thousands(self.peer_instructions),
            self.ours_peak_bytes / 1000,
            self.peer_peak_bytes / 1000
        )?;
        if let Some(ratio) = self.instruction_ratio {
            write!(formatter, "; instruction ratio {ratio:.1}")?;
        }
        match self.heap_ratio {
            Some(ratio) => write!(formatter, "; heap ratio {ratio:.1}"),
            None => Ok(()),
        }
    }
}
