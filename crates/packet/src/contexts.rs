//! The contexts of all devices at the server, and where their sequences are.

use std::collections::BTreeMap;

use isopod_keys::ServerKeys;
use isopod_wire::codes::limit::PACKET_RANDOM;
use isopod_wire::{Context, FrameId, Naming, PacketPrefix, RoundedFrame, WireError};

use crate::derived::{context_tag, ContextKey};
use crate::registered::Registered;
use crate::window::Windows;
use crate::{PacketError, Result};

/// False tags of four bytes after which a sender is refused.
const FALSE_TAGS: u32 = 1 << 16;
/// Bytes of the shortest tag.
const SHORT_TAG: u8 = 4;

/// One device.
#[derive(Default)]
struct Device {
    windows: Windows,
    /// Contexts of each number, the newest last: each counts from the epoch in which it was announced.
    contexts: BTreeMap<u8, Vec<Registered>>,
    false_tags: u32,
}

/// Contexts and windows of the devices of one key pair.
pub struct Contexts<'a> {
    keys: &'a ServerKeys,
    devices: BTreeMap<u64, Device>,
}

impl<'a> Contexts<'a> {
    /// No context yet.
    pub fn new(keys: &'a ServerKeys) -> Self {
        Self {
            keys,
            devices: BTreeMap::new(),
        }
    }

    /// Registers a context, or learns from the announcement of a known one where its device is.
    ///
    /// # Errors
    /// [`PacketError::Wire`] for bytes or tag; [`PacketError::OtherKey`]; [`PacketError::Occupied`].
    pub fn register(&mut self, item: &[u8]) -> Result<FrameId> {
        let key_of = |device| self.keys.device_key(device);
        let context = Context::open(item, |device, message, tag| {
            isopod_tag::equal(&context_tag(&key_of(device), message), tag)
        })?;
        if context.header().key_id != self.keys.key_id() {
            return Err(PacketError::OtherKey);
        }
        let announced = context.announced();
        let key = ContextKey::new(&key_of(context.device()), &context);
        let device = self.devices.entry(context.device()).or_default();
        device.enter(context, key)?;
        device.windows.raise(announced.epoch, announced.sequence);
        Ok(announced)
    }

    /// The frame of a packet whose sender the transport names, or the packet itself.
    ///
    /// # Errors
    /// [`PacketError::NoSender`], [`PacketError::OtherSender`], [`PacketError::UnknownContext`]; [`PacketError::Exhausted`],
    /// [`PacketError::Guessed`]; [`PacketError::Wire`] for its bytes, or a tag that is false in every window.
    pub fn open(&mut self, transport: Option<u64>, packet: &[u8]) -> Result<RoundedFrame> {
        let prefix = PacketPrefix::read(packet)?;
        let number = sender(&prefix, transport)?;
        let unknown = PacketError::UnknownContext {
            device: number,
            number: prefix.context,
        };
        let Some(device) = self.devices.get_mut(&number) else {
            return Err(unknown);
        };
        device.open(number, prefix.context, packet).ok_or(unknown)?
    }

    /// Learns that a frame of this name was stored, from a packet or in full.
    pub fn observe(&mut self, name: FrameId) {
        let device = self.devices.entry(name.device).or_default();
        match (name.sequence >> 63, name.sequence.checked_add(1)) {
            (0, Some(next)) => device.windows.raise(name.epoch, next),
            _ => device.count_random((name.sequence >> 32) as u8 % 64),
        }
    }

    /// Takes packets again of a device that sent too many false tags.
    pub fn allow(&mut self, device: u64) {
        if let Some(device) = self.devices.get_mut(&device) {
            device.false_tags = 0;
        }
    }
}

impl Device {
    fn enter(&mut self, context: Context, key: ContextKey) -> Result<()> {
        let (device, number) = (context.device(), context.number());
        let same = self.contexts.entry(number).or_default();
        let is_known = |one: &Registered| one.context().description() == context.description();
        if same.iter().any(is_known) {
            return Ok(());
        }
        if let Some(newest) = same.last() {
            let epoch = newest.context().announced().epoch;
            if context.announced().epoch <= epoch {
                return Err(PacketError::Occupied {
                    device,
                    number,
                    epoch,
                });
            }
        }
        same.push(Registered::new(context, key));
        // A context before the one before has no epoch left in which a packet could be.
        let gone = same.len().saturating_sub(2);
        same.drain(..gone);
        Ok(())
    }

    /// None if the context is not known.
    fn open(&mut self, device: u64, number: u8, packet: &[u8]) -> Option<Result<RoundedFrame>> {
        let contexts = self.contexts.get(&number)?;
        if self.false_tags >= FALSE_TAGS {
            return Some(Err(PacketError::Guessed { device }));
        }
        let (mut refusal, mut end) = (None, u32::MAX);
        for one in contexts.iter().rev() {
            let begin = one.context().announced().epoch;
            let epochs = begin..=end;
            end = begin.saturating_sub(1);
            if one.random >= PACKET_RANDOM {
                refusal = Some(PacketError::Exhausted { device, number });
                continue;
            }
            match one.open(self.windows, &epochs, packet) {
                Ok(frame) => return Some(Ok(frame)),
                Err(error) => refusal = Some(error),
            }
        }
        let is_short = contexts
            .iter()
            .any(|one| one.context().form().tag_bytes == SHORT_TAG);
        if refusal == Some(WireError::Tag.into()) && is_short {
            self.false_tags += 1;
        }
        refusal.map(Err)
    }

    fn count_random(&mut self, number: u8) {
        let newest = self
            .contexts
            .get_mut(&number)
            .and_then(|all| all.last_mut());
        if let Some(one) = newest.filter(|one| one.context().form().naming == Naming::Random) {
            one.random += 1;
        }
    }
}

/// The sender of a packet, which it names or its transport.
fn sender(prefix: &PacketPrefix, transport: Option<u64>) -> Result<u64> {
    match (prefix.device, transport) {
        (Some(found), Some(transport)) if found != transport => {
            Err(PacketError::OtherSender { found, transport })
        }
        (Some(device), _) | (None, Some(device)) => Ok(device),
        (None, None) => Err(PacketError::NoSender),
    }
}
