//! The admission: bytes from outside become frames that may be stored, or are refused with the field that is wrong.
//!
//! Authenticate, then parse: the tag is verified by the device's key, then set, header and every residue are checked. A frame
//! enters whole; its parts may come in any order.

use std::collections::HashMap;
use std::sync::Arc;

use isopod_keys::key_name;
use isopod_store::NewFrame;
use isopod_wire::{AnySet, Envelope, FrameHeader, FrameId, ItemKind, KeyId, WireError};

use crate::admit::access::Caller;
use crate::admit::refusal::Refusal;
use crate::pairs::{Pair, Pairs};

/// One authentic item.
struct Item {
    key_id: KeyId,
    id: FrameId,
    /// Header and number of a part; none of a frame of one item.
    part: Option<(FrameHeader, u16)>,
}

/// Parts of frames that lack others.
struct Open {
    header: FrameHeader,
    parts: Vec<(u16, Vec<u8>)>,
    since: u64,
}

/// The admission of one connection, or of all that send parts one by one.
pub struct Admission {
    pairs: Arc<Pairs>,
    open: HashMap<(KeyId, FrameId), Open>,
    bytes: usize,
    most: usize,
}

impl Admission {
    /// A admission that holds at most `most` bytes of parts that wait for others.
    pub fn new(pairs: Arc<Pairs>, most: usize) -> Self {
        Self {
            pairs,
            open: HashMap::new(),
            bytes: 0,
            most,
        }
    }

    /// Takes an item; gives the frame that is whole by it.
    ///
    /// # Errors
    /// The field that is wrong. What was taken before stays.
    pub fn take(
        &mut self,
        bytes: &[u8],
        caller: &Caller,
        now: u64,
    ) -> Result<Option<NewFrame>, Refusal> {
        let item = self.check(bytes, caller)?;
        let frame = |bytes| NewFrame {
            key_id: item.key_id,
            id: item.id,
            received: now,
            bytes,
        };
        let Some((header, part)) = item.part else {
            return Ok(Some(frame(bytes.to_vec())));
        };
        let refused = |error: WireError| Refusal::of(&error, Some(item.id));
        let name = (item.key_id, item.id);
        if !self.open.contains_key(&name) && self.bytes + bytes.len() > self.most {
            let (found, most) = (self.bytes + bytes.len(), self.most);
            let allowed = format!("at most {most} bytes of parts that wait for others");
            return Err(refused(WireError::Length {
                field: "parts",
                found: found as u64,
                allowed,
            }));
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
        if open.parts.iter().any(|(other, _)| *other == part) {
            return Err(refused(WireError::duplicate(item.id, part)));
        }
        open.parts.push((part, bytes.to_vec()));
        self.bytes += bytes.len();
        if open.parts.len() < wanted {
            return Ok(None);
        }
        Ok(self.close(&name).map(frame))
    }

    /// All parts of an open frame, in order.
    fn close(&mut self, name: &(KeyId, FrameId)) -> Option<Vec<u8>> {
        let mut open = self.open.remove(name)?;
        open.parts.sort_unstable_by_key(|(part, _)| *part);
        let parts: Vec<Vec<u8>> = open.parts.into_iter().map(|(_, bytes)| bytes).collect();
        let bytes = parts.concat();
        self.bytes -= bytes.len();
        Some(bytes)
    }

    /// Refuses the parts of frames that lack others since before this time, with what they are.
    pub fn expire(&mut self, before: u64) -> Vec<(Refusal, Vec<u8>)> {
        let old = self.open.iter().filter(|(_, open)| open.since < before);
        let names: Vec<_> = old.map(|(name, _)| *name).collect();
        let mut refused = Vec::new();
        for name in names {
            let missing = self.open.get(&name).map(|open| {
                let is_there = |part: &u16| open.parts.iter().any(|(other, _)| other == part);
                (0..open.header.items())
                    .filter(|part| !is_there(part))
                    .collect()
            });
            let error = WireError::missing_parts(name.1, missing.unwrap_or_default());
            let bytes = self.close(&name).unwrap_or_default();
            refused.push((Refusal::of(&error, Some(name.1)), bytes));
        }
        refused
    }

    fn check(&self, bytes: &[u8], caller: &Caller) -> Result<Item, Refusal> {
        let envelope = Envelope::read_only(bytes).map_err(|error| Refusal::of(&error, None))?;
        let kind = envelope.kind();
        if !matches!(kind, ItemKind::Part | ItemKind::TfheFrame) {
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
            .ok_or_else(|| self.other_key(&key_id))?;
        let item = parse(envelope, pair).map_err(|error| Refusal::of(&error, None))?;
        caller.check_sender(item.id)?;
        pair.check_device(item.id)
            .map_err(|error| Refusal::of(&error, Some(item.id)))?;
        Ok(item)
    }

    fn other_key(&self, found: &KeyId) -> Refusal {
        let allowed: Vec<String> = self
            .pairs
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
}

/// Verifies the tag, and then parses and checks every field.
fn parse(envelope: Envelope<'_>, pair: &Pair) -> Result<Item, WireError> {
    let key_id = envelope.key_id();
    let authentic = envelope.authenticate(pair.server.as_ref())?;
    match pair.server.set() {
        AnySet::Rns(set) => {
            let part = authentic.packed_part()?;
            if part.header.params.set_id != set.set_id {
                return Err(other_set(part.header.params.name, set.name));
            }
            let (header, number) = (part.header.clone(), part.part);
            match header.rounding {
                Some(_) => drop(part.rounded()?),
                None => drop(part.unpack()?),
            }
            Ok(Item {
                key_id,
                id: header.id,
                part: Some((header, number)),
            })
        }
        AnySet::Tfhe(set) => Ok(Item {
            key_id,
            id: authentic.tfhe_frame(set)?.header.id,
            part: None,
        }),
    }
}

fn other_set(found: &str, allowed: &str) -> WireError {
    WireError::OutOfRange {
        field: "set",
        value: found.to_owned(),
        allowed: allowed.to_owned(),
    }
}
