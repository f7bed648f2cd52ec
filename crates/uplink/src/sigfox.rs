//! Callbacks of Sigfox (`[SIGFOX24]`) for uplinks: JSON whose values are the variables `device`, `data` and `seqNumber`.
//!
//! The owner writes the body of a callback, so quotes around numbers are his choice. He writes one callback for uplinks alone:
//! there are no other events.

use crate::error::{Result, UplinkError};
use crate::fields::read;
use crate::payload::hexadecimal;
use crate::uplink::{sender, Sender, Uplink};

/// Field of the sender.
pub const SENDER: &str = "device";
const PAYLOAD: &str = "data";

const ALLOWED_DEVICE: &str = "are 1 to 8 hexadecimal digits as text";
const ALLOWED_COUNTER: &str = "is 0 to 4294967295";
const ALLOWED_PAYLOAD: &str = "is text in hexadecimal, as \"{data}\" in the body of the callback";

/// The uplink of a callback; None without a payload.
pub fn parse(body: &[u8]) -> Result<Option<Uplink>> {
    let [device, counter, payload] = read(body, [SENDER, "seqNumber", PAYLOAD])?;
    let device = device.text(ALLOWED_DEVICE)?;
    let sender = sender(SENDER, device, Sender::sigfox, ALLOWED_DEVICE)?;
    let counter = counter.number(ALLOWED_COUNTER)?;
    let text = payload.text(ALLOWED_PAYLOAD)?;
    let text = text.ok_or_else(|| UplinkError::field(PAYLOAD, "missing", ALLOWED_PAYLOAD))?;
    let payload = hexadecimal(PAYLOAD, &text)?;
    Ok((!payload.is_empty()).then_some(Uplink {
        sender,
        port: None,
        counter,
        payload,
    }))
}
