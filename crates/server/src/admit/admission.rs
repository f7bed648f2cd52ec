//! The admission: bytes from outside become frames that may be stored, or are refused with the field that is wrong.
//!
//! Authenticate, then parse: the tag is verified by the device's key, then set, header and every residue are checked. A frame
//! enters whole; its parts may come in any order.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;

use isopod_keys::key_name;
use isopod_store::NewFrame;
use isopod_wire::{DeviceItem, Envelope, FrameHeader, FrameId, ItemKind, KeyId, WireError};

use crate::admit::access::Caller;
use crate::admit::refusal::Refusal;
use crate::admit::spill::{Place, Spill};
use crate::pairs::{Pair, Pairs};

/// Bytes of a tag.
const TAG_BYTES: usize = 16;

/// One authentic item.
struct Item {
    key_id: KeyId,
    id: FrameId,
    /// Header and number of a part; none of a frame of one item.
    part: Option<(FrameHeader, u16)>,
}

/// Name of a frame among those of all key pairs.
type Name = (KeyId, FrameId);

/// Where a part waits.
enum Kept {
    Memory(Vec<u8>),
    File(Place),
}

/// A part that waits for others.
struct Part {
    number: u16,
    /// Parts of one frame that have it in common are the same.
    tag: [u8; TAG_BYTES],
    kept: Kept,
}

impl Part {
    fn bytes(&self) -> usize {
        match &self.kept {
            Kept::Memory(bytes) => bytes.len(),
            Kept::File(place) => place.bytes(),
        }
    }
}

/// Parts of a frame that lacks others.
struct Open {
    header: FrameHeader,
    parts: Vec<Part>,
    since: u64,
}

/// A frame that has all its parts.
pub struct Whole {
    key_id: KeyId,
    id: FrameId,
    received: u64,
    parts: Vec<Part>,
}

impl Whole {
    /// The frame, with its parts in order.
    ///
    /// # Errors
    /// A part that waited in a file cannot be read.
    pub fn frame(self, spill: &mut Spill) -> io::Result<NewFrame> {
        Ok(NewFrame {
            key_id: self.key_id,
            id: self.id,
            received: self.received,
            bytes: joined(self.parts, spill)?,
        })
    }
}

/// Bounds of parts that wait for others.
#[derive(Clone, Copy)]
pub struct MostBytes {
    /// For all devices.
    pub all: usize,
    /// For one device.
    pub device: usize,
}

/// The admission of one connection, or of all that send parts one by one.
pub struct Admission {
    pairs: Arc<Pairs>,
    open: HashMap<Name, Open>,
    bytes: HashMap<u64, usize>,
    memory: usize,
    most: MostBytes,
}

impl Admission {
    /// A admission that holds at most so many bytes of parts that wait for others.
    pub fn new(pairs: Arc<Pairs>, most: MostBytes) -> Self {
        Self {
            pairs,
            open: HashMap::new(),
            bytes: HashMap::new(),
            memory: 0,
            most,
        }
    }

    /// Bytes of parts that wait in memory.
    pub fn memory(&self) -> usize {
        self.memory
    }

    /// Takes an item; gives the frame that is whole by it. A part that came before changes nothing.
    ///
    /// # Errors
    /// The field that is wrong. What was taken before stays.
    pub fn take(
        &mut self,
        bytes: &[u8],
        caller: &Caller,
        now: u64,
    ) -> Result<Option<Whole>, Refusal> {
        let item = self.check(bytes, caller)?;
        let (number, header) = match item.part {
            Some((header, number)) => (number, Some(header)),
            None => (0, None),
        };
        let part = Part {
            number,
            tag: tag_of(bytes),
            kept: Kept::Memory(bytes.to_vec()),
        };
        let name = (item.key_id, item.id);
        let whole = |parts| Whole {
            key_id: item.key_id,
            id: item.id,
            received: now,
            parts,
        };
        match header {
            Some(header) if header.items() > 1 || self.open.contains_key(&name) => {
                let full = self.add(name, header, part, now)?;
                Ok(full.then(|| self.close(&name)).flatten().map(whole))
            }
            _ => Ok(Some(whole(vec![part]))),
        }
    }

    /// Adds a part to those of its frame; true if the frame is whole.
    fn add(
        &mut self,
        name: Name,
        header: FrameHeader,
        part: Part,
        now: u64,
    ) -> Result<bool, Refusal> {
        let (id, bytes) = (name.1, part.bytes());
        let refused = |error: WireError| Refusal::of(&error, Some(id));
        if !self.open.contains_key(&name) {
            self.check_bytes(id.device, bytes).map_err(refused)?;
        }
        let wanted = usize::from(header.items());
        let open = self.open.entry(name).or_insert_with(|| Open {
            header: header.clone(),
            parts: Vec::with_capacity(wanted),
            since: now,
        });
        if let Some(field) = open.header.difference(&header) {
            return Err(refused(WireError::Mismatch { field }));
        }
        let same = open.parts.iter().find(|one| one.number == part.number);
        if let Some(same) = same {
            return match same.tag == part.tag {
                true => Ok(false),
                false => Err(refused(WireError::duplicate(id, part.number))),
            };
        }
        open.parts.push(part);
        let full = open.parts.len() == wanted;
        *self.bytes.entry(id.device).or_default() += bytes;
        self.memory += bytes;
        Ok(full)
    }

    /// Refuses parts of a further frame beyond the bounds.
    fn check_bytes(&self, device: u64, bytes: usize) -> Result<(), WireError> {
        let all = self.bytes.values().sum::<usize>() + bytes;
        let own = self.bytes.get(&device).map_or(0, |own| *own) + bytes;
        let of_device = own > self.most.device;
        if !of_device && all <= self.most.all {
            return Ok(());
        }
        let (found, most) = match of_device {
            true => (own, self.most.device),
            false => (all, self.most.all),
        };
        Err(WireError::Length {
            field: "parts",
            found: found as u64,
            allowed: format!("at most {most} bytes of parts that wait for others"),
        })
    }

    /// All parts of an open frame.
    fn close(&mut self, name: &Name) -> Option<Vec<Part>> {
        let open = self.open.remove(name)?;
        let all: usize = open.parts.iter().map(Part::bytes).sum();
        let in_memory = |part: &&Part| matches!(part.kept, Kept::Memory(_));
        let memory = open.parts.iter().filter(in_memory).map(Part::bytes);
        self.memory -= memory.sum::<usize>();
        if let Some(bytes) = self.bytes.get_mut(&name.1.device) {
            *bytes -= all;
            if *bytes == 0 {
                self.bytes.remove(&name.1.device);
            }
        }
        Some(open.parts)
    }

    /// Moves all parts that wait in memory to a file.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn spill(&mut self, spill: &mut Spill) -> io::Result<()> {
        for part in self.open.values_mut().flat_map(|open| &mut open.parts) {
            if let Kept::Memory(bytes) = &part.kept {
                let length = bytes.len();
                part.kept = Kept::File(spill.keep(bytes)?);
                self.memory -= length;
            }
        }
        Ok(())
    }

    /// Refuses the parts of frames that lack others since before this time, with what they are.
    pub fn expire(&mut self, before: u64, spill: &mut Spill) -> Vec<(Refusal, Vec<u8>)> {
        let old = self.open.iter().filter(|(_, open)| open.since < before);
        let names: Vec<_> = old.map(|(name, _)| *name).collect();
        let mut refused = Vec::new();
        for name in names {
            let missing = self.open.get(&name).map(|open| {
                let is_there = |number: &u16| open.parts.iter().any(|part| part.number == *number);
                (0..open.header.items())
                    .filter(|number| !is_there(number))
                    .collect()
            });
            let error = WireError::missing_parts(name.1, missing.unwrap_or_default());
            let parts = self.close(&name).unwrap_or_default();
            // The reason is kept even where a file cannot be read.
            let bytes = joined(parts, spill).unwrap_or_default();
            refused.push((Refusal::of(&error, Some(name.1)), bytes));
        }
        refused
    }

    fn check(&self, bytes: &[u8], caller: &Caller) -> Result<Item, Refusal> {
        let envelope = Envelope::read_only(bytes).map_err(|error| Refusal::of(&error, None))?;
        let kind = envelope.kind();
        let is_frame = [ItemKind::Part, ItemKind::TfheFrame, ItemKind::Packet].contains(&kind);
        if !is_frame {
            let detail = "kind: not of a frame; allowed are frames of devices".to_owned();
            return Err(Refusal {
                field: "kind".to_owned(),
                detail,
                frame: None,
            });
        }
        let key_id = envelope.key_id();
        let pair = self
            .pairs
            .get(&key_id)
            .ok_or_else(|| other_key(&self.pairs, &key_id))?;
        let item = parse(envelope, pair).map_err(|error| Refusal::of(&error, None))?;
        caller.check_sender(item.id)?;
        pair.check_device(item.id)
            .map_err(|error| Refusal::of(&error, Some(item.id)))?;
        Ok(item)
    }
}

/// The refusal of an item of another key pair.
pub fn other_key(pairs: &Pairs, found: &KeyId) -> Refusal {
    let allowed: Vec<String> = pairs
        .all()
        .map(|pair| key_name(&pair.server.key_id()))
        .collect();
    let detail = format!(
        "key: {} is not of this server; allowed is {}; give the device the fleet's public key",
        key_name(found),
        allowed.join(" or ")
    );
    Refusal {
        field: "key".to_owned(),
        detail,
        frame: None,
    }
}

/// The last bytes of an item.
fn tag_of(bytes: &[u8]) -> [u8; TAG_BYTES] {
    bytes.last_chunk().copied().unwrap_or_default()
}

/// The bytes of parts in order.
fn joined(mut parts: Vec<Part>, spill: &mut Spill) -> io::Result<Vec<u8>> {
    parts.sort_unstable_by_key(|part| part.number);
    let mut all = Vec::new();
    for part in parts {
        match part.kept {
            Kept::Memory(bytes) if all.is_empty() => all = bytes,
            Kept::Memory(bytes) => all.extend(bytes),
            Kept::File(place) => all.extend(spill.take(place)?),
        }
    }
    Ok(all)
}

/// Verifies the tag, and then parses and checks every field.
fn parse(envelope: Envelope<'_>, pair: &Pair) -> Result<Item, WireError> {
    let (key_id, set) = (envelope.key_id(), pair.server.set());
    let (id, part) = match DeviceItem::open(envelope, set, pair.server.as_ref())? {
        DeviceItem::Part(part) => {
            if let Some(set) = set
                .rns()
                .ok()
                .filter(|set| part.header.params.set_id != set.set_id)
            {
                return Err(other_set(part.header.params.name, set.name));
            }
            part.check()?;
            (part.header.id, Some((part.header, part.part)))
        }
        DeviceItem::Frame(frame) => (frame.header.id, None),
        DeviceItem::Pad(frame) => (frame.header.id, None),
    };
    Ok(Item { key_id, id, part })
}

fn other_set(found: &str, allowed: &str) -> WireError {
    WireError::OutOfRange {
        field: "set",
        value: found.to_owned(),
        allowed: allowed.to_owned(),
    }
}
