//! Whatever the bytes are, a document is read or refused, and what is read keeps its bounds.
#![allow(clippy::unwrap_used)]

use isopod_uplink::{Format, Sender, Senders, MOST_PAYLOAD_BYTES};
use proptest::prelude::*;

const FORMATS: [Format; 3] = [Format::ChirpStack, Format::ThingsStack, Format::Sigfox];

fn check(body: &[u8]) {
    for format in FORMATS {
        match format.parse(Some("up"), body) {
            Ok(Some(uplink)) => {
                assert!((1..=MOST_PAYLOAD_BYTES).contains(&uplink.payload.len()));
                let is_sigfox = matches!(uplink.sender, Sender::Sigfox(_));
                assert_eq!(is_sigfox, matches!(format, Format::Sigfox));
            }
            Ok(None) => {}
            Err(error) => assert!(error.to_string().contains("; allowed"), "{error}"),
        }
    }
    if let Err(error) = Senders::read(body) {
        assert!(error.to_string().contains("; allowed"), "{error}");
    }
}

/// Values of any type, of depth 4 at most, under the names that the readers look for.
fn values() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        any::<bool>().prop_map(|value| value.to_string()),
        any::<i64>().prop_map(|value| value.to_string()),
        any::<u8>().prop_map(|value| format!("\"{value}\"")),
        "[A-Za-z0-9+/]{0,40}={0,2}".prop_map(|text| format!("\"{text}\"")),
        "[0-9a-fA-F]{1,16}".prop_map(|text| format!("\"{text}\"")),
        Just("\"70b3d57ed0041a2b\"".to_owned()),
    ];
    let name = prop_oneof![
        Just("deviceInfo"),
        Just("devEui"),
        Just("fPort"),
        Just("fCnt"),
        Just("data"),
        Just("end_device_ids"),
        Just("dev_eui"),
        Just("uplink_message"),
        Just("f_port"),
        Just("frm_payload"),
        Just("device"),
        Just("seqNumber"),
        Just("x.y"),
    ];
    leaf.prop_recursive(4, 64, 8, move |inner| {
        let members = prop::collection::vec((name.clone(), inner.clone()), 0..8);
        prop_oneof![
            members.prop_map(|members| {
                let members: Vec<_> = members
                    .iter()
                    .map(|(name, value)| format!("\"{name}\":{value}"))
                    .collect();
                format!("{{{}}}", members.join(","))
            }),
            prop::collection::vec(inner, 0..4).prop_map(|values| format!("[{}]", values.join(","))),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn no_bytes_panic(body in prop::collection::vec(any::<u8>(), 0..300)) {
        check(&body);
    }

    #[test]
    fn no_document_panics(body in values()) {
        check(body.as_bytes());
    }

    #[test]
    fn an_uplink_is_read_as_it_was_written(
        eui in any::<u64>(), port in any::<u8>(), counter in any::<u32>(), payload in prop::collection::vec(any::<u8>(), 1..1600),
    ) {
        use base64::Engine;
        let data = base64::engine::general_purpose::STANDARD.encode(&payload);
        let body = format!(
            r#"{{"end_device_ids": {{"dev_eui": "{eui:016X}"}},
                "uplink_message": {{"frm_payload": "{data}", "f_cnt": {counter}, "f_port": {port}}}}}"#
        );
        let uplink = Format::ThingsStack.parse(None, body.as_bytes()).unwrap().unwrap();
        prop_assert_eq!(uplink.sender, Sender::Eui(eui));
        prop_assert_eq!((uplink.port, uplink.counter), (Some(port), Some(counter)));
        prop_assert_eq!(uplink.payload, payload);
    }
}
