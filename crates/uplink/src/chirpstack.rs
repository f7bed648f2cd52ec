//! ChirpStack 4 (`[CHIRPSTACK22]`): an event of type `up` as JSON, by the HTTP integration or over MQTT.
//!
//! The type is the query's `event` over HTTP, and the last level of the topic over MQTT. The document is the JSON of the message
//! `UplinkEvent`.

use crate::error::{Result, UplinkError};
use crate::fields::read;
use crate::lorawan::{self, Paths};
use crate::uplink::Uplink;

/// Topics of uplinks, of all applications and devices.
pub const TOPICS: &str = "application/+/device/+/event/up";
/// Fields of an uplink.
pub const PATHS: Paths = Paths {
    sender: "deviceInfo.devEui",
    port: "fPort",
    counter: "fCnt",
    payload: "data",
};
const UPLINK: &str = "up";

/// The uplink of an event; None for other events, and without a payload.
pub fn parse(event: Option<&str>, body: &[u8]) -> Result<Option<Uplink>> {
    match event {
        Some(UPLINK) => lorawan::parse(body, &PATHS),
        Some(_) => read(body, []).map(|[]| None),
        None => Err(UplinkError::field(
            "event",
            "missing",
            "is its type, as in ?event=up",
        )),
    }
}
