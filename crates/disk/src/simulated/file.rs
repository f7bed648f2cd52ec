//! Bytes of a file: as the process sees them, as they would be after a loss of power, and the changes between.

use super::random::Random;

/// Bytes that a disk writes whole or not at all.
const SECTOR: usize = 512;

#[derive(Debug, Clone)]
enum Change {
    Write(usize, Vec<u8>),
    Length(usize),
}

/// Content of a file.
#[derive(Debug, Clone, Default)]
pub(super) struct Content {
    /// Bytes that a reader sees.
    pub seen: Vec<u8>,
    flushed: Vec<u8>,
    waiting: Vec<Change>,
}

/// Part of the changes that a loss of power keeps.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kept {
    Nothing,
    All,
    /// Each sector or name by itself.
    Some,
    /// All before one of them, and some of that.
    Begin,
}

impl Kept {
    pub fn choose(random: &mut Random) -> Self {
        match random.below(4) {
            0 => Self::Nothing,
            1 => Self::All,
            2 => Self::Some,
            _ => Self::Begin,
        }
    }

    /// Splits changes: how many are kept whole, and how many behind them are kept by chance.
    pub fn split(self, count: usize, random: &mut Random) -> (usize, usize) {
        match self {
            Self::Nothing => (0, 0),
            Self::All => (count, 0),
            Self::Some => (0, count),
            Self::Begin => {
                let whole = random.below(count as u64 + 1) as usize;
                (whole, (count - whole).min(1))
            }
        }
    }
}

impl Content {
    pub fn write(&mut self, bytes: &[u8], offset: usize) {
        write(&mut self.seen, bytes, offset);
        self.waiting.push(Change::Write(offset, bytes.to_vec()));
    }

    pub fn set_length(&mut self, length: usize) {
        self.seen.resize(length, 0);
        self.waiting.push(Change::Length(length));
    }

    pub fn flush(&mut self) {
        for change in self.waiting.drain(..) {
            apply(&mut self.flushed, &change);
        }
    }

    /// Keeps some of what waits to be flushed and forgets the rest.
    pub fn lose(&mut self, kept: Kept, random: &mut Random) {
        let waiting = std::mem::take(&mut self.waiting);
        let (whole, torn) = kept.split(waiting.len(), random);
        for change in &waiting[..whole] {
            apply(&mut self.flushed, change);
        }
        for change in &waiting[whole..whole + torn] {
            apply_some(&mut self.flushed, change, random);
        }
    }

    /// Shows what a loss of power left.
    pub fn restart(&mut self) {
        self.seen = self.flushed.clone();
    }

    /// Changes a bit at rest.
    pub fn flip(&mut self, bit: u64) {
        let (byte, mask) = ((bit / 8) as usize, 1 << (bit % 8));
        for bytes in [&mut self.seen, &mut self.flushed] {
            if let Some(byte) = bytes.get_mut(byte) {
                *byte ^= mask;
            }
        }
    }
}

fn write(into: &mut Vec<u8>, bytes: &[u8], offset: usize) {
    let end = offset + bytes.len();
    if into.len() < end {
        into.resize(end, 0);
    }
    into[offset..end].copy_from_slice(bytes);
}

fn apply(into: &mut Vec<u8>, change: &Change) {
    match change {
        Change::Write(offset, bytes) => write(into, bytes, *offset),
        Change::Length(length) => into.resize(*length, 0),
    }
}

fn apply_some(into: &mut Vec<u8>, change: &Change, random: &mut Random) {
    let Change::Write(offset, bytes) = change else {
        if random.below(2) == 0 {
            apply(into, change);
        }
        return;
    };
    let (mut at, end) = (*offset, offset + bytes.len());
    while at < end {
        let next = (at / SECTOR * SECTOR + SECTOR).min(end);
        if random.below(2) == 0 {
            write(into, &bytes[at - offset..next - offset], at);
        }
        at = next;
    }
}
