//! Public keys as files for flash programmers.
#![allow(clippy::unwrap_used)]

use crate::support::Place;

const ADDRESS: u32 = 0x1000_FF00;

fn image(place: &Place, out: &str, more: &[&str]) {
    let command = ["device", "image", "--keys", "keys/device-1"];
    let rest = ["--address", "0x1000ff00", "--out", out];
    place.run(&[&command[..], &rest, more].concat()).success();
}

/// Address and data of every byte of an Intel HEX file, whose sums are checked.
fn read_hex(text: &str) -> Vec<(u32, u8)> {
    let (mut upper, mut found, mut ended) = (0, Vec::new(), false);
    for line in text.lines() {
        assert!(!ended);
        let digits = line.strip_prefix(':').unwrap();
        let byte = |i: usize| u8::from_str_radix(&digits[2 * i..2 * i + 2], 16).unwrap();
        let bytes: Vec<u8> = (0..digits.len() / 2).map(byte).collect();
        assert_eq!(
            bytes.iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte)),
            0
        );
        let data = &bytes[4..bytes.len() - 1];
        assert_eq!(usize::from(bytes[0]), data.len());
        let low = u32::from(u16::from_be_bytes([bytes[1], bytes[2]]));
        assert!(
            low + data.len() as u32 <= 1 << 16,
            "no record crosses 64 KiB"
        );
        match bytes[3] {
            0 => found.extend(data.iter().zip(upper + low..).map(|(byte, at)| (at, *byte))),
            1 => ended = true,
            4 => upper = u32::from(u16::from_be_bytes([data[0], data[1]])) << 16,
            kind => panic!("record of type {kind}"),
        }
    }
    assert!(ended);
    found
}

fn word(block: &[u8], number: usize) -> u32 {
    u32::from_le_bytes(block[4 * number..4 * number + 4].try_into().unwrap())
}

#[test]
fn three_formats_hold_the_key_and_its_seal() {
    let place = Place::with_keys("ckks-1024x1-sum", &[]);
    image(&place, "key.bin", &["--generation", "7"]);
    image(&place, "key.hex", &["--generation", "7"]);
    image(
        &place,
        "key.uf2",
        &["--generation", "7", "--family", "rp2350-arm-s"],
    );
    let (blob, sealed) = (place.read("keys/public/public.key"), place.read("key.bin"));
    assert_eq!(sealed.len(), blob.len() + 32);
    assert_eq!(sealed[..blob.len()], blob);
    let seal = &sealed[blob.len()..];
    assert_eq!(&seal[..16], b"ISOPODS2\x07\0\0\0\0\0\0\0");

    let bytes = read_hex(&String::from_utf8(place.read("key.hex")).unwrap());
    let wanted: Vec<(u32, u8)> = (ADDRESS..).zip(sealed.iter().copied()).collect();
    assert_eq!(bytes, wanted);

    let blocks = place.read("key.uf2");
    let total = sealed.len().div_ceil(256);
    assert_eq!(blocks.len(), 512 * total);
    for (number, block) in blocks.chunks(512).enumerate() {
        let head = [
            0x0A32_4655,
            0x9E5D_5157,
            0x2000,
            ADDRESS + 256 * number as u32,
            256,
        ];
        assert_eq!((0..5).map(|i| word(block, i)).collect::<Vec<_>>(), head);
        let rest = [number as u32, total as u32, 0xE48B_FF59];
        assert_eq!((5..8).map(|i| word(block, i)).collect::<Vec<_>>(), rest);
        assert_eq!(word(block, 127), 0x0AB1_6F30);
        let data = &sealed[256 * number..sealed.len().min(256 * number + 256)];
        assert_eq!(&block[32..32 + data.len()], data);
        assert!(block[32 + data.len()..288].iter().all(|byte| *byte == 0xFF));
    }
}

#[test]
fn what_no_programmer_could_use_is_refused() {
    let place = Place::with_keys("ckks-1024x1-sum", &[]);
    let refused = |code: i32, address: &str, out: &str, more: &[&str]| {
        let command = [
            "device",
            "image",
            "--keys",
            "keys/public",
            "--address",
            address,
        ];
        let message = place.refusal(code, &[&command[..], &["--out", out], more].concat());
        assert!(!place.exists(out), "{message}");
        message
    };
    let message = refused(3, "0x1000ff02", "key.bin", &[]);
    assert!(message.contains("allowed are multiples of 4"), "{message}");
    let message = refused(3, "0x1000ff04", "key.uf2", &[]);
    assert!(
        message.contains("allowed are multiples of 256"),
        "{message}"
    );
    let message = refused(3, "0xfffffff0", "key.hex", &[]);
    assert!(message.contains("allowed is at most 0xffff"), "{message}");
    let message = refused(3, "0", "key.elf", &[]);
    assert!(
        message.contains("allowed are .bin, .hex and .uf2"),
        "{message}"
    );
    let message = refused(3, "0", "key.bin", &["--family", "esp32s3"]);
    assert!(message.contains("only .uf2 files"), "{message}");
    let message = refused(2, "0x100000000", "key.bin", &[]);
    assert!(message.contains("allowed are 0 to 0xffffffff"), "{message}");
    let message = refused(2, "0", "key.uf2", &["--family", "z80"]);
    assert!(message.contains("rp2350-arm-s"), "{message}");
    let message = refused(2, "0", "key.bin", &["--generation", "0"]);
    assert!(message.contains("--generation"), "{message}");
    let mut bytes = place.read("keys/public/public.key");
    bytes[300] ^= 1;
    place.write("keys/public/public.key", bytes);
    let message = refused(5, "0", "key.bin", &[]);
    assert!(message.contains("digest"), "{message}");
}
