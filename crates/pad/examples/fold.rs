//! Packets of ten integers of 16 bits that one core verifies and adds in a second.
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::time::Instant;

use isopod_keys::SecretKey;
use isopod_packet::{siphash_64, ContextKey};
use isopod_pad::PadAccumulator;
use isopod_wire::{
    Context, FrameId, Naming, PacketForm, PadDescription, PadFrame, PadHeader, WireError,
};

const PACKETS: u64 = 500_000;

fn main() -> Result<(), Box<dyn Error>> {
    let header = PadHeader {
        key_id: [1; 16],
        id: FrameId {
            device: 7,
            epoch: 1,
            sequence: 0,
        },
        description: PadDescription {
            number: 0,
            width: 2,
            columns: 10,
            bound: 100,
            packing: None,
            ratchet: false,
            form: PacketForm {
                naming: Naming::Sequence,
                device_bytes: 2,
                tag_bytes: 8,
            },
        },
    };
    let context = Context::new_pad(&header)?;
    let key = ContextKey::new(&SecretKey::from_bytes(&[3; 32]), &context);
    let packets: Vec<(FrameId, Vec<u8>)> = (0..PACKETS)
        .map(|sequence| {
            packet(
                &key,
                FrameId {
                    sequence,
                    ..header.id
                },
            )
        })
        .collect();
    let mut sum = PadAccumulator::default();
    let started = Instant::now();
    for (id, packet) in &packets {
        let split = context.split(packet)?;
        if siphash_64(&key.packet_keys(*id).tag_key, split.message) != split.tag {
            return Err(WireError::Tag.into());
        }
        let header = PadHeader { id: *id, ..header };
        sum.add(&PadFrame::read(header, split.body)?, 1)?;
    }
    let seconds = started.elapsed().as_secs_f64();
    println!(
        "{:.0} packets a second, {} in all",
        PACKETS as f64 / seconds,
        sum.packets()
    );
    Ok(())
}

/// A packet of zeros with a true tag.
fn packet(key: &ContextKey, id: FrameId) -> (FrameId, Vec<u8>) {
    let sequence = id.sequence;
    let mut bytes = vec![1 << 6, 7, 0, sequence as u8, (sequence >> 8) as u8];
    bytes.resize(25, 0);
    let tag = siphash_64(&key.packet_keys(id).tag_key, &bytes);
    bytes.extend(tag);
    (id, bytes)
}
