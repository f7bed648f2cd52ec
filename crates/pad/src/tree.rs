//! The tree of pads, keys of ranges, and the opening of sums (`spec/pad.md`, sections 2, 4, 5 and 6).

use isopod_wire::codes::{hash_label, limit};
use zeroize::Zeroizing;

use crate::keys::{described, PadKey, BLOCK};
use crate::{FoldedSum, PadContext, PadError, Result};

const DIGIT_BITS: u32 = 4;
const DIGITS: u32 = 8;
/// The pad of the largest sequence.
const LAST: u64 = u32::MAX as u64;
/// Last words of the blocks.
const NODE: u32 = 1;
const STREAM: u32 = 2;
const RATCHET: u32 = 3;

/// Whoever has pads, of one context and epoch at least.
pub trait Pads {
    /// The pad of a sequence: a number for each column, below 2^b.
    ///
    /// # Errors
    /// [`PadError::Outside`].
    fn pad(&self, epoch: u32, sequence: u64) -> Result<Zeroizing<Vec<u32>>>;
}

/// The shape of the pads of a context.
#[derive(Clone, Copy)]
struct Shape {
    width: usize,
    bytes: usize,
}

/// All pads of a context; with a ratchet, those of one epoch.
pub struct PadTree {
    root: PadKey,
    shape: Shape,
    /// The only epoch, with a ratchet.
    epoch: Option<u32>,
}

/// One part of a range key: a node of depth 1 to 7, or a pad, whose depth is 8.
pub struct Entry {
    /// Digits that its sequences share.
    pub depth: u32,
    /// The digits, as one number.
    pub number: u64,
    /// A key of 32 bytes, or a pad.
    pub bytes: Zeroizing<Vec<u8>>,
}

/// The pads of some sequences in a row, and no others.
pub struct RangeKey {
    epoch: u32,
    shape: Shape,
    entries: Vec<Entry>,
}

impl PadTree {
    /// The pads of a context under the pad key of its device.
    ///
    /// # Errors
    /// [`PadError::Field`] for a context that is none, or an epoch that no ratchet has.
    pub fn new(context: &PadContext, pad_key: &PadKey, epoch: u32) -> Result<Self> {
        context.check()?;
        let mut root = described(hash_label::PAD, pad_key.expose(), &context.description());
        if context.ratchet {
            if !(1..=limit::PAD_EPOCHS as u32).contains(&epoch) {
                return Err(PadError::field(
                    "epoch",
                    epoch,
                    format!("1 to {}", limit::PAD_EPOCHS),
                ));
            }
            for _ in 1..epoch {
                root = root.next([0, 0, 0, RATCHET]);
            }
        }
        Ok(Self {
            root,
            shape: shape_of(context),
            epoch: context.ratchet.then_some(epoch),
        })
    }

    /// The root, for a device that stores it in place of its pad key.
    pub fn root(&self) -> &PadKey {
        &self.root
    }

    /// A key that opens sums within first .. last - 1, and the integers in them.
    ///
    /// # Errors
    /// [`PadError::Field`] for a range that is none; [`PadError::Outside`] for another epoch of a ratchet.
    pub fn range(&self, epoch: u32, first: u64, last: u64) -> Result<RangeKey> {
        if first > last || last > LAST {
            let allowed = format!("first to last, at most {LAST}");
            return Err(PadError::field(
                "range",
                format!("{first} to {last}"),
                allowed,
            ));
        }
        let (mut entries, mut at) = (Vec::new(), first);
        while at <= last {
            let height = height_of(at, last);
            let (depth, number) = (DIGITS - height, at >> (DIGIT_BITS * height));
            let bytes = self.part(epoch, depth, number)?;
            entries.push(Entry {
                depth,
                number,
                bytes,
            });
            at += 1 << (DIGIT_BITS * height);
        }
        Ok(RangeKey {
            epoch,
            shape: self.shape,
            entries,
        })
    }

    fn part(&self, epoch: u32, depth: u32, number: u64) -> Result<Zeroizing<Vec<u8>>> {
        if self.epoch.is_some_and(|own| own != epoch) {
            return Err(PadError::Outside {
                epoch,
                sequence: number,
            });
        }
        Ok(self.shape.below(&self.root, epoch, 0, depth, number))
    }
}

/// The largest power of sixteen that begins here and does not exceed the range; never the whole tree.
fn height_of(at: u64, last: u64) -> u32 {
    let fits = |height: &u32| {
        let size = 1u64 << (DIGIT_BITS * height);
        at.is_multiple_of(size) && at + size - 1 <= last
    };
    (0..DIGITS).rev().find(fits).unwrap_or(0)
}

fn shape_of(context: &PadContext) -> Shape {
    Shape {
        width: context.width.into(),
        bytes: context.body_bytes(),
    }
}

impl Shape {
    /// The bytes of a node of this depth, below a node of smaller depth; a pad for depth 8.
    fn below(
        self,
        from: &PadKey,
        epoch: u32,
        begin: u32,
        depth: u32,
        number: u64,
    ) -> Zeroizing<Vec<u8>> {
        let digit =
            |at: u32| (number >> (DIGIT_BITS * (depth - 1 - at))) as u32 % (1 << DIGIT_BITS);
        let mut node = PadKey::from_bytes(from.expose());
        for at in begin..depth.min(DIGITS - 1) {
            node = node.next([epoch, digit(at), at, NODE]);
        }
        if depth < DIGITS {
            return Zeroizing::new(node.expose().to_vec());
        }
        let mut pad = Zeroizing::new(Vec::with_capacity(self.bytes + BLOCK));
        for block in 0..self.bytes.div_ceil(BLOCK) {
            pad.extend_from_slice(
                &node.block([epoch, digit(DIGITS - 1), block as u32, STREAM])[..],
            );
        }
        pad.truncate(self.bytes);
        pad
    }

    fn numbers(self, pad: &[u8]) -> Zeroizing<Vec<u32>> {
        let number = |at: &[u8]| {
            at.iter()
                .rev()
                .fold(0, |sum, &byte| sum << 8 | u32::from(byte))
        };
        Zeroizing::new(pad.chunks_exact(self.width).map(number).collect())
    }
}

impl Pads for PadTree {
    fn pad(&self, epoch: u32, sequence: u64) -> Result<Zeroizing<Vec<u32>>> {
        if sequence > LAST {
            return Err(PadError::Outside { epoch, sequence });
        }
        Ok(self.shape.numbers(&self.part(epoch, DIGITS, sequence)?))
    }
}

impl RangeKey {
    /// A key that its owner gave away, of these parts.
    ///
    /// # Errors
    /// [`PadError::Field`] for parts of another length.
    pub fn new(context: &PadContext, epoch: u32, entries: Vec<Entry>) -> Result<Self> {
        let shape = shape_of(context);
        for entry in &entries {
            let bytes = if entry.depth == DIGITS {
                shape.bytes
            } else {
                32
            };
            if !(1..=DIGITS).contains(&entry.depth) || entry.bytes.len() != bytes {
                let found = format!("{} bytes of depth {}", entry.bytes.len(), entry.depth);
                return Err(PadError::field(
                    "entry",
                    found,
                    "32 bytes of depth 1 to 7, or a pad of depth 8",
                ));
            }
        }
        Ok(Self {
            epoch,
            shape,
            entries,
        })
    }

    /// The parts, in the order of their sequences.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }
}

impl Pads for RangeKey {
    fn pad(&self, epoch: u32, sequence: u64) -> Result<Zeroizing<Vec<u32>>> {
        let holds =
            |entry: &&Entry| sequence >> (DIGIT_BITS * (DIGITS - entry.depth)) == entry.number;
        let outside = PadError::Outside { epoch, sequence };
        if epoch != self.epoch || sequence > LAST {
            return Err(outside);
        }
        let entry = self.entries.iter().find(holds).ok_or(outside)?;
        if entry.depth == DIGITS {
            return Ok(self.shape.numbers(&entry.bytes));
        }
        let mut key = Zeroizing::new([0; 32]);
        key.copy_from_slice(&entry.bytes);
        let node = PadKey::from_bytes(&key);
        Ok(self.shape.numbers(
            &self
                .shape
                .below(&node, epoch, entry.depth, DIGITS, sequence),
        ))
    }
}

/// The true sums: those of the server, less two pads for each run.
///
/// # Errors
/// [`PadError::Overflow`] if they may be wrong; [`PadError::Repeated`]; [`PadError::Outside`].
pub fn open_sum(sum: &FoldedSum, pads: &impl Pads) -> Result<Vec<i64>> {
    let (context, runs) = (sum.context(), sum.runs()?);
    let most: u128 = runs
        .iter()
        .map(|run| u128::from(run.last - run.first + 1) * u128::from(run.weight.unsigned_abs()))
        .sum::<u128>()
        * u128::from(context.bound);
    if most >= u128::from(context.half()) {
        return Err(PadError::Overflow {
            most,
            bound: context.half(),
        });
    }
    let mut total = sum.total().to_vec();
    for run in &runs {
        let (first, after) = (
            pads.pad(run.epoch, run.first)?,
            pads.pad(run.epoch, run.last + 1)?,
        );
        for ((value, first), after) in total.iter_mut().zip(&*first).zip(&*after) {
            let left = first.wrapping_sub(*after).wrapping_mul(run.weight as u32);
            *value = value.wrapping_sub(left);
        }
    }
    let unused = 32 - 8 * u32::from(context.width);
    let signed = |value: u32| i64::from((value << unused) as i32 >> unused);
    Ok(total.into_iter().map(signed).collect())
}
