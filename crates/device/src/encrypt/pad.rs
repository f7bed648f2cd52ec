//! Packets of pads by the C library (`spec/pad.md`): the context's item, and one packet of integers.

use crate::encrypt::encryptor::pointer_to;
use crate::error::{DeviceError, Result};
use crate::sender::Sender;
use crate::values::Values;
use isopod_sys::*;
use isopod_wire::codes::size::PAD_KEY;
use isopod_wire::{Context, FrameId, KeyId, PadDescription, PadHeader};
use std::ffi::c_int;

/// An open context of pads of one device. Dropping it wipes its keys.
pub struct PadEncryptor {
    description: PadDescription,
    /// Memory that the C library points into: none of it moves.
    open: Box<Open>,
}

struct Open {
    context: isopod_pad_context,
    config: isopod_pad_config,
    keys: isopod_pad_keys,
    key_id: KeyId,
    packing: Option<[u8; 16]>,
}

#[allow(unsafe_code)]
impl PadEncryptor {
    /// Opens a context, with the key that the owner made for the pads of this device. With a ratchet, the context is that of the
    /// sender's epoch.
    ///
    /// Errors: [`DeviceError::Wire`] for a context that no packets have; [`DeviceError::Sender`].
    pub fn new(
        description: &PadDescription,
        key_id: KeyId,
        pad_key: &[u8; PAD_KEY],
        sender: &Sender<'_>,
    ) -> Result<Self> {
        let id = FrameId {
            device: sender.device,
            epoch: sender.epoch,
            sequence: sender.sequence,
        };
        Context::new_pad(&PadHeader {
            key_id,
            id,
            description: *description,
        })?;
        let mut pads = Self {
            description: *description,
            open: Open::new(description, key_id),
        };
        let (open, named) = (&mut *pads.open, sender.named());
        // SAFETY: memory of the box and a sender that outlives the call.
        let derived =
            unsafe { isopod_pad_derive(&mut open.keys, &open.config, &named, pad_key.as_ptr()) };
        check(derived)?;
        if description.ratchet {
            for _ in 1..sender.epoch {
                // SAFETY: a root of the box.
                unsafe { isopod_pad_ratchet(open.keys.root.as_mut_ptr()) };
            }
        }
        // SAFETY: configuration and keys are in the box, as long as the context is.
        check(unsafe { isopod_pad_open(&mut open.context, &open.config, &named, &open.keys) })?;
        Ok(pads)
    }

    /// The item that registers the context at the server, and announces the sender's numbers.
    ///
    /// Errors: [`DeviceError::Sender`] for another sender than that of [`PadEncryptor::new`].
    pub fn announce(&self, sender: &Sender<'_>) -> Result<Vec<u8>> {
        let (mut item, mut length) = (vec![0; ISOPOD_PAD_CONTEXT_MOST], 0);
        let (out, capacity, named) = (item.as_mut_ptr(), item.len(), sender.named());
        // SAFETY: an open context and its sender; at most the capacity is written.
        check(unsafe {
            isopod_pad_announce(&self.open.context, &named, out, capacity, &mut length)
        })?;
        item.truncate(length);
        Ok(item)
    }

    /// Encrypts an integer for each column into one packet. Takes the sender's next sequence number.
    ///
    /// Errors: [`DeviceError::IntegerRange`], [`DeviceError::Columns`]; [`DeviceError::Sender`] for another sender, and for a
    /// sequence or epoch that has no pads.
    pub fn encrypt(&mut self, values: &[i32], sender: &mut Sender<'_>) -> Result<Vec<u8>> {
        let mut named = sender.named();
        let encryptor = isopod_pad_encryptor {
            sender: &raw mut named,
            counter: std::ptr::null_mut(),
        };
        let (mut packet, mut length) = (vec![0; self.open.context.bytes.into()], 0);
        let (out, capacity) = (packet.as_mut_ptr(), packet.len());
        let values = Values::Signed(values);
        let input = values.input();
        // SAFETY: an open context, and values that outlive the call; at most the capacity is written.
        let status = unsafe {
            isopod_pad_encrypt(
                &mut self.open.context,
                &encryptor,
                &input,
                out,
                capacity,
                &mut length,
            )
        };
        sender.sequence = named.sequence;
        match status {
            ISOPOD_OK => Ok(packet),
            ISOPOD_ERROR_VALUE_RANGE => {
                let (index, least, most) = values.first_outside(self.description.bound.into());
                Err(DeviceError::IntegerRange { index, least, most })
            }
            ISOPOD_ERROR_COUNT => Err(DeviceError::Columns {
                found: self.description.columns,
                count: values.len(),
            }),
            other => check(other).map(|()| packet),
        }
    }
}

impl Open {
    /// Memory that points into itself, not opened yet.
    fn new(description: &PadDescription, key_id: KeyId) -> Box<Self> {
        let mut open = Box::new(Self {
            context: isopod_pad_context::default(),
            config: isopod_pad_config {
                key_id: std::ptr::null(),
                packing: std::ptr::null(),
                bound: description.bound,
                columns: description.columns,
                width: description.width,
                ratchet: description.ratchet.into(),
                number: description.number,
                device_bytes: description.form.device_bytes,
                tag_bytes: description.form.tag_bytes,
            },
            keys: isopod_pad_keys::default(),
            key_id,
            packing: description.packing,
        });
        open.config.key_id = open.key_id.as_ptr();
        open.config.packing = pointer_to(&open.packing);
        open
    }
}

#[allow(unsafe_code)]
impl Drop for Open {
    fn drop(&mut self) {
        // SAFETY: a context of this box, open or zeros.
        unsafe { isopod_pad_close(&mut self.context) };
        zeroize::Zeroize::zeroize(&mut self.keys.key[..]);
        zeroize::Zeroize::zeroize(&mut self.keys.root[..]);
    }
}

fn check(status: c_int) -> Result<()> {
    match status {
        ISOPOD_OK => Ok(()),
        ISOPOD_ERROR_PACKET => Err(DeviceError::Packet),
        ISOPOD_ERROR_SENDER => Err(DeviceError::Sender),
        other => Err(DeviceError::Internal(other)),
    }
}
