//! Messages of the pipe: a kind, a length, a body of bounded length (`deep/README.md`).

use crate::{Error, Result};
use std::io::{ErrorKind, Read};

/// Version of the protocol.
pub(crate) const VERSION: u16 = 6;
/// Opens the first message of either side.
pub(crate) const MAGIC: &[u8; 8] = b"isopdeep";
/// Coefficients in one message.
const RUN: usize = 8192;
/// Kind and length.
const HEAD: usize = 5;

/// Kinds of messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Hello = 1,
    Job = 2,
    Residues = 3,
    Progress = 4,
    Answer = 5,
    Failure = 6,
    Secret = 7,
    Valid = 8,
    Keys = 9,
    Done = 10,
}

/// Kinds that a program sends, with the most bytes of each.
const RECEIVED: [(Kind, usize); 7] = [
    (Kind::Hello, 512),
    (Kind::Residues, 8 + 8 * RUN),
    (Kind::Progress, 64),
    (Kind::Answer, 64),
    (Kind::Failure, 2048),
    (Kind::Keys, 512),
    (Kind::Done, 0),
];

/// A message that arrived.
#[derive(Debug)]
pub(crate) struct Message {
    pub kind: Kind,
    pub body: Vec<u8>,
}

/// Reads a message; None where the stream ends between two of them.
pub(crate) fn read(from: &mut impl Read) -> Result<Option<Message>> {
    let mut head = [0; HEAD];
    let mut have = 0;
    while have < HEAD {
        match from.read(&mut head[have..]) {
            Ok(0) if have == 0 => return Ok(None),
            Ok(0) => return Err(Error::Message("message: ends early".into())),
            Ok(count) => have += count,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(Error::Message(error.to_string())),
        }
    }
    let [number, length @ ..] = head;
    let length = u32::from_le_bytes(length) as usize;
    let known = RECEIVED.iter().find(|(kind, _)| *kind as u8 == number);
    let Some(&(kind, most)) = known else {
        let text = format!("kind: {number}; allowed are those of version {VERSION}");
        return Err(Error::Message(text));
    };
    if length > most {
        let text = format!("length: {length} bytes of kind {number}; allowed are 0 to {most}");
        return Err(Error::Message(text));
    }
    let mut body = vec![0; length];
    let whole = from.read_exact(&mut body);
    whole.map_err(|error| Error::Message(format!("message: {error}")))?;
    Ok(Some(Message { kind, body }))
}

/// A message as bytes.
pub(crate) fn encode(kind: Kind, body: &[u8]) -> Vec<u8> {
    let mut message = Vec::with_capacity(HEAD + body.len());
    message.push(kind as u8);
    // Bodies are far below 2^32 bytes.
    message.extend((body.len() as u32).to_le_bytes());
    message.extend(body);
    message
}

/// The host's greeting.
pub(crate) fn hello(size: &str) -> Vec<u8> {
    let mut body = MAGIC.to_vec();
    body.extend(VERSION.to_le_bytes());
    body.push(size.len() as u8);
    body.extend(size.as_bytes());
    encode(Kind::Hello, &body)
}

/// Messages of the runs of a polynomial.
pub(crate) fn residues(polynomial: &[u64]) -> Vec<u8> {
    let runs = polynomial.chunks(RUN).enumerate().flat_map(|(at, run)| {
        let mut body = ((at * RUN) as u32).to_le_bytes().to_vec();
        body.extend((run.len() as u32).to_le_bytes());
        body.extend(run.iter().flat_map(|coefficient| coefficient.to_le_bytes()));
        encode(Kind::Residues, &body)
    });
    runs.collect()
}

/// Appends a run to a polynomial of a length, below a modulus.
pub(crate) fn append(
    polynomial: &mut Vec<u64>,
    body: &[u8],
    length: usize,
    modulus: u64,
) -> Result<()> {
    let mut fields = Fields(body);
    let (first, count) = (fields.u32()? as usize, fields.u32()? as usize);
    let most = RUN.min(length - polynomial.len());
    if first != polynomial.len() || !(1..=most).contains(&count) {
        let at = polynomial.len();
        let text = format!("run: {count} from {first}; allowed are 1 to {most} from {at}");
        return Err(Error::Message(text));
    }
    for _ in 0..count {
        let residue = fields.u64()?;
        if residue >= modulus {
            let text = format!("residue: {residue}; allowed are 0 to {}", modulus - 1);
            return Err(Error::Message(text));
        }
        polynomial.push(residue);
    }
    fields.end()
}

/// Fields of a body, one after the other.
#[derive(Debug)]
pub(crate) struct Fields<'a>(pub &'a [u8]);

impl<'a> Fields<'a> {
    pub fn bytes(&mut self, count: usize) -> Result<&'a [u8]> {
        let Some((bytes, rest)) = self.0.split_at_checked(count) else {
            return Err(Error::Message("message: ends early".into()));
        };
        self.0 = rest;
        Ok(bytes)
    }

    pub fn fixed<const N: usize>(&mut self) -> Result<[u8; N]> {
        let mut fixed = [0; N];
        fixed.copy_from_slice(self.bytes(N)?);
        Ok(fixed)
    }

    pub fn u8(&mut self) -> Result<u8> {
        Ok(self.fixed::<1>()?[0])
    }

    pub fn u16(&mut self) -> Result<u16> {
        Ok(u16::from_le_bytes(self.fixed()?))
    }

    pub fn u32(&mut self) -> Result<u32> {
        Ok(u32::from_le_bytes(self.fixed()?))
    }

    pub fn u64(&mut self) -> Result<u64> {
        Ok(u64::from_le_bytes(self.fixed()?))
    }

    pub fn text(&mut self) -> Result<String> {
        let length = self.u8()?.into();
        Ok(String::from_utf8_lossy(self.bytes(length)?).into_owned())
    }

    pub fn end(self) -> Result<()> {
        match self.0.len() {
            0 => Ok(()),
            rest => Err(Error::Message(format!(
                "length: {rest} bytes behind the last field"
            ))),
        }
    }
}
