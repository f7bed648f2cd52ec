//! Refusals of documents, each by the name of its field and what is allowed.
#![allow(clippy::unwrap_used)]

use isopod_uplink::{Format, MOST_BODY_BYTES};

fn refusal(format: Format, body: &str) -> String {
    let parsed = format.parse(Some("up"), body.as_bytes());
    parsed.unwrap_err().to_string()
}

/// The refusal of a document of ChirpStack with these fields beside its device.
fn chirpstack(fields: &str) -> String {
    let body = format!(r#"{{"deviceInfo": {{"devEui": "70b3d57ed0041a2b"}}, {fields}}}"#);
    refusal(Format::ChirpStack, &body)
}

#[test]
fn a_field_of_another_type_or_value() {
    for (fields, wanted) in [
        (
            r#""fPort": 256, "data": "AA==""#,
            "fPort: 256; allowed is 0 to 255",
        ),
        (r#""fPort": -1, "data": "AA==""#, "fPort: a number below 0"),
        (
            r#""fPort": 1.5, "data": "AA==""#,
            "fPort: a number with a fraction",
        ),
        (r#""fPort": "1e1", "data": "AA==""#, r#"fPort: "1e1""#),
        (r#""fPort": " 1", "data": "AA==""#, r#"fPort: " 1""#),
        (r#""fPort": "01", "data": "AA==""#, r#"fPort: "01""#),
        (r#""fPort": "", "data": "AA==""#, r#"fPort: """#),
        (r#""fPort": [1], "data": "AA==""#, "fPort: an array"),
        (r#""fPort": {"a": 1}, "data": "AA==""#, "fPort: an object"),
        (r#""fPort": true, "data": "AA==""#, "fPort: true or false"),
        (
            r#""fCnt": 4294967296, "data": "AA==""#,
            "fCnt: 4294967296; allowed is 0 to 4294967295",
        ),
        (
            r#""fCnt": "99999999999999999999", "data": "AA==""#,
            "fCnt: \"9999",
        ),
        (r#""data": 7"#, "data: 7; allowed is text in base64"),
        (r#""data": ["AA=="]"#, "data: an array"),
        (r#""data": "AA==", "data": "AQ==""#, "data: stands twice"),
    ] {
        let found = chirpstack(fields);
        assert!(
            found.starts_with(wanted) && found.contains("; allowed"),
            "{fields}: {found}"
        );
    }
}

#[test]
fn a_payload_that_is_not_base64() {
    for text in [
        "A", "AA", "AA=", "AB==", "AA== ", "A-_=", "%%%%", "\\n", "AA==AA==",
    ] {
        let found = chirpstack(&format!(r#""fPort": 1, "data": "{text}""#));
        assert!(
            found.starts_with("data: \"") && found.contains("base64, with padding"),
            "{text}: {found}"
        );
    }
}

#[test]
fn a_payload_that_is_not_hexadecimal() {
    for text in ["0", "0g", "0 ", "+1", "é", "00 00"] {
        let found = refusal(
            Format::Sigfox,
            &format!(r#"{{"device": "1", "data": "{text}"}}"#),
        );
        assert!(
            found.starts_with("data: \"") && found.contains("hexadecimal"),
            "{text}: {found}"
        );
    }
    let found = refusal(Format::Sigfox, r#"{"device": "1"}"#);
    assert!(found.starts_with("data: missing"), "{found}");
}

#[test]
fn a_payload_that_is_longer_than_a_packet() {
    for (bytes, fits) in [(1600, true), (1601, false)] {
        let body = format!(r#"{{"device": "1", "data": "{}"}}"#, "ab".repeat(bytes));
        let parsed = Format::Sigfox.parse(None, body.as_bytes());
        assert_eq!(parsed.is_ok(), fits);
        if let Err(error) = parsed {
            assert!(
                error.to_string().starts_with("data: 1601 bytes; allowed"),
                "{error}"
            );
        }
    }
}

#[test]
fn a_sender_that_is_missing_or_not_an_identifier() {
    for eui in [
        "",
        "70b3d57ed0041a2",
        "70b3d57ed0041a2b0",
        "70-B3-D5-7E-D0-04-1A-2B",
        "+0b3d57ed0041a2b",
        "cLPVftAEGis=",
    ] {
        let body = format!(r#"{{"end_device_ids": {{"dev_eui": "{eui}"}}}}"#);
        let found = refusal(Format::ThingsStack, &body);
        assert!(
            found.starts_with("end_device_ids.dev_eui: ")
                && found.contains("16 hexadecimal digits"),
            "{eui}: {found}"
        );
    }
    for body in [
        r#"{"data": "AA=="}"#,
        r#"{"deviceInfo": 7, "data": "AA=="}"#,
        r#"{"deviceInfo": ["devEui"], "data": "AA=="}"#,
        r#"{"deviceInfo": null, "data": "AA=="}"#,
        r#"{"deviceInfo": {"devEui": null}, "data": "AA=="}"#,
        r#"{"deviceInfo.devEui": "70b3d57ed0041a2b", "data": "AA=="}"#,
        r#"{"deviceInfo": {"devEui.x": "70b3d57ed0041a2b"}, "devEui": "70b3d57ed0041a2b"}"#,
    ] {
        let found = refusal(Format::ChirpStack, body);
        assert!(
            found.starts_with("deviceInfo.devEui: missing"),
            "{body}: {found}"
        );
    }
    for device in ["\"\"", "\"123456789\"", "\"0x1\"", "1234"] {
        let found = refusal(
            Format::Sigfox,
            &format!(r#"{{"device": {device}, "data": "00"}}"#),
        );
        assert!(found.starts_with("device: "), "{device}: {found}");
    }
}

#[test]
fn an_event_that_does_not_say_its_type() {
    let error = Format::ChirpStack.parse(None, b"{}").unwrap_err();
    assert_eq!(
        error.to_string(),
        "event: missing; allowed is its type, as in ?event=up"
    );
}

#[test]
fn text_that_is_not_one_json_object() {
    for body in [
        "",
        "[]",
        "7",
        "\"up\"",
        "{",
        "{}{}",
        "{} x",
        "\u{feff}{}",
        "{\"a\": }",
        "{'a': 1}",
    ] {
        let found = refusal(Format::ChirpStack, body);
        assert!(found.starts_with("body: "), "{body}: {found}");
    }
    // Protocol Buffers, the other encoding of ChirpStack.
    for event in ["up", "join"] {
        let parsed = Format::ChirpStack.parse(Some(event), b"\x0a\x10\xff");
        assert!(parsed.unwrap_err().to_string().starts_with("body: "));
    }
}

#[test]
fn bombs_of_depth_and_size() {
    let deep = "[".repeat(MOST_BODY_BYTES - 2);
    for body in [
        format!("{{\"x\": {deep}"),
        format!("{{\"deviceInfo\": {deep}"),
        format!("{{\"data\": {deep}"),
        "{\"deviceInfo\":".repeat(4_000),
    ] {
        let found = refusal(Format::ChirpStack, &body);
        assert!(found.starts_with("body: "), "{found}");
    }
    // Depth that is closed again and unknown is skipped.
    let closed = format!(
        r#"{{"x": {}{}, "device": "1", "data": "00"}}"#,
        "[".repeat(30_000),
        "]".repeat(30_000)
    );
    assert!(Format::Sigfox.parse(None, closed.as_bytes()).is_ok());
    let long = format!("{{}}{}", " ".repeat(MOST_BODY_BYTES - 1));
    assert_eq!(
        refusal(Format::ChirpStack, &long),
        format!(
            "body: {} bytes; allowed are 65536 at most",
            MOST_BODY_BYTES + 1
        )
    );
}

#[test]
fn a_refusal_repeats_little_and_no_control_characters() {
    let text = "\\u0007\\u001b".repeat(1000);
    let found = chirpstack(&format!(r#""data": "{text}""#));
    assert!(found.len() < 500, "{found}");
    assert!(!found.contains(char::is_control), "{found}");
    let found = refusal(Format::Sigfox, &format!("\"{text}\""));
    assert_eq!(
        found,
        "body: another type of value; allowed is a JSON object"
    );
}
