//! Comparison of TFHEpp's arrays with a plain implementation of phase and extraction.
#![allow(missing_docs, clippy::unwrap_used)]

use crate::support::{
    deviation, encrypt_public, encrypt_secret, errors, public_key, set, Message, Numbers,
};
use isopod_tfhe::{frame_mask, Tfhepp, TFHEPP_DEGREE};
use isopod_wire::ValueType;

const SETS: [&str; 3] = ["tfhe-1024-tuniform", "tfhe-1024-tfhepp", "tfhe-1024-binary"];

fn words(bytes: &[u8]) -> Vec<u32> {
    let word = |chunk: &[u8]| u32::from_le_bytes(chunk.try_into().unwrap());
    bytes.chunks(4).map(word).collect()
}

fn key(bytes: &[u8]) -> Vec<u32> {
    words(bytes)
}

/// Phase b - sum a_j s_j of one TLWE row, as TFHEpp computes it: words modulo 2^32, key words as they are in its file.
fn phase(row: &[u32], key: &[u32]) -> i32 {
    let (mask, body) = row.split_at(TFHEPP_DEGREE);
    let product = mask
        .iter()
        .zip(key)
        .fold(0u32, |sum, (a, s)| sum.wrapping_add(a.wrapping_mul(*s)));
    body[0].wrapping_sub(product) as i32
}

#[test]
fn every_bit_of_a_full_ciphertext_decrypts_after_extraction() {
    for (name, public) in SETS.iter().flat_map(|name| [(name, false), (name, true)]) {
        let (params, mut numbers) = (set(name), Numbers(11));
        let secret = numbers.secret(params);
        let bits: Vec<i128> = (0..1024).map(|_| i128::from(numbers.next() & 1)).collect();
        let message = Message::new(&[ValueType::Bool], &bits);
        let frame = if public {
            let public = public_key(params, &secret, &mut numbers);
            encrypt_public(params, &public, &message, &mut numbers)
        } else {
            encrypt_secret(params, &secret, &message, &mut numbers)
        };
        let ring = Tfhepp::from_frame(&frame).unwrap();
        let key = key(&Tfhepp::key(&secret).unwrap());
        let rows = words(&ring.tlwe(0..1024).unwrap());
        for (row, &bit) in rows.chunks(TFHEPP_DEGREE + 1).zip(&bits) {
            let phase = phase(row, &key);
            // The two bits are 2^30 apart; a gate's inputs may be off by a quarter of that.
            let wanted = if bit == 1 { 1 << 29 } else { -(1 << 29) };
            assert!((phase - wanted).abs() < 1 << 28, "{name} {public}: {phase}");
        }
    }
}

#[test]
fn the_ring_file_is_mask_then_body() {
    let (params, mut numbers) = (set("tfhe-1024-tfhepp"), Numbers(12));
    let secret = numbers.secret(params);
    let message = Message::new(&[ValueType::U8], &[0xa5, 1, 2]);
    let frame = encrypt_secret(params, &secret, &message, &mut numbers);
    let ring = Tfhepp::from_frame(&frame).unwrap();
    let file = words(&ring.trlwe());
    assert_eq!(file.len(), 2 * TFHEPP_DEGREE);
    let mask: Vec<u64> = file[..1024].iter().map(|&word| word.into()).collect();
    assert_eq!(mask, frame_mask(&frame));
    let bodies: Vec<u64> = file[1024..][..24].iter().map(|&word| word.into()).collect();
    assert_eq!(bodies, frame.bodies);
    assert_eq!(Tfhepp::from_trlwe(&ring.trlwe(), 24).unwrap(), ring);
}

#[test]
fn only_coefficients_in_use_are_extracted() {
    let (params, mut numbers) = (set("tfhe-1024-tfhepp"), Numbers(13));
    let secret = numbers.secret(params);
    let message = Message::new(&[ValueType::U8], &[7]);
    let frame = encrypt_secret(params, &secret, &message, &mut numbers);
    let ring = Tfhepp::from_frame(&frame).unwrap();
    assert_eq!(ring.tlwe([0, 7]).unwrap().len(), 2 * 4100);
    let error = ring.tlwe([8]).unwrap_err().to_string();
    assert_eq!(error, "coefficient: 8 is out of range; allowed is 0 to 7");
}

#[test]
fn keys_that_do_not_fit_are_refused() {
    assert!(Tfhepp::key(&[0; 1023]).is_err());
    for wrong in [-2, 2, i8::MIN, i8::MAX] {
        let mut key = [0; 1024];
        key[5] = wrong;
        assert!(Tfhepp::key(&key).is_err(), "{wrong}");
    }
    let negative = Tfhepp::key(&[-1; 1024]).unwrap();
    assert_eq!(key(&negative), [u32::MAX; 1024]);
    assert!(Tfhepp::from_trlwe(&[0; 8191], 1024).is_err());
    let (params, mut numbers) = (set("tfhe-2048-tfhe-rs"), Numbers(14));
    let secret = numbers.secret(params);
    let message = Message::new(&[ValueType::Bool], &[1]);
    let frame = encrypt_secret(params, &secret, &message, &mut numbers);
    assert!(Tfhepp::from_frame(&frame).is_err());
}

/// Rounding to 16 bits leaves noise whose deviation is 2^13 times below the tolerance of a gate.
#[test]
fn rounded_bodies_keep_their_margin() {
    let (params, mut numbers) = (set("tfhe-1024-tfhepp"), Numbers(15));
    let secret = numbers.secret(params);
    let bits: Vec<i128> = (0..1024).map(|bit| bit & 1).collect();
    let mut message = Message::new(&[ValueType::Bool], &bits);
    let fresh = errors(
        &encrypt_secret(params, &secret, &message, &mut numbers),
        &secret,
        &message,
    );
    assert!((deviation(&fresh) / 128.0 - 1.0).abs() < 0.1);
    message.rounded = true;
    let frame = encrypt_secret(params, &secret, &message, &mut numbers);
    let rounded = deviation(&errors(&frame, &secret, &message));
    let theory = (128f64.powi(2) + 2f64.powi(32) / 12.0).sqrt();
    assert!((rounded / theory - 1.0).abs() < 0.1, "{rounded} {theory}");
    assert!(rounded < 2f64.powi(28) / 8192.0);
}

/// The header-only adapter, compiled against arrays of the shape of TFHEpp's types, reads key, ring and rows.
#[test]
fn the_cpp_adapter_fills_types_of_tfhepps_shape() {
    use std::process::Command;
    let place = std::env::temp_dir().join(format!("isopod-tfhepp-{}", std::process::id()));
    std::fs::create_dir_all(&place).unwrap();
    let (params, mut numbers) = (set("tfhe-1024-tfhepp"), Numbers(16));
    let secret = numbers.secret(params);
    let bits: Vec<i128> = (0..200).map(|bit| bit / 5 % 2).collect();
    let message = Message::new(&[ValueType::Bool], &bits);
    let frame = encrypt_secret(params, &secret, &message, &mut numbers);
    let ring = Tfhepp::from_frame(&frame).unwrap();
    let files = [
        ("key", Tfhepp::key(&secret).unwrap()),
        ("trlwe", ring.trlwe()),
        ("tlwes", ring.tlwe(0..ring.used()).unwrap()),
    ];
    let paths = files.map(|(name, bytes)| {
        std::fs::write(place.join(name), bytes).unwrap();
        place.join(name)
    });
    let (sources, program) = (
        concat!(env!("CARGO_MANIFEST_DIR"), "/cpp"),
        place.join("test"),
    );
    let flags = [
        "-std=c++17",
        "-O2",
        "-Wall",
        "-Wextra",
        "-Wpedantic",
        "-Werror",
        "-I",
        sources,
    ];
    let compiler = std::env::var("CXX").unwrap_or_else(|_| "c++".to_owned());
    let compiled = Command::new(compiler)
        .args(flags)
        .arg(format!("{sources}/test.cpp"))
        .arg("-o")
        .arg(&program)
        .status();
    assert!(compiled.unwrap().success());
    let output = Command::new(&program).args(&paths).output().unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    std::fs::remove_dir_all(&place).unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert_eq!(
        printed,
        bits.iter().map(|bit| bit.to_string()).collect::<String>()
    );
}
