//! Frames of the device library, authenticated and parsed, through tfhe-rs and TFHEpp's arrays.
#![allow(missing_docs, clippy::unwrap_used)]

use crate::support::{deviation, errors, set, Message};
use isopod_device::{tfhe_blobs, Sender, TfheEncoding, TfheEncryptor, TfheKeyPair};
use isopod_keys::SecretKey;
use isopod_tfhe::native::{client_key, device_key, Native, RingCiphertext};
use isopod_tfhe::{secret_coefficients, OwnerSecrets, Tfhepp, TFHEPP_DEGREE};
use isopod_wire::{
    Authenticator, Envelope, Label, Relation, Schema, Tag, TfheBlob, TfheFrame, TfheParams,
    TfheSuite, ValueType, TFHE_SETS,
};
use tfhe::prelude::*;
use tfhe::ClientKey;

struct Link(SecretKey);

impl Authenticator for Link {
    fn verify(&self, relation: Relation, nonce: &[u8; 24], message: &[u8], tag: &Tag) -> bool {
        relation == Relation::Device(9) && self.0.verify(nonce, message, tag)
    }
}

fn encoding(set: &TfheParams) -> TfheEncoding {
    TfheEncoding {
        suite: TfheSuite::Chacha20,
        whole_bodies: false,
        streaming: false,
        columns: 0,
        packing: None,
        accept_label: set.label,
    }
}

/// A frame from the device library, as the server reads it.
fn frame(blob: &[u8], encoding: TfheEncoding, schema: &Schema, values: &[i128]) -> TfheFrame {
    let key = [7; 32];
    let mut sender = Sender {
        device: 9,
        epoch: 1,
        sequence: 3,
        key: &key,
    };
    let mut encryptor = TfheEncryptor::new(blob, encoding).unwrap();
    let bytes = encryptor.encrypt(schema, values, &mut sender).unwrap();
    let envelope = Envelope::read_only(&bytes).unwrap();
    let authentic = envelope
        .authenticate(&Link(SecretKey::from_bytes(&key)))
        .unwrap();
    authentic.tfhe_frame(encryptor.params()).unwrap()
}

fn coefficients(pair: &TfheKeyPair) -> Vec<i8> {
    secret_coefficients(&TfheBlob::read(&pair.secret_blob).unwrap())
        .unwrap()
        .to_vec()
}

/// Blob and encoding of each way in which a device encrypts under a set.
fn ways<'a>(set: &TfheParams, pair: &'a TfheKeyPair) -> Vec<(&'a [u8], TfheEncoding)> {
    let mut ways = Vec::new();
    for suite in [TfheSuite::Chacha20, TfheSuite::Shake256, TfheSuite::Aes128] {
        for whole_bodies in [false, true] {
            let of_width = TfheEncoding {
                suite,
                whole_bodies,
                ..encoding(set)
            };
            let blobs = [
                &pair.public_blob,
                &pair.seeded_public_blob,
                &*pair.secret_blob,
                &*pair.secret_transformed_blob,
            ];
            ways.extend(blobs.map(|blob| (&blob[..], of_width)));
            ways.push((
                &pair.secret_blob,
                TfheEncoding {
                    streaming: true,
                    ..of_width
                },
            ));
        }
    }
    ways
}

fn byte(value: &Native, key: &ClientKey) -> i128 {
    match value {
        Native::Uint8(value) => i128::from(FheDecrypt::<u8>::decrypt(value, key)),
        Native::Int64(value) => i128::from(FheDecrypt::<i64>::decrypt(value, key)),
        Native::Bool(value) => i128::from(value.decrypt(key)),
        _ => panic!("of another type"),
    }
}

#[test]
fn every_way_of_a_device_reaches_tfhe_rs() {
    let set = set("tfhe-2048-tfhe-rs");
    let pair = TfheKeyPair::generate(set).unwrap();
    let key = client_key(&OwnerSecrets::new(&coefficients(&pair)).unwrap());
    let bytes = (0..=255).map(|value| (ValueType::U8, value));
    let wide = [i64::MIN, -1, i64::MAX].map(|value| (ValueType::I64, i128::from(value)));
    let bits = (0..928).map(|value| (ValueType::Bool, value % 2));
    let (types, values): (Vec<_>, Vec<_>) = bytes.chain(wide).chain(bits).unzip();
    let schema = Schema::of_values(types).unwrap();
    assert_eq!(schema.blocks(2), 2048, "a full ring");
    for (blob, encoding) in ways(set, &pair) {
        let read = RingCiphertext::new(&frame(blob, encoding, &schema, &values)).unwrap();
        let read = read.values().unwrap();
        let read: Vec<i128> = read.iter().map(|value| byte(value, &key)).collect();
        assert_eq!(read, values, "{encoding:?}");
    }
}

#[test]
fn noise_of_the_device_library_is_that_of_theory() {
    for set in TFHE_SETS {
        let pair = TfheKeyPair::generate(set).unwrap();
        let secret = coefficients(&pair);
        let values = vec![1; set.ring_degree];
        let message = Message::new(&[ValueType::Bool], &values);
        let theory = match set.noise {
            isopod_wire::Noise::TUniform(bits) => 2f64.powi(bits.into()) / 3f64.sqrt(),
            isopod_wire::Noise::Gaussian128 => 128.0,
        };
        let samples: Vec<i64> = (0..8)
            .flat_map(|_| {
                let whole = TfheEncoding {
                    whole_bodies: true,
                    ..encoding(set)
                };
                let frame = frame(&pair.secret_blob, whole, &message.schema, &values);
                errors(&frame, &secret, &message)
            })
            .collect();
        let found = deviation(&samples);
        // Five standard deviations of an estimate from 8192 samples or more.
        assert!(
            (found / theory - 1.0).abs() < 0.04,
            "{}: {found} {theory}",
            set.name
        );
        let mean = samples.iter().sum::<i64>() as f64 / samples.len() as f64;
        assert!(
            mean.abs() < 5.0 * theory / (samples.len() as f64).sqrt(),
            "{mean}"
        );
    }
}

#[test]
fn every_way_of_a_device_reaches_tfhepp() {
    for set in &TFHE_SETS[1..] {
        let pair = TfheKeyPair::generate(set).unwrap();
        let key = Tfhepp::key(&coefficients(&pair)).unwrap();
        let key: Vec<i32> = key
            .chunks(4)
            .map(|word| i32::from_le_bytes(word.try_into().unwrap()))
            .collect();
        let values: Vec<i128> = (0..1024).map(|bit| bit / 3 % 2).collect();
        let schema = Schema::of_values(vec![ValueType::Bool; 1024]).unwrap();
        for (blob, encoding) in ways(set, &pair) {
            let ring = Tfhepp::from_frame(&frame(blob, encoding, &schema, &values)).unwrap();
            let rows = ring.tlwe(0..1024).unwrap();
            for (row, &value) in rows.chunks(4 * (TFHEPP_DEGREE + 1)).zip(&values) {
                let words: Vec<i32> = row
                    .chunks(4)
                    .map(|word| i32::from_le_bytes(word.try_into().unwrap()))
                    .collect();
                let (mask, body) = words.split_at(TFHEPP_DEGREE);
                let phase = mask.iter().zip(&key).fold(body[0], |phase, (a, s)| {
                    phase.wrapping_sub(a.wrapping_mul(*s))
                });
                assert_eq!(i128::from(phase > 0), value, "{} {encoding:?}", set.name);
                assert!((phase.abs() - (1 << 29)).abs() < 1 << 27, "{phase}");
            }
        }
    }
}

/// Round trip of tfhe-rs's key through a device's blobs.
#[test]
fn a_key_of_tfhe_rs_becomes_blobs() {
    let set = set("tfhe-2048-tfhe-rs");
    let theirs = ClientKey::generate(tfhe::ConfigBuilder::default().build());
    let pair = tfhe_blobs(set, &device_key(&theirs).unwrap()).unwrap();
    let values = [17, 255];
    let schema = Schema::of_values([ValueType::U8; 2]).unwrap();
    for (blob, encoding) in ways(set, &pair) {
        let read = RingCiphertext::new(&frame(blob, encoding, &schema, &values)).unwrap();
        assert_eq!(byte(&read.value(0).unwrap(), &theirs), 17);
        assert_eq!(byte(&read.value(1).unwrap(), &theirs), 255);
    }
    assert_eq!(coefficients(&pair), device_key(&theirs).unwrap()[..]);
    assert!(tfhe_blobs(set, &[-1; 2048]).is_err());
    assert!(tfhe_blobs(set, &[1; 2047]).is_err());
}

#[test]
fn what_a_device_refuses() {
    let set = set("tfhe-1024-binary");
    let pair = TfheKeyPair::generate(set).unwrap();
    let schema = Schema::of_values([ValueType::U8]).unwrap();
    let refusal = |encoding: TfheEncoding, blob: &[u8], schema: &Schema, values: &[i128]| {
        let key = [7; 32];
        let mut sender = Sender {
            device: 9,
            epoch: 1,
            sequence: 0,
            key: &key,
        };
        let encrypted = TfheEncryptor::new(blob, encoding)
            .and_then(|mut encryptor| encryptor.encrypt(schema, values, &mut sender));
        encrypted.unwrap_err().to_string()
    };
    let default = TfheEncoding {
        accept_label: Label::Bits128,
        ..encoding(set)
    };
    let error = refusal(default, &pair.secret_blob, &schema, &[1]);
    assert!(
        error.starts_with(
            "parameter set tfhe-1024-binary is labelled research; such sets are opt-in"
        ),
        "{error}"
    );
    let error = refusal(encoding(set), &pair.secret_blob, &schema, &[256]);
    assert_eq!(
        error,
        "value: 256 is out of range; allowed is 0 to 255 for u8"
    );
    let long = Schema::of_values(vec![ValueType::U8; 129]).unwrap();
    let error = refusal(encoding(set), &pair.secret_blob, &long, &[0; 129]);
    assert!(
        error.starts_with("1032 coefficients: a frame of set tfhe-1024-binary takes 1 to 1024"),
        "{error}"
    );
    let streaming = TfheEncoding {
        streaming: true,
        ..encoding(set)
    };
    let error = refusal(streaming, &pair.public_blob, &schema, &[1]);
    assert!(
        error.contains("a plain secret key is needed here"),
        "{error}"
    );
    let mut damaged = pair.secret_blob.to_vec();
    damaged[100] ^= 1;
    assert!(refusal(encoding(set), &damaged, &schema, &[1]).contains("key blob"));
}
