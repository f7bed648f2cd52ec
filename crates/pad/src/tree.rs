//! The tree of pads, and keys of ranges (`spec/pad.md`, sections 2, 5 and 6).

use isopod_keys::SecretKey;
use isopod_wire::codes::{limit, size};
use isopod_wire::{KeyId, PadDescription, PadRange};
use zeroize::Zeroizing;

use crate::keys::{PadKey, BLOCK};
use crate::place::{PadPlace, Pads};
use crate::{PadError, Result};

const DIGIT_BITS: u32 = 4;
const DIGITS: u32 = 8;
/// The pad of the largest sequence.
const LAST: u64 = u32::MAX as u64;
/// Last words of the blocks.
const NODE: u32 = 1;
const STREAM: u32 = 2;
const RATCHET: u32 = 3;

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
    description: PadDescription,
    device: u64,
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
    description: PadDescription,
    device: u64,
    epoch: u32,
    shape: Shape,
    entries: Vec<Entry>,
}

impl PadTree {
    /// The pads of a context under the pad key of its device. Of the place, the sequence does not matter.
    ///
    /// # Errors
    /// [`PadError::Field`] for an epoch that no ratchet has.
    pub fn new(place: &PadPlace<'_>, key_id: &KeyId, pad_key: &SecretKey) -> Result<Self> {
        let (description, epoch) = (*place.description, place.epoch);
        let mut root = PadKey::root(pad_key, &description.bytes(key_id, place.device));
        if description.ratchet {
            if !(1..=limit::PAD_EPOCHS as u32).contains(&epoch) {
                let allowed = format!("1 to {}", limit::PAD_EPOCHS);
                return Err(PadError::field("epoch", epoch, allowed));
            }
            for _ in 1..epoch {
                root = root.next([0, 0, 0, RATCHET]);
            }
        }
        Ok(Self {
            root,
            shape: shape_of(&description),
            description,
            device: place.device,
            epoch: description.ratchet.then_some(epoch),
        })
    }

    /// Whether it has the pads of this device, context and epoch.
    pub(crate) fn has(&self, place: &PadPlace<'_>) -> bool {
        let is_of = self.epoch.is_none_or(|own| own == place.epoch);
        is_of && (self.device, &self.description) == (place.device, place.description)
    }

    /// The root, for a device that stores it in place of its pad key.
    pub fn root(&self) -> &PadKey {
        &self.root
    }

    /// A key that opens sums within first .. last - 1, and the integers in them.
    ///
    /// # Errors
    /// [`PadError::Field`] for a range that is none; [`PadError::Outside`] for another epoch of a ratchet.
    pub fn range(&self, epoch: u32, first: u32, last: u32) -> Result<RangeKey> {
        let mut entries = Vec::new();
        for (depth, number) in cover(first, last)? {
            let bytes = self.part(epoch, depth, number)?;
            entries.push(Entry {
                depth,
                number,
                bytes,
            });
        }
        Ok(RangeKey {
            description: self.description,
            device: self.device,
            epoch,
            shape: self.shape,
            entries,
        })
    }

    fn part(&self, epoch: u32, depth: u32, number: u64) -> Result<Zeroizing<Vec<u8>>> {
        if self.epoch.is_some_and(|own| own != epoch) {
            return Err(PadError::Outside {
                device: self.device,
                epoch,
                sequence: number,
            });
        }
        Ok(self.shape.below(&self.root, epoch, 0, depth, number))
    }
}

/// Depth and number of each entry of a range.
fn cover(first: u32, last: u32) -> Result<Vec<(u32, u64)>> {
    if first > last {
        let allowed = "first to last".to_owned();
        return Err(PadError::field(
            "range",
            format!("{first} to {last}"),
            allowed,
        ));
    }
    let (mut entries, mut at, last) = (Vec::new(), u64::from(first), u64::from(last));
    while at <= last {
        let height = height_of(at, last);
        entries.push((DIGITS - height, at >> (DIGIT_BITS * height)));
        at += 1 << (DIGIT_BITS * height);
    }
    Ok(entries)
}

/// The largest power of sixteen that begins here and does not exceed the range; never the whole tree.
fn height_of(at: u64, last: u64) -> u32 {
    let fits = |height: &u32| {
        let size = 1u64 << (DIGIT_BITS * height);
        at.is_multiple_of(size) && at + size - 1 <= last
    };
    (0..DIGITS).rev().find(fits).unwrap_or(0)
}

fn shape_of(description: &PadDescription) -> Shape {
    Shape {
        width: description.width.into(),
        bytes: description.body_bytes(),
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
    fn pad(&mut self, place: &PadPlace<'_>) -> Result<Zeroizing<Vec<u32>>> {
        if place.sequence > LAST || !self.has(place) {
            return Err(place.outside());
        }
        let pad = self.part(place.epoch, DIGITS, place.sequence)?;
        Ok(self.shape.numbers(&pad))
    }
}

impl RangeKey {
    /// A key that its owner gave away, of the bytes of its entries.
    ///
    /// # Errors
    /// [`PadError::Field`] for bytes of another length, and a range that is none.
    pub fn new(range: &PadRange, parts: &[u8]) -> Result<Self> {
        let (shape, mut rest) = (shape_of(&range.description), parts);
        let mut entries = Vec::new();
        for (depth, number) in cover(range.first, range.last)? {
            let bytes = match depth {
                DIGITS => shape.bytes,
                _ => size::PAD_KEY,
            };
            let Some((part, behind)) = rest.split_at_checked(bytes) else {
                return Err(PadError::field("parts", parts.len(), "those of the range"));
            };
            let bytes = Zeroizing::new(part.to_vec());
            rest = behind;
            entries.push(Entry {
                depth,
                number,
                bytes,
            });
        }
        if !rest.is_empty() {
            let allowed = format!("{} bytes for this range", parts.len() - rest.len());
            return Err(PadError::field("parts", parts.len(), allowed));
        }
        Ok(Self {
            description: range.description,
            device: range.device,
            epoch: range.epoch,
            shape,
            entries,
        })
    }

    /// The bytes of the entries, in order.
    pub fn parts(&self) -> Zeroizing<Vec<u8>> {
        let length = self.entries.iter().map(|entry| entry.bytes.len()).sum();
        let mut parts = Zeroizing::new(Vec::with_capacity(length));
        for entry in &self.entries {
            parts.extend_from_slice(&entry.bytes);
        }
        parts
    }

    /// The parts, in the order of their sequences.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }
}

impl Pads for RangeKey {
    fn pad(&mut self, place: &PadPlace<'_>) -> Result<Zeroizing<Vec<u32>>> {
        let own = (self.device, self.epoch, &self.description);
        if own != (place.device, place.epoch, place.description) || place.sequence > LAST {
            return Err(place.outside());
        }
        let holds = |entry: &&Entry| {
            place.sequence >> (DIGIT_BITS * (DIGITS - entry.depth)) == entry.number
        };
        let entry = self.entries.iter().find(holds);
        let entry = entry.ok_or_else(|| place.outside())?;
        if entry.depth == DIGITS {
            return Ok(self.shape.numbers(&entry.bytes));
        }
        let mut key = Zeroizing::new([0; size::PAD_KEY]);
        key.copy_from_slice(&entry.bytes);
        let node = PadKey::from_bytes(&key);
        let pad = self
            .shape
            .below(&node, self.epoch, entry.depth, DIGITS, place.sequence);
        Ok(self.shape.numbers(&pad))
    }
}
