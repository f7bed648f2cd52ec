//! Tags and derived keys against values computed elsewhere.
#![allow(clippy::unwrap_used)]

use isopod_keys::{c_header, public_c_header, random, DeviceSecret, OwnerKeys, SecretKey};
use isopod_wire::BlobKind;

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn a_device_key_is_the_shake256_of_master_and_number() {
    let master: [u8; 32] = std::array::from_fn(|at| at as u8);
    let key = SecretKey::from_bytes(&master).device_key(7);
    assert_eq!(
        hex(key.expose()),
        "375f54375bf55df37c4b5c8ebb02f3d04b63900c6f789cce7ea04cf3d14c064a"
    );
}

#[test]
fn a_tag_covers_key_nonce_and_every_byte() {
    let key = SecretKey::random().unwrap();
    let (nonce, message) = ([1; 24], [2; 100]);
    let tag = key.tag(&nonce, &message);
    assert!(key.verify(&nonce, &message, &tag));
    assert!(!SecretKey::random().unwrap().verify(&nonce, &message, &tag));
    for at in 0..24 {
        let mut other = nonce;
        other[at] ^= 1;
        assert!(!key.verify(&other, &message, &tag));
    }
    for at in 0..100 {
        let mut other = message;
        other[at] ^= 1;
        assert!(!key.verify(&nonce, &other, &tag));
    }
    for at in 0..16 {
        let mut other = tag;
        other[at] ^= 1;
        assert!(!key.verify(&nonce, &message, &other));
    }
    assert!(!key.verify(&nonce, &message[..99], &tag));
}

#[test]
fn random_bytes_differ() {
    assert_ne!(random::<16>().unwrap(), random::<16>().unwrap());
    assert_ne!(
        SecretKey::random().unwrap().expose(),
        SecretKey::random().unwrap().expose()
    );
}

#[test]
fn the_c_header_holds_both_keys_as_little_endian_words() {
    let blob = crate::support::blob("ckks-1024x1-sum", BlobKind::SecretTernary, &[0; 256]).into();
    let keys = OwnerKeys::new(blob).unwrap().device_keys(7);
    let text = c_header(7, keys.key(), None);
    let word = u32::from_le_bytes(keys.key().expose()[..4].try_into().unwrap());
    assert!(
        text.contains(&format!("isopod_frame_key[8] = {{\n    0x{word:08x},")),
        "{text}"
    );
    assert!(text.contains("#include \"isopod_public_key.h\""));
    assert!(text.contains("#define ISOPOD_DEVICE UINT64_C(7)\n"));
    assert!(!text.contains("isopod_secret_key"));
    let text = c_header(
        7,
        keys.key(),
        Some(DeviceSecret::Ciphertexts {
            transformed: b"12345678",
            compact: b"1234",
        }),
    );
    assert!(
        text.contains("isopod_secret_key[2] = {\n    0x34333231, 0x38373635,\n};"),
        "{text}"
    );
    let ternary =
        "#define ISOPOD_COMPACT_KEY_BYTES 4u\nstatic const uint32_t isopod_compact_key[1]";
    assert!(text.contains(ternary), "{text}");
}

#[test]
fn the_public_keys_header_holds_its_blob_as_little_endian_words() {
    let text = public_c_header(b"ISOPODK1");
    assert!(
        text.contains("isopod_public_key[2] = {\n    0x504f5349, 0x314b444f,\n};"),
        "{text}"
    );
    assert!(text.contains("#define ISOPOD_PUBLIC_KEY_BYTES 8u\n"));
}
