//! Pads as ciphertexts of TFHE: with them, a server turns packets of pads into ciphertexts (`spec/pad.md`, section 9).

use isopod_pad::{OwnerPads, PadPlace, Pads as _};
use isopod_wire::{Label, Layout, PadRange, Schema};
use zeroize::Zeroize as _;

use crate::owner::pad_sums::{pad_master, range};
use crate::server::accumulate::pads::pad_type;
use crate::{
    AnySuite, Choices, Contents, Device, Error, Message, Owner, PadChoice, PadSpan, Result,
};

impl Owner {
    /// Encrypts minus the pads of each packet of a range, under the TFHE key that `device` encrypts with: a frame for each
    /// packet, with its name, in order. `context` is that of the packets.
    ///
    /// # Errors
    /// Those of [`Owner::grant`]; [`Error::Parameter`] for integers of 24 bits, and a device of another number;
    /// [`Error::Device`].
    pub fn encrypt_pads<'d>(
        &self,
        context: &[u8],
        span: &PadSpan,
        device: &'d Device,
    ) -> Result<impl Iterator<Item = Result<Vec<u8>>> + 'd> {
        let range = range(self.keys(), context, span)?;
        let description = range.description;
        let Some(of) = pad_type(description.width) else {
            let problem = "3; allowed are 2 and 4, which types of TFHE have";
            return Err(Error::parameter("bytes of an integer", problem));
        };
        if device.number() != range.device {
            let problem = format!("{}; allowed is {}", device.number(), range.device);
            return Err(Error::parameter("device", problem));
        }
        let contents = Contents {
            columns: description.columns,
            packing: description.packing,
            ..Contents::default()
        };
        let mut sender = device.sender(&CHOICES, &contents, range.epoch, range.first.into())?;
        let schema = Schema::of_values(vec![of; description.columns.into()])?;
        let mut pads = OwnerPads::new(pad_master(self.keys())?);
        Ok((range.first..range.last).map(move |sequence| {
            let values = minus_pads(&mut pads, &range, sequence)?;
            let mut message = Message::Typed(schema.clone(), values);
            let parts = sender.frame(&message);
            if let Message::Typed(_, values) = &mut message {
                values.zeroize();
            }
            Ok(parts?.concat())
        }))
    }
}

/// Settings of frames of TFHE; the others are of other schemes.
const CHOICES: Choices = Choices {
    scale_bits: None,
    bound_bits: 0,
    suite: AnySuite::Chacha20,
    level: 0,
    layout: Layout::Slots,
    precision: None,
    grid_bits: None,
    whole_bodies: false,
    has_column_tag: false,
    pad: PadChoice::USUAL,
    accept_label: Label::Bits128,
};

/// The pad behind a packet less that of the packet, in two's complement.
fn minus_pads(pads: &mut OwnerPads, range: &PadRange, sequence: u32) -> Result<Vec<i128>> {
    let mut pad = |sequence| {
        pads.pad(&PadPlace {
            description: &range.description,
            device: range.device,
            epoch: range.epoch,
            sequence,
        })
    };
    let (first, after) = (pad(sequence.into())?, pad(u64::from(sequence) + 1)?);
    let unused = 32 - 8 * u32::from(range.description.width);
    let signed = |value: u32| i128::from((value << unused) as i32 >> unused);
    let minus = first.iter().zip(&*after);
    Ok(minus
        .map(|(first, after)| signed(after.wrapping_sub(*first)))
        .collect())
}
