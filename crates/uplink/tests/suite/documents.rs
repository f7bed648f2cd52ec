//! Documents of each network server, with all that they have beside the uplink.
#![allow(clippy::unwrap_used)]

use isopod_uplink::{Format, Sender, Uplink};

const PACKET: [u8; 18] = [
    0x83, 0x07, 0x00, 0x00, 0x00, 0x2a, 0x01, 0x5c, 0x9d, 0x1f, 0x10, 0x32, 0x54, 0x76, 0x98, 0xba,
    0xdc, 0xfe,
];

const CHIRPSTACK: &str = r#"{
  "deduplicationId": "b0a7e2f4-7c51-4d7e-8f0e-3f1a2b6c9d10", "time": "2026-03-31T12:15:04.113+00:00",
  "deviceInfo": {"tenantId": "5f6f0b7e-2f84-4c6e-9a77-1d0c0f1a2b3c", "tenantName": "Waterworks", "applicationName": "meters",
    "applicationId": "9e1a3c55-7f7b-4c0b-8d1e-0a1b2c3d4e5f", "deviceName": "meter 7", "devEui": "70b3d57ed0041a2b",
    "deviceClassEnabled": "CLASS_A", "tags": {"data": "AAAA", "fPort": "9"}},
  "devAddr": "01ab23cd", "adr": true, "dr": 2, "fCnt": 1234, "fPort": 10, "confirmed": false,
  "data": "gwcAAAAqAVydHxAyVHaYutz+",
  "rxInfo": [{"gatewayId": "0016c001f1500001", "uplinkId": 61234, "rssi": -117, "snr": -9.5, "channel": 3, "context": "MTIz"},
    {"gatewayId": "0016c001f1500002", "uplinkId": 7, "rssi": -101, "snr": 2.25, "metadata": {"region_config_id": "eu868"}}],
  "txInfo": {"frequency": 868300000, "modulation": {"lora": {"bandwidth": 125000, "spreadingFactor": 10, "codeRate": "CR_4_5"}}},
  "regionConfigId": "eu868"
}"#;

const THINGS_STACK: &str = r#"{
  "end_device_ids": {"device_id": "meter-7", "application_ids": {"application_id": "meters"}, "dev_eui": "70B3D57ED0041A2B",
    "join_eui": "0000000000000000", "dev_addr": "260B1234"},
  "correlation_ids": ["as:up:01J0ABCDEF"], "received_at": "2026-03-31T12:15:04.513Z",
  "uplink_message": {"session_key_id": "AY2b3w==", "f_port": 10, "f_cnt": 1234, "frm_payload": "gwcAAAAqAVydHxAyVHaYutz+",
    "decoded_payload": {"frm_payload": [1, 2, {"f_port": 3}]},
    "rx_metadata": [{"gateway_ids": {"gateway_id": "roof", "eui": "0016C001F1500001"}, "rssi": -117, "snr": -9.5}],
    "settings": {"data_rate": {"lora": {"bandwidth": 125000, "spreading_factor": 10}}, "frequency": "868300000"},
    "consumed_airtime": "0.370688s", "network_ids": {"net_id": "000013", "tenant_id": "waterworks"}}
}"#;

const SIGFOX: &str =
    r#"{"device": "1D3AC5", "time": "1774959304", "data": "8307000000", "seqNumber": "1234"}"#;

fn lorawan() -> Uplink {
    Uplink {
        sender: Sender::Eui(0x70b3_d57e_d004_1a2b),
        port: Some(10),
        counter: Some(1234),
        payload: PACKET.to_vec(),
    }
}

#[test]
fn an_uplink_of_chirpstack() {
    let uplink = Format::ChirpStack.parse(Some("up"), CHIRPSTACK.as_bytes());
    assert_eq!(uplink, Ok(Some(lorawan())));
}

#[test]
fn an_uplink_of_the_things_stack() {
    let uplink = Format::ThingsStack.parse(None, THINGS_STACK.as_bytes());
    assert_eq!(uplink, Ok(Some(lorawan())));
}

#[test]
fn an_uplink_of_sigfox_with_and_without_quotes_around_its_number() {
    let wanted = Uplink {
        sender: Sender::Sigfox(0x1d_3ac5),
        port: None,
        counter: Some(1234),
        payload: PACKET[..5].to_vec(),
    };
    for document in [SIGFOX.to_owned(), SIGFOX.replace("\"1234\"", "1234")] {
        let uplink = Format::Sigfox.parse(None, document.as_bytes());
        assert_eq!(uplink, Ok(Some(wanted.clone())));
    }
    let without = SIGFOX.replace(r#", "seqNumber": "1234""#, "");
    let uplink = Format::Sigfox.parse(None, without.as_bytes());
    assert_eq!(uplink.unwrap().unwrap().counter, None);
}

#[test]
fn a_number_as_text_and_one_that_is_left_out() {
    let text = CHIRPSTACK.replace("\"fPort\": 10", "\"fPort\": \"10\"");
    let uplink = Format::ChirpStack.parse(Some("up"), text.as_bytes());
    assert_eq!(uplink, Ok(Some(lorawan())));
    let without = text
        .replace("\"fPort\": \"10\",", "")
        .replace("\"fCnt\": 1234,", "");
    let uplink = Format::ChirpStack.parse(Some("up"), without.as_bytes());
    let uplink = uplink.unwrap().unwrap();
    assert_eq!((uplink.port, uplink.counter), (None, Some(0)));
}

#[test]
fn other_events_and_empty_uplinks_hold_nothing() {
    for event in [
        "join",
        "ack",
        "txack",
        "status",
        "log",
        "location",
        "integration",
        "",
    ] {
        let parsed = Format::ChirpStack.parse(Some(event), br#"{"data": "%", "fPort": -1}"#);
        assert_eq!(parsed, Ok(None));
    }
    for empty in ["", "\"data\": null,", "\"data\": \"\","] {
        let document = CHIRPSTACK.replace("\"data\": \"gwcAAAAqAVydHxAyVHaYutz+\",", empty);
        assert_eq!(
            Format::ChirpStack.parse(Some("up"), document.as_bytes()),
            Ok(None)
        );
    }
    let joined =
        r#"{"end_device_ids": {"dev_eui": "70B3D57ED0041A2B"}, "join_accept": {"frm_payload": 1}}"#;
    assert_eq!(Format::ThingsStack.parse(None, joined.as_bytes()), Ok(None));
    assert_eq!(
        Format::Sigfox.parse(None, br#"{"device": "1", "data": ""}"#),
        Ok(None)
    );
}

#[test]
fn ports_that_may_hold_packets() {
    let of = |port| Uplink { port, ..lorawan() };
    for (port, ports, wanted) in [
        (Some(10), &[][..], true),
        (Some(223), &[], true),
        (Some(224), &[], false),
        (Some(0), &[], false),
        (None, &[], false),
        (Some(10), &[10, 11], true),
        (Some(12), &[10, 11], false),
        (None, &[10], false),
    ] {
        assert_eq!(
            of(port).may_hold_packet(ports),
            wanted,
            "{port:?} {ports:?}"
        );
    }
    let sigfox = Format::Sigfox.parse(None, SIGFOX.as_bytes()).unwrap();
    assert!(sigfox.unwrap().may_hold_packet(&[10]));
}

#[test]
fn messages_by_their_topics() {
    for (format, topic, wanted) in [
        (
            Format::ChirpStack,
            "application/9e1a/device/70b3d57ed0041a2b/event/up",
            true,
        ),
        (
            Format::ChirpStack,
            "application/9e1a/device/70b3d57ed0041a2b/event/join",
            false,
        ),
        (Format::ChirpStack, "application/9e1a/device/x/event", false),
        (
            Format::ChirpStack,
            "application/9e1a/device/x/event/up/up",
            false,
        ),
        (
            Format::ThingsStack,
            "v3/meters@ttn/devices/meter-7/up",
            true,
        ),
        (
            Format::ThingsStack,
            "v3/meters@ttn/devices/meter-7/join",
            false,
        ),
        (Format::ThingsStack, "", false),
        (Format::Sigfox, "", false),
    ] {
        assert_eq!(format.has_topic(topic), wanted, "{topic}");
    }
}

#[test]
fn topics_and_fields_of_senders() {
    assert_eq!(
        Format::ChirpStack.topics(),
        Some("application/+/device/+/event/up")
    );
    assert_eq!(Format::ThingsStack.topics(), Some("v3/+/devices/+/up"));
    assert_eq!(Format::Sigfox.topics(), None);
    assert_eq!(Format::ChirpStack.sender_field(), "deviceInfo.devEui");
    assert_eq!(Format::ThingsStack.sender_field(), "end_device_ids.dev_eui");
    assert_eq!(Format::Sigfox.sender_field(), "device");
}
