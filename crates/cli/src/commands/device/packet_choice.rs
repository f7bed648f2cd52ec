//! Packets in place of frames: their context, and how long their fields are.

use anyhow::{ensure, Result};
use clap::Args;
use isopod_wire::{AnySet, Naming, PacketForm};
use isopod_workflow::PacketContext;

/// Packets in place of frames.
#[derive(Debug, Clone, Default, Args)]
pub struct PacketChoice {
    /// Write packets of a radio in place of frames, by secret key: a context of this number, 0 to 63, and behind it a packet of
    /// each row [default under pads: 0]
    #[arg(long, value_name = "NUMBER", conflicts_with_all = ["layout", "suite", "level"])]
    pub packets: Option<u8>,
    /// Bytes of the device's number in a packet: 0 where the transport names the sender, 2 or 4
    #[arg(long, value_name = "BYTES", default_value_t = 4)]
    pub device_bytes: u8,
    /// Bytes of the tag of a packet: 4, 8 or 16
    #[arg(long, value_name = "BYTES", default_value_t = 8)]
    pub tag_bytes: u8,
}

impl PacketChoice {
    /// The context of packets of so many rows, if there are to be packets. All of them have the same number of rows.
    pub fn context(
        &self,
        set: AnySet,
        rows: usize,
        rows_per_packet: usize,
    ) -> Result<Option<PacketContext>> {
        let of_pads = (set == AnySet::Pads).then_some(0);
        let Some(number) = self.packets.or(of_pads) else {
            return Ok(None);
        };
        ensure!(
            rows.is_multiple_of(rows_per_packet),
            "--rows-per-frame: {rows_per_packet}, of {rows} rows; allowed with --packets is a number that divides them"
        );
        Ok(Some(PacketContext {
            number,
            form: PacketForm {
                naming: Naming::Sequence,
                device_bytes: self.device_bytes,
                tag_bytes: self.tag_bytes,
            },
            rows: u16::try_from(rows_per_packet).unwrap_or(u16::MAX),
        }))
    }
}
