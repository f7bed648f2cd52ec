//! A context whose tag was verified, with the key of its packets.

use std::ops::RangeInclusive;

use isopod_wire::{Context, FrameId, Naming, Packet, RoundedFrame, WireError};

use crate::derived::{ContextKey, PacketKeys};
use crate::tag::verify;
use crate::window::Windows;
use crate::Result;

/// Sequences of random counters begin here, with the context's number above the counter.
const RANDOM_NAMES: u64 = 1 << 63;

/// A context at the server.
pub struct Registered {
    context: Context,
    key: ContextKey,
    /// Packets with random counters that were stored.
    pub(crate) random: usize,
}

impl Registered {
    pub(crate) fn new(context: Context, key: ContextKey) -> Self {
        Self {
            context,
            key,
            random: 0,
        }
    }

    /// The context.
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// The frame of a packet, in one of these windows and epochs.
    ///
    /// # Errors
    /// [`WireError::Length`], [`WireError::OutOfRange`] for the packet of another context; [`WireError::Tag`] if its tag is false
    /// in every window; [`WireError::ResidueRange`], [`WireError::NotCanonical`].
    pub fn open(
        &self,
        windows: Windows,
        epochs: &RangeInclusive<u32>,
        packet: &[u8],
    ) -> Result<RoundedFrame> {
        let packet = self.context.split(packet)?;
        let authentic = windows
            .each()
            .filter(|window| epochs.contains(&window.epoch))
            .filter_map(|window| {
                self.name(
                    window.epoch,
                    || window.restore(packet.counter as u16),
                    &packet,
                )
            })
            .find_map(|name| self.keys_of(name, &packet).map(|keys| (name, keys)));
        let (name, keys) = authentic.ok_or(WireError::Tag)?;
        Ok(self.context.frame(name, &keys.mask_seed, packet.body)?)
    }

    /// The name of a packet in an epoch.
    fn name(
        &self,
        epoch: u32,
        restored: impl FnOnce() -> Option<u64>,
        packet: &Packet<'_>,
    ) -> Option<FrameId> {
        let sequence = match self.context.form().naming {
            Naming::Sequence => restored()?,
            Naming::Random => {
                RANDOM_NAMES | u64::from(self.context.number()) << 32 | packet.counter
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
