//! Packets of ten integers of 16 bits that one core verifies and adds in a second.
#![allow(clippy::print_stdout)]

use std::time::Instant;

use isopod_keys::SecretKey;
use isopod_packet::siphash_64;
use isopod_pad::{FoldedSum, PadContext, PadError, PadReader};
use isopod_wire::FrameId;

const PACKETS: u64 = 500_000;

fn main() -> Result<(), PadError> {
    let context = PadContext {
        key_id: [1; 16],
        device: 7,
        number: 0,
        width: 2,
        columns: 10,
        bound: 100,
        packing: Vec::new(),
        ratchet: false,
        device_bytes: 2,
        tag_bytes: 8,
    };
    let reader = PadReader::new(context, &SecretKey::from_bytes(&[3; 32]));
    let packets: Vec<(FrameId, Vec<u8>)> = (0..PACKETS)
        .map(|sequence| packet(&reader, sequence))
        .collect();
    let mut sum = FoldedSum::new(reader.context());
    let started = Instant::now();
    for (name, packet) in &packets {
        sum.add(*name, 1, reader.read(*name, packet)?)?;
    }
    let seconds = started.elapsed().as_secs_f64();
    println!(
        "{:.0} packets a second, in {} run",
        PACKETS as f64 / seconds,
        sum.runs()?.len()
    );
    Ok(())
}

/// A packet of zeros with a true tag.
fn packet(reader: &PadReader, sequence: u64) -> (FrameId, Vec<u8>) {
    let name = FrameId {
        device: 7,
        epoch: 1,
        sequence,
    };
    let mut bytes = vec![1 << 6, 7, 0, sequence as u8, (sequence >> 8) as u8];
    bytes.resize(25, 0);
    let tag = siphash_64(&reader.tag_key(name), &bytes);
    bytes.extend(tag);
    (name, bytes)
}
