//! Hashes of what owner, device and server agree on: SHA3-256 of a label and deterministic CBOR (`spec/wire.md`, section 3).

use isopod_wire::codes::size::DIGEST;
use isopod_wire::Writer;
use sha3::{Digest, Sha3_256};

/// SHA3-256 of a label, then bytes.
pub(crate) fn sha3(label: &[u8], bytes: &[u8]) -> [u8; DIGEST] {
    Sha3_256::new()
        .chain_update(label)
        .chain_update(bytes)
        .finalize()
        .into()
}

/// Writes an array of 64-bit floats.
pub(crate) fn floats(writer: &mut Writer, values: &[f64]) {
    writer.array(values.len() as u64);
    for &value in values {
        writer.float(value);
    }
}

/// Writes an array of texts.
pub(crate) fn texts(writer: &mut Writer, values: &[String]) {
    writer.array(values.len() as u64);
    for value in values {
        writer.text(value);
    }
}

/// Bytes as hexadecimal.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The bytes of exactly 2N hexadecimal digits.
pub(crate) fn from_hex<const N: usize>(text: &str) -> Option<[u8; N]> {
    if text.len() != 2 * N || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let mut bytes = [0; N];
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&text[2 * at..2 * at + 2], 16).ok()?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::{from_hex, hex};

    #[test]
    fn hexadecimal_comes_back() {
        assert_eq!(from_hex(&hex(&[0, 0x1f, 0xff])), Some([0, 0x1f, 0xff]));
        for other in ["", "0", "0g", "+1", "001", "é"] {
            assert_eq!(from_hex::<1>(other), None, "{other}");
        }
    }
}
