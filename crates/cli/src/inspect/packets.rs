//! `isopod inspect` on contexts and packets.

use anyhow::{anyhow, Result};
use isopod_wire::{
    sets, AnySet, Context, DeviceItem, Naming, PacketHeader, PacketPrefix, StoredPacket, TFHE_SETS,
};
use serde_json::{json, Value};

use crate::inspect::facts::of_part;
use crate::inspect::{pads, tfhe_facts};

/// The facts of a packet on its way; without its context, these are all.
pub fn packet(sender: Option<u64>, packet: &[u8]) -> Result<Value> {
    let prefix = PacketPrefix::read(packet)?;
    let device = prefix.device.or(sender);
    Ok(
        json!({"item": "packet", "context": prefix.context, "device": device,
        "packet_bytes": packet.len()}),
    )
}

/// The facts of the frame that a packet stands for.
pub fn opened(item: &DeviceItem<'_>) -> Result<Value> {
    let mut facts = match item {
        DeviceItem::Part(part) => of_part(part.clone())?,
        DeviceItem::Frame(frame) => tfhe_facts::of_frame(&frame.header, frame.header.params.name),
        DeviceItem::Pad(frame) => pads::packet(&frame.header),
    };
    facts["item"] = "packet".into();
    Ok(facts)
}

/// The facts of a packet as it is stored.
pub fn stored(stored: &StoredPacket<'_>) -> Result<Value> {
    let mut facts = packet(Some(stored.name.device), stored.packet)?;
    facts["epoch"] = stored.name.epoch.into();
    facts["sequence"] = stored.name.sequence.into();
    Ok(facts)
}

/// The facts of a context, with its set; that of TFHE follows from the key, so the first one that fits is shown.
pub fn context(item: &[u8]) -> Result<Value> {
    let rns = sets().map(AnySet::Rns);
    let all = [AnySet::Pads].into_iter().chain(rns);
    let all = all.chain(TFHE_SETS.iter().map(AnySet::Tfhe));
    let mut refusal = anyhow!("context: of no set");
    for set in all {
        match Context::open(item, set, |_, _, _| true) {
            Ok(context) => return facts(&context),
            Err(error) => refusal = error.into(),
        }
    }
    Err(refusal)
}

fn facts(context: &Context) -> Result<Value> {
    let (form, announced) = (context.form(), context.announced());
    let named_by = match form.naming {
        Naming::Sequence => "sequence",
        Naming::Random => "random",
    };
    let mut facts = json!({"item": "context", "device": announced.device, "context": context.number(),
        "named_by": named_by, "device_bytes": form.device_bytes, "tag_bytes": form.tag_bytes,
        "packet_bytes": context.packet_bytes()?, "epoch": announced.epoch, "first": announced.sequence});
    match context.header() {
        PacketHeader::Rns(header) => {
            facts["set"] = header.params.name.into();
            facts["log2_scale"] = header.log2_scale.into();
            facts["bound"] = header.claims.largest(header.params).into();
            facts["rows"] = header.grid().rows.into();
            facts["columns"] = header.grid().columns.into();
            facts["dropped"] = header.rounding.map(|by| by.dropped[0]).into();
            facts["packing"] = tfhe_facts::packing(header.claims.packing).into();
        }
        PacketHeader::Tfhe(header) => {
            facts["set"] = header.params.name.into();
            facts["holds"] = tfhe_facts::schema(&header.schema).into();
            facts["columns"] = header.columns.into();
            facts["packing"] = tfhe_facts::packing(header.packing).into();
        }
        PacketHeader::Pad(header) => {
            let described = pads::description(&header.description);
            if let (Value::Object(facts), Value::Object(described)) = (&mut facts, described) {
                facts.extend(described);
            }
        }
    }
    Ok(facts)
}
