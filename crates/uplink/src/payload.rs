//! Payloads as text.

use base64::engine::general_purpose::STANDARD;
use base64::Engine;

use crate::error::{shown, Result, UplinkError};
use crate::limits::MOST_PAYLOAD_BYTES;

const ALLOWED_BASE64: &str = "are at most 1600 bytes in base64, with padding (RFC 4648)";
const ALLOWED_HEX: &str = "are at most 1600 bytes, two hexadecimal digits each";

/// Bytes in base64 (`[RFC4648]`, section 4), as the JSON of Protocol Buffers writes them.
pub fn base64(field: &'static str, text: &str) -> Result<Vec<u8>> {
    let bytes = STANDARD.decode(text).ok();
    bounded(field, text, bytes, ALLOWED_BASE64)
}

/// Bytes in hexadecimal.
pub fn hexadecimal(field: &'static str, text: &str) -> Result<Vec<u8>> {
    let digits = text.as_bytes().chunks(2);
    let bytes: Option<Vec<u8>> = digits.map(byte).collect();
    bounded(field, text, bytes, ALLOWED_HEX)
}

fn byte(digits: &[u8]) -> Option<u8> {
    let value = |digit: u8| char::from(digit).to_digit(16);
    let [high, low] = digits else {
        return None;
    };
    u8::try_from(value(*high)? << 4 | value(*low)?).ok()
}

fn bounded(
    field: &'static str,
    text: &str,
    bytes: Option<Vec<u8>>,
    allowed: &'static str,
) -> Result<Vec<u8>> {
    let found = match bytes {
        Some(bytes) if bytes.len() <= MOST_PAYLOAD_BYTES => return Ok(bytes),
        Some(bytes) => format!("{} bytes", bytes.len()),
        None => format!("\"{}\"", shown(text)),
    };
    Err(UplinkError::field(field, &found, allowed))
}
