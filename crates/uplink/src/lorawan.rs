//! Uplinks of LoRaWAN: the same four fields at other paths.

use crate::error::Result;
use crate::fields::read;
use crate::payload::base64;
use crate::uplink::{sender, Sender, Uplink};

const ALLOWED_EUI: &str = "are 16 hexadecimal digits";
const ALLOWED_PORT: &str = "is 0 to 255";
const ALLOWED_COUNTER: &str = "is 0 to 4294967295";
const ALLOWED_PAYLOAD: &str = "is text in base64";

/// Paths of the fields of an uplink.
pub struct Paths {
    /// DevEUI.
    pub sender: &'static str,
    /// FPort.
    pub port: &'static str,
    /// FCnt.
    pub counter: &'static str,
    /// FRMPayload.
    pub payload: &'static str,
}

/// The uplink in a document; None without a payload. Network servers leave out a counter that is 0.
pub fn parse(body: &[u8], paths: &Paths) -> Result<Option<Uplink>> {
    let all = [paths.sender, paths.port, paths.counter, paths.payload];
    let [eui, port, counter, payload] = read(body, all)?;
    let eui = eui.text(ALLOWED_EUI)?;
    let sender = sender(paths.sender, eui, Sender::eui, ALLOWED_EUI)?;
    let port = port.number(ALLOWED_PORT)?;
    let counter = counter.number(ALLOWED_COUNTER)?.unwrap_or(0);
    let text = payload.text(ALLOWED_PAYLOAD)?.unwrap_or_default();
    let payload = base64(paths.payload, &text)?;
    Ok((!payload.is_empty()).then_some(Uplink {
        sender,
        port,
        counter: Some(counter),
        payload,
    }))
}
