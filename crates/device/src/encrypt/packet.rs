//! Packets of radios by the C library (`spec/packet.md`): the context's item, and one packet of values.

use crate::encrypt::encryption::workspace_of;
use crate::encrypt::encryptor::{pointer_to, Encryptor};
use crate::error::{DeviceError, Result};
use crate::profile;
use crate::sender::Sender;
use crate::values::Values;
use isopod_sys::*;
use isopod_wire::{PacketForm, Scheme};
use std::ffi::c_int;

/// Largest integer of a real value in a packet, as log2.
const LOG2_INTEGER: i8 = 30;
/// Smallest and largest unit of these integers, as log2.
const LOG2_UNITS: std::ops::RangeInclusive<i8> = -31..=31;

/// A context of packets: everything that they have in common beside the encoding of an encryptor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PacketContext {
    /// Number of the context, below 64.
    pub number: u8,
    /// Lengths of a packet's fields.
    pub form: PacketForm,
    /// Rows of a packet, at least 1.
    pub rows: u16,
}

/// C function that opens a context with a configuration for a sender.
pub(crate) type Opening<C, F> =
    unsafe extern "C" fn(*mut C, *const F, *const isopod_sender) -> c_int;
/// C function that writes a context's item into memory of a given length.
pub(crate) type Announce<C> =
    unsafe extern "C" fn(*const C, *const isopod_sender, *mut u8, usize, *mut usize) -> c_int;
/// C function that wipes a context.
pub(crate) type Closing<C> = unsafe extern "C" fn(*mut C);

/// A context of the C library, and the calls that open, announce and close it.
pub(crate) trait OpensPackets: Default {
    type Config;
    /// Most bytes of its item.
    const ITEM_BYTES: usize;
    const OPEN: Opening<Self, Self::Config>;
    const ANNOUNCE: Announce<Self>;
    const CLOSE: Closing<Self>;
}

impl OpensPackets for isopod_packet_context {
    type Config = isopod_packet_config;
    const ITEM_BYTES: usize = ISOPOD_CONTEXT_MOST;
    const OPEN: Opening<Self, Self::Config> = isopod_packet_open;
    const ANNOUNCE: Announce<Self> = isopod_packet_announce;
    const CLOSE: Closing<Self> = isopod_packet_close;
}

/// An open context; dropping it wipes its key.
pub(crate) struct OpenContext<'a, C: OpensPackets> {
    pub(crate) context: C,
    _config: &'a C::Config,
}

#[allow(unsafe_code)]
impl<'a, C: OpensPackets> OpenContext<'a, C> {
    /// Opens a context for a sender.
    ///
    /// Errors: the C library's status.
    pub(crate) fn new(
        config: &'a C::Config,
        sender: &isopod_sender,
    ) -> std::result::Result<Self, c_int> {
        let mut context = C::default();
        // SAFETY: configuration, its parts and the sender outlive the call, and the configuration the context.
        match unsafe { C::OPEN(&mut context, config, sender) } {
            ISOPOD_OK => Ok(Self {
                context,
                _config: config,
            }),
            status => Err(status),
        }
    }

    /// The item that registers the context and announces the sender's numbers.
    ///
    /// Errors: the C library's status.
    pub(crate) fn item(&self, sender: &isopod_sender) -> std::result::Result<Vec<u8>, c_int> {
        let (mut item, mut length) = (vec![0; C::ITEM_BYTES], 0);
        let (out, capacity) = (item.as_mut_ptr(), item.len());
        // SAFETY: an open context and its sender; at most the capacity is written.
        match unsafe { C::ANNOUNCE(&self.context, sender, out, capacity, &mut length) } {
            ISOPOD_OK => {
                item.truncate(length);
                Ok(item)
            }
            status => Err(status),
        }
    }
}

#[allow(unsafe_code)]
impl<C: OpensPackets> Drop for OpenContext<'_, C> {
    fn drop(&mut self) {
        // SAFETY: an open context.
        unsafe { C::CLOSE(&mut self.context) }
    }
}

impl Encryptor {
    /// The item that registers a context at the server, and announces the sender's numbers. The encryptor has a secret key, and
    /// rows of rounded coefficients.
    ///
    /// Errors: those of the encoding; [`DeviceError::Packet`] for lengths that no packet has, or a device that does not fit;
    /// [`DeviceError::Sender`].
    pub fn announce(&mut self, context: PacketContext, sender: &Sender<'_>) -> Result<Vec<u8>> {
        let (config, named) = (self.packet_config(context), sender.named());
        OpenContext::<isopod_packet_context>::new(&config, &named)
            .and_then(|open| open.item(&named))
            .map_err(|status| self.packet_error(status, Values::Signed(&[])))
    }

    /// Encrypts the values of all rows into one packet. Takes the sender's next sequence number, unless names are random.
    ///
    /// Errors: those of [`Encryptor::announce`] and [`Encryptor::encrypt_values`]; [`DeviceError::Count`] for other than
    /// rows * columns values.
    pub fn encrypt_packet(
        &mut self,
        context: PacketContext,
        values: Values<'_>,
        sender: &mut Sender<'_>,
    ) -> Result<Vec<u8>> {
        self.check(values)?;
        let packet = match values {
            Values::Real(numbers) => {
                let integers = self.integers(numbers)?;
                self.packet(context, Values::Signed(&integers), sender)
            }
            integers => self.packet(context, integers, sender),
        };
        packet.map_err(|status| self.packet_error(status, values))
    }

    #[allow(unsafe_code)]
    fn packet(
        &mut self,
        context: PacketContext,
        values: Values<'_>,
        sender: &mut Sender<'_>,
    ) -> std::result::Result<Vec<u8>, c_int> {
        let (config, mut named) = (self.packet_config(context), sender.named());
        let open = OpenContext::<isopod_packet_context>::new(&config, &named)?;
        let encryptor = isopod_packet_encryptor {
            workspace: workspace_of(&mut self.workspace),
            entropy: self.entropy.pointer(),
            sender: &raw mut named,
            counter: std::ptr::null_mut(),
        };
        let (mut packet, mut length) = (vec![0; open.context.bytes.into()], 0);
        let (out, capacity) = (packet.as_mut_ptr(), packet.len());
        let input = values.input();
        // SAFETY: an open context, memory and values that outlive the call; at most the capacity is written.
        let status = unsafe {
            isopod_packet_encrypt(
                &open.context,
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
            status => Err(status),
        }
    }

    /// Real values as integers of 31 bits, in units of [`Encryptor::log2_unit`].
    fn integers(&self, values: &[f64]) -> Result<Vec<i32>> {
        let unit = f64::from(self.log2_unit()).exp2();
        let most = f64::from(self.encoding.log2_bound).exp2();
        let integer = |(index, value): (usize, &f64)| match value.is_finite() {
            false => Err(DeviceError::NotFinite(index)),
            true if value.abs() > most => Err(DeviceError::ValueRange {
                index,
                log2_bound: self.encoding.log2_bound,
            }),
            true => Ok((value / unit).round() as i32),
        };
        values.iter().enumerate().map(integer).collect()
    }

    fn log2_unit(&self) -> i8 {
        let unit = self.encoding.log2_bound.saturating_sub(LOG2_INTEGER);
        unit.clamp(*LOG2_UNITS.start(), *LOG2_UNITS.end())
    }

    fn packet_config(&self, context: PacketContext) -> isopod_packet_config {
        let (encoding, claims) = (&self.encoding, &self.encoding.claims);
        let rows = self.rows.map_or((0, 0, 0), |rows| {
            let by = rows.rounding;
            (rows.columns as u16, by.run as u16, by.dropped[0])
        });
        let (columns, run, dropped) = rows;
        isopod_packet_config {
            params: self.tables.params,
            key: self.key.pointer(),
            scheme: match self.set.scheme() {
                Scheme::Ckks => &raw const isopod_packet_ckks,
                Scheme::Bfv => &raw const isopod_packet_bfv,
            },
            method: &raw const isopod_packet_by_count,
            tables: &self.tables.tables,
            packing: pointer_to(&claims.packing),
            bound: claims.bound,
            columns,
            rows: context.rows,
            stride: claims.stride as u16,
            run,
            buckets: claims.buckets as u16,
            log2_scale: encoding.log2_scale,
            log2_bound: encoding.log2_bound,
            log2_unit: match self.set.scheme() {
                Scheme::Ckks => self.log2_unit(),
                Scheme::Bfv => 0,
            },
            dropped,
            accept_label: profile::label(encoding.accept_label),
            number: context.number,
            naming: context.form.naming.number(),
            device_bytes: context.form.device_bytes,
            tag_bytes: context.form.tag_bytes,
        }
    }

    fn packet_error(&self, status: c_int, values: Values<'_>) -> DeviceError {
        match status {
            ISOPOD_ERROR_PACKET => DeviceError::Packet,
            status => self.error(status, values),
        }
    }
}
