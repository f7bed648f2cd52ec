//! Packets of pads: integers of a device, in a context that counts from the first packet on.

use isopod_device::{PacketContext, PadEncryptor, Sender};
use isopod_wire::codes::size::PAD_KEY;
use isopod_wire::{KeyId, PackingId, PadDescription};
use zeroize::Zeroizing;

use crate::{Error, Result};

/// How integers lie in packets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PadChoice {
    /// Bytes of an integer: 2, 3 or 4. Sums stay below half of what they hold.
    pub width: u8,
    /// Each epoch has a root of its own, so that a device forgets what it sent.
    pub ratchet: bool,
}

impl PadChoice {
    /// Integers of two bytes, without a ratchet.
    pub const USUAL: Self = Self {
        width: 2,
        ratchet: false,
    };
}

/// Contents of packets.
#[derive(Clone, Copy)]
pub(crate) struct PadContents {
    pub choice: PadChoice,
    /// log2 of the bound.
    pub bound_bits: i8,
    pub columns: u16,
    pub packing: Option<PackingId>,
}

/// Encrypts integers of a device.
pub(crate) struct PadSender {
    key_id: KeyId,
    pad_key: Zeroizing<[u8; PAD_KEY]>,
    contents: PadContents,
    /// The context of the packets so far.
    open: Option<(PacketContext, PadEncryptor)>,
}

impl PadSender {
    pub fn new(key_id: KeyId, pad_key: &[u8], contents: PadContents) -> Result<Self> {
        let pad_key = pad_key.try_into();
        let pad_key = pad_key.map_err(|_| Error::OtherScheme { item: "key" })?;
        Ok(Self {
            key_id,
            pad_key: Zeroizing::new(pad_key),
            contents,
            open: None,
        })
    }

    /// The item of the context, which announces the sender's numbers.
    pub fn announce(&mut self, context: PacketContext, sender: &Sender<'_>) -> Result<Vec<u8>> {
        Ok(self.opened(context, sender)?.announce(sender)?)
    }

    /// The packet of an integer for each column.
    pub fn packet(
        &mut self,
        context: PacketContext,
        values: &[i32],
        sender: &mut Sender<'_>,
    ) -> Result<Vec<u8>> {
        Ok(self.opened(context, sender)?.encrypt(values, sender)?)
    }

    fn opened(&mut self, context: PacketContext, sender: &Sender<'_>) -> Result<&mut PadEncryptor> {
        let open = match self.open.take() {
            Some(open) if open.0 == context => open,
            _ => {
                let PadContents {
                    choice,
                    bound_bits,
                    columns,
                    packing,
                } = self.contents;
                let description = PadDescription {
                    number: context.number,
                    width: choice.width,
                    columns,
                    // Beyond 32 bits, the bound of the width is named.
                    bound: f64::from(bound_bits).exp2().max(1.0) as u32,
                    packing,
                    ratchet: choice.ratchet,
                    form: context.form,
                };
                let key = &self.pad_key;
                let encryptor = PadEncryptor::new(&description, self.key_id, key, sender)?;
                (context, encryptor)
            }
        };
        Ok(&mut self.open.insert(open).1)
    }
}
