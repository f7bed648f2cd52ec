//! The known answers, and packets as a device makes them.

use isopod_keys::{PadMaster, SecretKey};
use isopod_packet::{siphash_128, siphash_64, ContextKey};
use isopod_pad::{OwnerPads, PadPlace, Pads as _};
use isopod_wire::{
    Context, FrameId, KeyId, Naming, PacketForm, PadDescription, PadFrame, PadHeader,
};
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

pub fn master() -> PadMaster {
    let counting: [u8; 32] = std::array::from_fn(|i| 0x20 + i as u8);
    PadMaster::new(SecretKey::from_bytes(&counting))
}

pub fn key_id() -> KeyId {
    master().key_id()
}

pub fn pads() -> OwnerPads {
    OwnerPads::new(master())
}

pub fn device_key(vectors: &Value) -> SecretKey {
    SecretKey::from_bytes(&hex_of(&vectors["sender"], "device_key").try_into().unwrap())
}

/// The context of a record.
pub fn description_of(record: &Value) -> PadDescription {
    let packing = hex_of(record, "packing");
    PadDescription {
        number: number(record, "number") as u8,
        width: number(record, "width") as u8,
        columns: number(record, "columns") as u16,
        bound: number(record, "bound") as u32,
        packing: (!packing.is_empty()).then(|| packing.try_into().unwrap()),
        ratchet: number(record, "ratchet") == 1,
        form: PacketForm {
            naming: Naming::Sequence,
            device_bytes: number(record, "device_bytes") as u8,
            tag_bytes: number(record, "tag_bytes") as u8,
        },
    }
}

/// A small context.
pub fn small(width: u8) -> PadDescription {
    PadDescription {
        number: 5,
        width,
        columns: 3,
        bound: 100,
        packing: None,
        ratchet: false,
        form: PacketForm {
            naming: Naming::Sequence,
            device_bytes: 2,
            tag_bytes: 8,
        },
    }
}

pub fn name(device: u64, epoch: u32, sequence: u64) -> FrameId {
    FrameId {
        device,
        epoch,
        sequence,
    }
}

pub fn header(description: PadDescription, id: FrameId) -> PadHeader {
    PadHeader {
        key_id: key_id(),
        id,
        description,
    }
}

pub fn place(description: &PadDescription, id: FrameId) -> PadPlace<'_> {
    PadPlace {
        description,
        device: id.device,
        epoch: id.epoch,
        sequence: id.sequence,
    }
}

/// The body that a device makes of integers.
pub fn body(header: &PadHeader, integers: &[i64]) -> Vec<u8> {
    let (id, mut pads) = (header.id, pads());
    let mut pad = |step| {
        let at = name(id.device, id.epoch, id.sequence + step);
        pads.pad(&place(&header.description, at)).unwrap()
    };
    let (first, after) = (pad(0), pad(1));
    let mut bytes = Vec::new();
    for (column, integer) in integers.iter().enumerate() {
        let hidden = (*integer as u32)
            .wrapping_add(first[column])
            .wrapping_sub(after[column]);
        bytes.extend(&hidden.to_le_bytes()[..header.description.width.into()]);
    }
    bytes
}

/// The packet that a server opened.
pub fn frame(header: &PadHeader, integers: &[i64]) -> PadFrame {
    PadFrame::read(*header, &body(header, integers)).unwrap()
}

/// The packet that a device sends.
pub fn packet(device_key: &SecretKey, header: &PadHeader, integers: &[i64]) -> Vec<u8> {
    let (id, form) = (header.id, header.description.form);
    let mut bytes = vec![header.description.number | (form.device_bytes / 2) << 6];
    bytes.extend(&id.device.to_le_bytes()[..form.device_bytes.into()]);
    bytes.extend(&id.sequence.to_le_bytes()[..2]);
    bytes.extend(body(header, integers));
    let context = Context::new_pad(header).unwrap();
    let key = ContextKey::new(device_key, &context)
        .packet_keys(id)
        .tag_key;
    match form.tag_bytes {
        16 => bytes.extend(siphash_128(&key, &bytes)),
        short => bytes.extend(&siphash_64(&key, &bytes)[..short.into()]),
    }
    bytes
}
