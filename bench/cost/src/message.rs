//! Messages between device and server: an operation and its operands, and a result with the time that SEAL took.
//!
//! A request is u8 operation, u8 operands, and for each operand u32 length and its frame, or length 0 and u32 number of an
//! operand that was sent before. An answer is u32 length, f64 milliseconds of SEAL and of the last answer outside of SEAL, both
//! processor time, u32 number, and the sealed result; all little endian. Lengths are bounded before anything is allocated.

use std::io::{Read, Write};

use anyhow::{bail, ensure, Context as _, Result};
use isopod_cost::Operation;

/// Operations in the order of their numbers; keeping sends an operand without computing.
pub const OPERATIONS: [Operation; 4] = [
    Operation::Add,
    Operation::Multiply,
    Operation::MultiplyPlain,
    Operation::Square,
];
/// Number of the request that only keeps its operand.
const KEEP: u8 = 255;
/// Largest operand or result: a fresh ciphertext at degree 32768 is below.
const MOST_BYTES: u32 = 1 << 25;

/// Number of ciphertexts that an operation takes.
pub fn operands(operation: Operation) -> usize {
    match operation {
        Operation::Add | Operation::Multiply => 2,
        _ => 1,
    }
}

/// An operand on its way.
#[derive(Debug, Clone, Copy)]
pub enum Operand<B> {
    /// A frame.
    Fresh(B),
    /// Number of one that the server keeps.
    Kept(u32),
}

/// Question to a server; no operation keeps the operand.
pub struct Request<B> {
    /// The operation.
    pub operation: Option<Operation>,
    /// Its ciphertexts.
    pub operands: Vec<Operand<B>>,
}

/// Answer of a server.
pub struct Answer {
    /// Milliseconds of SEAL's own operation, processor time.
    pub seal_ms: f64,
    /// Milliseconds of the rest of the answer before, from its first byte to its last, processor time.
    pub before_ms: f64,
    /// Number of the kept operand.
    pub kept: u32,
    /// Sealed result; empty for a kept operand.
    pub result: Vec<u8>,
}

fn number(from: &mut impl Read) -> Result<u32> {
    let mut bytes = [0; 4];
    from.read_exact(&mut bytes)?;
    Ok(u32::from_le_bytes(bytes))
}

fn body(from: &mut impl Read, length: u32) -> Result<Vec<u8>> {
    ensure!(
        length <= MOST_BYTES,
        "length: {length}; allowed is {MOST_BYTES}"
    );
    let mut bytes = vec![0; length as usize];
    from.read_exact(&mut bytes)?;
    Ok(bytes)
}

impl Request<&[u8]> {
    /// Writes the request with one call, and returns its length.
    ///
    /// # Errors
    /// A connection that broke.
    pub fn write(&self, to: &mut impl Write) -> Result<usize> {
        let place = |wanted| OPERATIONS.iter().position(|&one| one == wanted);
        let code = self.operation.map_or(Some(KEEP as usize), place);
        let mut bytes = vec![code.context("operation: not offloaded")? as u8];
        bytes.push(self.operands.len() as u8);
        for operand in &self.operands {
            match operand {
                Operand::Fresh(frame) => {
                    bytes.extend((frame.len() as u32).to_le_bytes());
                    bytes.extend_from_slice(frame);
                }
                Operand::Kept(name) => {
                    bytes.extend([0; 4]);
                    bytes.extend(name.to_le_bytes());
                }
            }
        }
        to.write_all(&bytes)?;
        Ok(bytes.len())
    }
}

impl Request<Vec<u8>> {
    /// Reads a request; None where the other side has closed.
    ///
    /// # Errors
    /// A number or a length beyond its range.
    pub fn read(from: &mut impl Read) -> Result<Option<Self>> {
        let mut head = [0; 2];
        if from.read_exact(&mut head).is_err() {
            return Ok(None);
        }
        let operation = match head[0] {
            KEEP => None,
            code => Some(
                *OPERATIONS
                    .get(usize::from(code))
                    .context("operation: unknown")?,
            ),
        };
        let wanted = operation.map_or(1, operands);
        if usize::from(head[1]) != wanted {
            bail!("operands: {}; allowed are {wanted}", head[1]);
        }
        let mut operand = || -> Result<_> {
            Ok(match number(from)? {
                0 => Operand::Kept(number(from)?),
                length => Operand::Fresh(body(from, length)?),
            })
        };
        let operands = (0..wanted).map(|_| operand()).collect::<Result<_>>()?;
        Ok(Some(Self {
            operation,
            operands,
        }))
    }
}

impl Answer {
    /// Writes the answer with one call.
    ///
    /// # Errors
    /// A connection that broke.
    pub fn write(&self, to: &mut impl Write) -> Result<()> {
        let mut bytes = (self.result.len() as u32).to_le_bytes().to_vec();
        bytes.extend(self.seal_ms.to_le_bytes());
        bytes.extend(self.before_ms.to_le_bytes());
        bytes.extend(self.kept.to_le_bytes());
        bytes.extend_from_slice(&self.result);
        Ok(to.write_all(&bytes)?)
    }

    /// Reads an answer.
    ///
    /// # Errors
    /// A length beyond its range; a connection that broke.
    pub fn read(from: &mut impl Read) -> Result<Self> {
        let length = number(from)?;
        let mut time = || -> Result<f64> {
            let mut bytes = [0; 8];
            from.read_exact(&mut bytes)?;
            Ok(f64::from_le_bytes(bytes))
        };
        let (seal_ms, before_ms) = (time()?, time()?);
        Ok(Self {
            seal_ms,
            before_ms,
            kept: number(from)?,
            result: body(from, length)?,
        })
    }
}
