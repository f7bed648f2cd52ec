//! `isopod inspect` on pads.

use isopod_wire::{AnySet, PadDescription, PadHeader, PadPartial, PadResult};
use serde_json::{json, Value};

use crate::inspect::tfhe_facts;

/// The facts of a packet of pads.
pub fn packet(header: &PadHeader) -> Value {
    let mut facts = description(&header.description);
    facts["device"] = header.id.device.into();
    facts["epoch"] = header.id.epoch.into();
    facts["sequence"] = header.id.sequence.into();
    facts
}

/// The facts of a context of pads.
pub fn description(of: &PadDescription) -> Value {
    json!({"set": AnySet::Pads.name(), "bytes_per_integer": of.width,
        "columns": of.columns, "bound": of.bound, "ratchet": of.ratchet,
        "packing": tfhe_facts::packing(of.packing)})
}

/// The facts of a partial state of pads.
pub fn partial(state: &PadPartial) -> Value {
    let sum = &state.sum;
    json!({"item": "partial state of pads", "set": AnySet::Pads.name(), "label": AnySet::Pads.label().name(),
        "job": state.job, "columns": sum.sums.len(), "contexts": sum.contexts.len(), "runs": sum.runs.len(),
        "packing": tfhe_facts::packing(sum.packing())})
}

/// The facts of a result of pads.
pub fn result(result: &PadResult) -> Value {
    let sum = &result.sum;
    let own = json!({"item": "result of pads", "set": AnySet::Pads.name(),
        "label": AnySet::Pads.label().name(), "columns": sum.sums.len(), "contexts": sum.contexts.len(),
        "runs": sum.runs.len()});
    tfhe_facts::with_provenance(own, &result.provenance)
}
