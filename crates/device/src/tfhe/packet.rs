//! Packets of TFHE by the C library (`spec/packet.md`, section 9): the context's item, and one packet of values.

use super::encryptor::TfheEncryptor;
use crate::encrypt::encryption::workspace_of;
use crate::encrypt::encryptor::pointer_to;
use crate::encrypt::packet::{
    Announce, Closing, OpenContext, Opening, OpensPackets, PacketContext,
};
use crate::error::Result;
use crate::profile;
use crate::sender::Sender;
use isopod_sys::*;
use isopod_wire::Schema;

impl OpensPackets for isopod_tfhe_packet_context {
    type Config = isopod_tfhe_packet_config;
    const ITEM_BYTES: usize = ISOPOD_TFHE_CONTEXT_MOST;
    const OPEN: Opening<Self, Self::Config> = isopod_tfhe_packet_open;
    const ANNOUNCE: Announce<Self> = isopod_tfhe_packet_announce;
    const CLOSE: Closing<Self> = isopod_tfhe_packet_close;
}

impl TfheEncryptor {
    /// The item that registers a context of packets of this schema at the server, and announces the sender's numbers. The
    /// encryptor streams, under a plain secret key.
    ///
    /// Errors: those of [`TfheEncryptor::encrypt`]; `DeviceError::Packet` for lengths that no packet has, or a device that does
    /// not fit.
    pub fn announce(
        &mut self,
        context: PacketContext,
        schema: &Schema,
        sender: &Sender<'_>,
    ) -> Result<Vec<u8>> {
        let (zeros, named) = (vec![0; schema.values()], sender.named());
        self.with_values(schema, &zeros, |encryptor, values| {
            let config = encryptor.packet_config(context, values);
            let open = OpenContext::<isopod_tfhe_packet_context>::new(&config, &named)?;
            open.item(&named)
        })
    }

    /// Encrypts one message into a packet: the schema's values, in order. Takes the sender's next sequence number, unless names
    /// are random.
    ///
    /// Errors: those of [`TfheEncryptor::announce`]; `DeviceError::Sender`; `DeviceError::Entropy`.
    #[allow(unsafe_code)]
    pub fn encrypt_packet(
        &mut self,
        context: PacketContext,
        (schema, values): (&Schema, &[i128]),
        sender: &mut Sender<'_>,
    ) -> Result<Vec<u8>> {
        let mut packet = Vec::new();
        let mut named = sender.named();
        let encrypted = self.with_values(schema, values, |encryptor, values| {
            let config = encryptor.packet_config(context, values);
            let open = OpenContext::<isopod_tfhe_packet_context>::new(&config, &named)?;
            let (coefficients, bytes) = (open.context.coefficients, open.context.bytes);
            let words = workspace_bytes(coefficients.into(), encryptor.set.word_bytes());
            encryptor.workspace.resize(words.div_ceil(8), 0);
            packet.resize(bytes.into(), 0);
            let with = isopod_packet_encryptor {
                workspace: workspace_of(&mut encryptor.workspace),
                entropy: encryptor.entropy.pointer(),
                sender: &raw mut named,
                counter: std::ptr::null_mut(),
            };
            let (out, capacity, mut length) = (packet.as_mut_ptr(), packet.len(), 0);
            // SAFETY: an open context, memory and values that outlive the call; at most the capacity is written.
            let status = unsafe {
                isopod_tfhe_packet_encrypt(&open.context, &with, values, out, capacity, &mut length)
            };
            match status {
                ISOPOD_OK => Ok(()),
                status => Err(status),
            }
        });
        sender.sequence = named.sequence;
        encrypted.map(|()| packet)
    }

    fn packet_config(
        &self,
        context: PacketContext,
        schema: &isopod_tfhe_values,
    ) -> isopod_tfhe_packet_config {
        isopod_tfhe_packet_config {
            params: self.params,
            key: self.key.pointer(),
            schema,
            packing: pointer_to(&self.encoding.packing),
            columns: self.encoding.columns,
            accept_label: profile::label(self.encoding.accept_label),
            number: context.number,
            naming: context.form.naming.number(),
            device_bytes: context.form.device_bytes,
            tag_bytes: context.form.tag_bytes,
        }
    }
}

/// ISOPOD_TFHE_PACKET_WORKSPACE.
fn workspace_bytes(coefficients: usize, word_bytes: usize) -> usize {
    PACKET_STATE_BYTES + coefficients.div_ceil(32) * (32 * word_bytes + 8)
}

/// ISOPOD_PACKET_STATE_BYTES of a host.
const PACKET_STATE_BYTES: usize = 296;
