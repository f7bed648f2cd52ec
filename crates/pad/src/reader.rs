//! A context with the key of its tags: packets become bodies (`spec/packet.md`, sections 2 and 4).

use isopod_keys::SecretKey;
use isopod_packet::{siphash_128, siphash_64};
use isopod_wire::codes::{hash_label, size};
use isopod_wire::{FrameId, PacketPrefix};
use subtle::ConstantTimeEq as _;
use zeroize::Zeroizing;

use crate::keys::{described, PadKey};
use crate::{PadContext, PadError, Result};

/// First byte of the tag key in block 0 of a name.
const TAG_KEY: usize = 32;

/// Opens the packets of a context. It reads no integer.
pub struct PadReader {
    context: PadContext,
    key: PadKey,
}

impl PadReader {
    /// A context that the owner made, of the device of this key.
    pub fn new(context: PadContext, device_key: &SecretKey) -> Self {
        let key = described(
            hash_label::PACKET,
            device_key.expose(),
            &context.description(),
        );
        Self { context, key }
    }

    /// A context from the item of a device, and the name that it announces.
    ///
    /// # Errors
    /// Those of [`PadContext::open`].
    pub fn open(item: &[u8], device_key: &SecretKey) -> Result<(Self, FrameId)> {
        let (context, announced) = PadContext::open(item, device_key)?;
        Ok((Self::new(context, device_key), announced))
    }

    /// The context.
    pub fn context(&self) -> &PadContext {
        &self.context
    }

    /// The context key, for a device that stores it in place of the hash.
    pub fn key(&self) -> &PadKey {
        &self.key
    }

    /// The low 16 bits of a packet's sequence, once its length, context and device are those of this reader.
    ///
    /// # Errors
    /// [`PadError::Field`].
    pub fn counter(&self, packet: &[u8]) -> Result<u16> {
        let context = &self.context;
        if packet.len() != context.packet_bytes() {
            return Err(PadError::field(
                "packet",
                packet.len(),
                context.packet_bytes(),
            ));
        }
        let prefix = PacketPrefix::read(packet)
            .map_err(|error| PadError::field("packet", error, "what its context says"))?;
        if (prefix.context, prefix.device_bytes) != (context.number, context.device_bytes) {
            return Err(PadError::field("context", prefix.context, context.number));
        }
        if let Some(found) = prefix.device.filter(|&found| found != context.device) {
            return Err(PadError::field("device", found, context.device));
        }
        let at = context.head_bytes();
        Ok(u16::from_le_bytes([packet[at - 2], packet[at - 1]]))
    }

    /// The body of an authentic packet of this name.
    ///
    /// # Errors
    /// Those of [`Self::counter`]; [`PadError::Tag`], also for another name.
    pub fn read<'a>(&self, name: FrameId, packet: &'a [u8]) -> Result<&'a [u8]> {
        let counter = self.counter(packet)?;
        let (message, tag) = packet.split_at(packet.len() - usize::from(self.context.tag_bytes));
        let is_named = name.device == self.context.device && name.sequence as u16 == counter;
        if is_named && self.verify(name, message, tag) {
            return Ok(&message[self.context.head_bytes()..]);
        }
        Err(PadError::Tag)
    }

    /// The key of a packet's tag, for a device that is a program.
    pub fn tag_key(&self, name: FrameId) -> Zeroizing<[u8; size::PACKET_KEY]> {
        let sequence = name.sequence;
        let words = [name.epoch, sequence as u32, (sequence >> 32) as u32, 0];
        let mut key = Zeroizing::new([0; size::PACKET_KEY]);
        key.copy_from_slice(&self.key.block(words)[TAG_KEY..TAG_KEY + size::PACKET_KEY]);
        key
    }

    fn verify(&self, name: FrameId, message: &[u8], tag: &[u8]) -> bool {
        let key = self.tag_key(name);
        match tag.len() {
            size::TAG => siphash_128(&key, message)[..].ct_eq(tag).into(),
            length => siphash_64(&key, message)[..length].ct_eq(tag).into(),
        }
    }
}
