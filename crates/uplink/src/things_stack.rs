//! The Things Stack 3 (`[THINGSSTACK25]`): a message of an application as JSON, by a webhook or over MQTT.
//!
//! Every message names the device. Only those with an `uplink_message` are uplinks; others have no payload at its path.

use crate::error::Result;
use crate::lorawan::{self, Paths};
use crate::uplink::Uplink;

/// Topics of uplinks, of all applications and devices of the user who subscribes.
pub const TOPICS: &str = "v3/+/devices/+/up";
/// Fields of an uplink.
pub const PATHS: Paths = Paths {
    sender: "end_device_ids.dev_eui",
    port: "uplink_message.f_port",
    counter: "uplink_message.f_cnt",
    payload: "uplink_message.frm_payload",
};

/// The uplink of a message; None for other messages, and without a payload.
pub fn parse(body: &[u8]) -> Result<Option<Uplink>> {
    lorawan::parse(body, &PATHS)
}
