//! A context whose tag was verified, with the key of its packets.

use std::ops::RangeInclusive;

use isopod_wire::{Context, DeviceItem, FrameId, Naming, Packet, WireError};

use crate::derived::{ContextKey, PacketKeys};
use crate::tag::verify;
use crate::window::Windows;
use crate::Result;

/// A context at the server.
pub struct Registered {
    context: Context,
    key: ContextKey,
    /// The item, as it is kept.
    pub(crate) item: Vec<u8>,
}

impl Registered {
    pub(crate) fn new(context: Context, key: ContextKey, item: &[u8]) -> Self {
        Self {
            context,
            key,
            item: item.to_vec(),
        }
    }

    /// The context.
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// The epoch of the first name that it counts for.
    pub(crate) fn begin(&self) -> u32 {
        self.context.announced().epoch
    }

    /// The name of a packet, in one of these windows and epochs.
    ///
    /// # Errors
    /// [`WireError::Length`], [`WireError::OutOfRange`] for the packet of another context; [`WireError::Tag`] if its tag is false
    /// in every window.
    pub fn name(
        &self,
        windows: Windows,
        epochs: &RangeInclusive<u32>,
        packet: &[u8],
    ) -> Result<FrameId> {
        let packet = self.context.split(packet)?;
        let authentic = windows
            .each()
            .filter(|window| epochs.contains(&window.epoch))
            .filter_map(|window| {
                self.candidate(
                    window.epoch,
                    || window.restore(packet.counter as u16),
                    &packet,
                )
            })
            .find(|&name| self.keys_of(name, &packet).is_some());
        Ok(authentic.ok_or(WireError::Tag)?)
    }

    /// The frame of a packet of this name.
    ///
    /// # Errors
    /// Those of [`Registered::name`]; [`WireError::Tag`] for a name that the packet cannot have, too.
    pub fn open<'a>(&self, name: FrameId, packet: &'a [u8]) -> isopod_wire::Result<DeviceItem<'a>> {
        let packet = self.context.split(packet)?;
        let candidate = self.candidate(name.epoch, || Some(name.sequence), &packet);
        if candidate != Some(name) || name.is_random() != self.is_random() {
            return Err(WireError::Tag);
        }
        let keys = self.keys_of(name, &packet).ok_or(WireError::Tag)?;
        self.context.frame(name, &keys.mask_seed, packet.body)
    }

    /// Whether packets have random names.
    pub(crate) fn is_random(&self) -> bool {
        self.context.form().naming == Naming::Random
    }

    /// The only name that a packet can have in an epoch.
    fn candidate(
        &self,
        epoch: u32,
        restored: impl FnOnce() -> Option<u64>,
        packet: &Packet<'_>,
    ) -> Option<FrameId> {
        let sequence = match self.context.form().naming {
            Naming::Sequence => {
                restored().filter(|sequence| sequence % 65_536 == packet.counter)?
            }
            Naming::Random => {
                FrameId::RANDOM | u64::from(self.context.number()) << 32 | packet.counter
            }
        };
        Some(FrameId {
            device: self.context.device(),
            epoch,
            sequence,
        })
    }

    /// The keys of a name, if the tag is that of the packet under them.
    fn keys_of(&self, name: FrameId, packet: &Packet<'_>) -> Option<PacketKeys> {
        let keys = self.key.packet_keys(name);
        verify(&keys.tag_key, packet.message, packet.tag).then_some(keys)
    }
}
