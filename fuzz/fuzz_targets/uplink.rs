//! Fuzz target of the readers of uplinks and of the table of radios.
#![no_main]

use isopod_uplink::{Format, Senders, MOST_PAYLOAD_BYTES};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    for format in [Format::ChirpStack, Format::ThingsStack, Format::Sigfox] {
        if let Ok(Some(uplink)) = format.parse(Some("up"), bytes) {
            assert!((1..=MOST_PAYLOAD_BYTES).contains(&uplink.payload.len()));
        }
    }
    if let Ok(senders) = Senders::read(bytes) {
        assert!(senders.len() <= bytes.len() / 4);
    }
});
