//! The name of a key pair in messages.

use isopod_wire::KeyId;

/// The name of a key pair in messages: 32 hexadecimal digits.
pub fn key_name(key_id: &KeyId) -> String {
    key_id.iter().map(|byte| format!("{byte:02x}")).collect()
}
