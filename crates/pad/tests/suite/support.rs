//! The known answers, and packets as a device makes them.

use isopod_keys::SecretKey;
use isopod_packet::{siphash_128, siphash_64};
use isopod_pad::{PadContext, PadKey, PadMaster, PadReader, PadTree, Pads as _};
use isopod_wire::FrameId;
use serde_json::Value;

pub const DEVICE: u64 = 1001;

/// spec/vectors/pad.json.
pub fn vectors() -> Value {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../spec/vectors/pad.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

pub fn hex_of(value: &Value, field: &str) -> Vec<u8> {
    hex::decode(value[field].as_str().unwrap()).unwrap()
}

fn number(value: &Value, field: &str) -> u64 {
    value[field].as_u64().unwrap()
}

pub fn counting(start: u8) -> [u8; 32] {
    std::array::from_fn(|i| start.wrapping_add(i as u8))
}

pub fn master() -> PadMaster {
    PadMaster::new(PadKey::from_bytes(&counting(0x20)))
}

pub fn device_key(vectors: &Value) -> SecretKey {
    SecretKey::from_bytes(&hex_of(&vectors["sender"], "device_key").try_into().unwrap())
}

/// The context of a record.
pub fn context_of(record: &Value) -> PadContext {
    PadContext {
        key_id: master().key_id(),
        device: DEVICE,
        number: number(record, "number") as u8,
        width: number(record, "width") as u8,
        columns: number(record, "columns") as u16,
        bound: number(record, "bound") as u32,
        packing: hex_of(record, "packing"),
        ratchet: number(record, "ratchet") == 1,
        device_bytes: number(record, "device_bytes") as u8,
        tag_bytes: number(record, "tag_bytes") as u8,
    }
}

/// A small context of a device.
pub fn context(device: u64, width: u8) -> PadContext {
    PadContext {
        key_id: master().key_id(),
        device,
        number: 5,
        width,
        columns: 3,
        bound: 100,
        packing: Vec::new(),
        ratchet: false,
        device_bytes: 2,
        tag_bytes: 8,
    }
}

pub fn name(device: u64, epoch: u32, sequence: u64) -> FrameId {
    FrameId {
        device,
        epoch,
        sequence,
    }
}

/// The packet that a device makes of integers.
pub fn packet(reader: &PadReader, tree: &PadTree, name: FrameId, integers: &[i64]) -> Vec<u8> {
    let context = reader.context();
    let mut bytes = vec![context.number | (context.device_bytes / 2) << 6];
    bytes.extend(&context.device.to_le_bytes()[..context.device_bytes.into()]);
    bytes.extend(&name.sequence.to_le_bytes()[..2]);
    let pads = [0, 1].map(|step| tree.pad(name.epoch, name.sequence + step).unwrap());
    for (column, integer) in integers.iter().enumerate() {
        let hidden = (*integer as u32)
            .wrapping_add(pads[0][column])
            .wrapping_sub(pads[1][column]);
        bytes.extend(&hidden.to_le_bytes()[..context.width.into()]);
    }
    let key = reader.tag_key(name);
    match context.tag_bytes {
        16 => bytes.extend(siphash_128(&key, &bytes)),
        short => bytes.extend(&siphash_64(&key, &bytes)[..short.into()]),
    }
    bytes
}
