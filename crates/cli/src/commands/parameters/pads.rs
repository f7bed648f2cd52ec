//! `isopod params` on pads.

use anyhow::Result;
use isopod_wire::codes::limit::PACKET_BYTES;
use isopod_wire::AnySet;
use serde::Serialize;

use crate::output::report::Output;
use crate::output::table::hex;

#[derive(Serialize)]
struct Facts {
    name: &'static str,
    label: &'static str,
    purpose: &'static str,
    set_id: String,
    bytes_per_integer: [u8; 3],
    most_packet_bytes: usize,
    device_key_bytes: usize,
}

/// The facts of pads.
pub fn one() -> Result<Output> {
    let set = AnySet::Pads;
    let facts = Facts {
        name: set.name(),
        label: set.label().name(),
        purpose: "exact sums of integers in packets, for the fewest cycles and bytes",
        set_id: hex(set.set_id()),
        bytes_per_integer: [2, 3, 4],
        most_packet_bytes: PACKET_BYTES,
        device_key_bytes: set.secret_blob_bytes(),
    };
    let text = format!(
        "{} (label {}): {}\n\
         integers of 2, 3 or 4 bytes, whose sums stay below half of what they hold; packets of at most {PACKET_BYTES} bytes\n\
         jobs: sum, mean, column-sum, column-mean, and weighted with integer weights\n\
         a device has a key of its own, and whoever opens it reads what it sends, and no other device\n",
        facts.name, facts.label, facts.purpose
    );
    Output::new(text, &facts)
}
