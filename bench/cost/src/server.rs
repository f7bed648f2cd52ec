//! The server: `bench-cost server FOLDER ADDRESS`. It holds evaluation keys, the key that authenticates and SEAL's tables, all
//! made once, and operands that were sent before.

use std::fs;
use std::io::{BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;

use anyhow::{Context as _, Result};
use cpu_time::ThreadTime;
use isopod_cost::{Operation, Slots};
use isopod_keys::SecretKey as LinkKey;
use isopod_seal::{Ciphertext, Context, EvaluationKeys, Evaluator, KeyMaterial, Plaintext};
use isopod_wire::{
    by_name, Authenticator, EncryptedResult, Envelope, Grid, PackedFrame, ParameterSet, Provenance,
    Relation, Scheme, Tag,
};

use crate::message::{Answer, Operand, Request};

/// Bits that a result's modulus has above its scale.
const ROOM_BITS: f64 = 4.0;

struct Link(LinkKey);

impl Authenticator for Link {
    fn verify(&self, _: Relation, nonce: &[u8; 24], message: &[u8], tag: &Tag) -> bool {
        self.0.verify(nonce, message, tag)
    }
}

struct Server {
    set: &'static ParameterSet,
    context: Context,
    keys: EvaluationKeys,
    link: Link,
    weights: Plaintext,
    kept: Vec<Ciphertext>,
    before_ms: f64,
}

/// Serves one connection, then ends.
///
/// # Errors
/// Files or a connection that broke; a request that is refused.
pub fn serve(folder: &Path, address: &str) -> Result<()> {
    let mut server = Server::open(folder)?;
    let listener = TcpListener::bind(address).with_context(|| address.to_owned())?;
    let mut out = std::io::stdout();
    writeln!(out, "{}", listener.local_addr()?)?;
    out.flush()?;
    let (stream, _) = listener.accept()?;
    server.answer_all(stream)
}

impl Server {
    fn open(folder: &Path) -> Result<Self> {
        let set = fs::read_to_string(folder.join("set"))?;
        let set = by_name(&set).with_context(|| format!("set: {set} is unknown"))?;
        let key = fs::read(folder.join("link"))?;
        let key = key.as_slice().try_into().context("link: not 32 bytes")?;
        let link = Link(LinkKey::from_bytes(key));
        let context = Context::for_set(set)?;
        let item = fs::read(folder.join("evaluation"))?;
        let item = Envelope::read_only(&item)?.authenticate(&link)?;
        let material = KeyMaterial::decode(&item.evaluation_keys()?, true, &Default::default())?;
        let weights = match Slots::of(set) {
            Slots::Real(values) => {
                let scale = f64::from(set.log2_scale.default).exp2();
                context.encode(&values, scale, set.data_primes.len())?
            }
            Slots::Integers(values) => context.encode_integers(&values)?,
        };
        Ok(Self {
            keys: EvaluationKeys::from_material(&context, &material)?,
            set,
            context,
            link,
            weights,
            kept: Vec::new(),
            before_ms: 0.0,
        })
    }

    fn answer_all(&mut self, mut stream: TcpStream) -> Result<()> {
        stream.set_nodelay(true)?;
        let mut reader = BufReader::with_capacity(1 << 18, stream.try_clone()?);
        let mut begin = ThreadTime::now();
        while let Some(request) = Request::read(&mut reader)? {
            let answer = self.answer(request)?;
            answer.write(&mut stream)?;
            self.before_ms = begin.elapsed().as_secs_f64() * 1e3 - answer.seal_ms;
            begin = ThreadTime::now();
        }
        Ok(())
    }

    fn answer(&mut self, request: Request<Vec<u8>>) -> Result<Answer> {
        let operands = request.operands.into_iter().map(|operand| match operand {
            Operand::Fresh(bytes) => self.load(&bytes),
            Operand::Kept(name) => {
                let kept = self.kept.get(name as usize);
                Ok(kept
                    .with_context(|| format!("operand: {name} is not kept"))?
                    .clone())
            }
        });
        let mut operands = operands.collect::<Result<Vec<_>>>()?.into_iter();
        let mut first = operands.next().context("operands: none")?;
        let Some(operation) = request.operation else {
            self.kept.push(first);
            return Ok(Answer {
                seal_ms: 0.0,
                before_ms: self.before_ms,
                kept: self.kept.len() as u32 - 1,
                result: Vec::new(),
            });
        };
        let begin = ThreadTime::now();
        self.compute(operation, &mut first, operands.next().as_ref())?;
        let seal_ms = begin.elapsed().as_secs_f64() * 1e3;
        Ok(Answer {
            seal_ms,
            before_ms: self.before_ms,
            kept: 0,
            result: self.result(operation, first)?,
        })
    }

    fn load(&self, bytes: &[u8]) -> Result<Ciphertext> {
        let (mut rest, mut parts) = (bytes, Vec::new());
        while !rest.is_empty() {
            let (envelope, behind) = Envelope::read(rest)?;
            parts.push(envelope.authenticate(&self.link)?.packed_part()?);
            rest = behind;
        }
        Ok(self.context.frame(&PackedFrame::new(parts)?.unpack()?)?)
    }

    /// SEAL's own operation; a product is relinearized and, in CKKS, rescaled.
    fn compute(
        &self,
        operation: Operation,
        first: &mut Ciphertext,
        second: Option<&Ciphertext>,
    ) -> Result<()> {
        let evaluator = Evaluator::new(&self.context);
        let second = || second.context("operands: one; allowed are two");
        let scale = match self.set.scheme() {
            Scheme::Ckks => f64::from(self.set.log2_scale.default).exp2(),
            Scheme::Bfv => 1.0,
        };
        match operation {
            Operation::Add => return Ok(evaluator.add(first, second()?)?),
            Operation::MultiplyPlain => evaluator.multiply_encoded(first, &self.weights, scale)?,
            Operation::Square => evaluator.square(first)?,
            _ => evaluator.multiply(first, second()?)?,
        }
        if first.polynomials() == 3 {
            evaluator.relinearize(first, &self.keys)?;
        }
        if self.set.scheme() == Scheme::Ckks {
            evaluator.rescale(first)?;
        }
        Ok(())
    }

    /// The sealed result at the smallest modulus that holds it.
    fn result(&self, operation: Operation, mut ciphertext: Ciphertext) -> Result<Vec<u8>> {
        let primes = self.least_primes(&ciphertext);
        Evaluator::new(&self.context).switch_to(&mut ciphertext, primes)?;
        let residues = self.context.residues(&ciphertext)?;
        let slots = self.set.slots() as u32;
        let result = EncryptedResult {
            linear_tag: None,
            params: self.set,
            key_id: [0; 16],
            nonce: isopod_keys::random()?,
            provenance: Provenance {
                job: operation.name().to_owned(),
                total: 1,
                frames: 1,
                ..Provenance::default()
            },
            bound: 1e4,
            error: match self.set.scheme() {
                Scheme::Ckks => 0.05,
                Scheme::Bfv => 0.0,
            },
            scale: residues.scale,
            first: 0,
            grid: Grid {
                rows: 1,
                columns: slots,
                stride: slots,
            },
            rounded: None,
            c0: residues.c0,
            c1: residues.c1,
        };
        Ok(self.link.0.seal(result.encode()?))
    }

    fn least_primes(&self, ciphertext: &Ciphertext) -> usize {
        let wanted = match self.set.scheme() {
            Scheme::Ckks => ciphertext.scale().log2() + ROOM_BITS,
            Scheme::Bfv => 0.0,
        };
        let parameters = self.context.parameters();
        let enough = |primes: &usize| parameters.log2_modulus(*primes) >= wanted;
        (1..=ciphertext.primes())
            .find(enough)
            .unwrap_or(ciphertext.primes())
    }
}
