//! Frames of a plain implementation through tfhe-rs itself: values, arithmetic, keys both ways, results.
#![allow(missing_docs, clippy::unwrap_used)]

use std::sync::OnceLock;

use crate::support::{
    deviation, encrypt_public, encrypt_secret, errors, public_key, set, Message, Numbers, Public,
};
use isopod_tfhe::native::{
    client_key, pack_result, Block, LookupTable, Native, Query, RingCiphertext, ServerKeyBytes,
    ServerKeys,
};
use isopod_tfhe::OwnerSecrets;
use isopod_wire::{Provenance, TfheResult, TfheSuite, ValueType};
use tfhe::integer::IntegerRadixCiphertext;
use tfhe::prelude::*;
use tfhe::{set_server_key, ClientKey, FheBool, FheUint8};

const SET: &str = "tfhe-2048-tfhe-rs";

/// Keys of all tests in this file; the server's keys go through their stored form.
struct Keys {
    secret: Vec<i8>,
    public: Public,
    owner: OwnerSecrets,
    client: ClientKey,
    server: ServerKeys,
}

fn keys() -> &'static Keys {
    static KEYS: OnceLock<Keys> = OnceLock::new();
    KEYS.get_or_init(|| {
        let (params, mut numbers) = (set(SET), Numbers(1));
        let secret = numbers.secret(params);
        let owner = OwnerSecrets::new(&secret).unwrap();
        let stored = ServerKeyBytes::generate(&owner).unwrap();
        Keys {
            public: public_key(params, &secret, &mut numbers),
            client: client_key(&owner),
            server: ServerKeys::load(&stored.server, &stored.packing).unwrap(),
            secret,
            owner,
        }
    })
}

/// Decrypts a value with tfhe-rs's own code.
fn decrypt(value: &Native, key: &ClientKey) -> i128 {
    match value {
        Native::Bool(value) => i128::from(value.decrypt(key)),
        Native::Uint8(value) => i128::from(FheDecrypt::<u8>::decrypt(value, key)),
        Native::Uint16(value) => i128::from(FheDecrypt::<u16>::decrypt(value, key)),
        Native::Uint32(value) => i128::from(FheDecrypt::<u32>::decrypt(value, key)),
        Native::Uint64(value) => i128::from(FheDecrypt::<u64>::decrypt(value, key)),
        Native::Int8(value) => i128::from(FheDecrypt::<i8>::decrypt(value, key)),
        Native::Int16(value) => i128::from(FheDecrypt::<i16>::decrypt(value, key)),
        Native::Int32(value) => i128::from(FheDecrypt::<i32>::decrypt(value, key)),
        Native::Int64(value) => i128::from(FheDecrypt::<i64>::decrypt(value, key)),
    }
}

fn decrypted(frame: &isopod_wire::TfheFrame) -> Vec<i128> {
    let values = RingCiphertext::new(frame).unwrap().values().unwrap();
    values
        .iter()
        .map(|value| decrypt(value, &keys().client))
        .collect()
}

/// Every byte, signed and unsigned, and both bits, by both routes and with every suite.
#[test]
fn every_byte_and_bit() {
    let (params, mut numbers) = (set(SET), Numbers(2));
    for of in [ValueType::U8, ValueType::I8, ValueType::Bool] {
        let (least, most) = of.range();
        let values: Vec<i128> = (least..=most).collect();
        let mut message = Message::new(&[of], &values);
        for suite in [TfheSuite::Chacha20, TfheSuite::Shake256, TfheSuite::Aes128] {
            message.suite = suite;
            let frame = encrypt_secret(params, &keys().secret, &message, &mut numbers);
            assert_eq!(decrypted(&frame), values);
        }
        let frame = encrypt_public(params, &keys().public, &message, &mut numbers);
        assert_eq!(decrypted(&frame), values);
    }
}

/// Extraction and the expansion of tfhe-rs's compact list give the same ciphertexts.
#[test]
fn extraction_is_the_compact_lists_expansion() {
    use tfhe::integer::ciphertext::IntegerCompactCiphertextListExpansionMode as Mode;
    let (params, mut numbers) = (set(SET), Numbers(3));
    let types = [
        ValueType::U8,
        ValueType::Bool,
        ValueType::U32,
        ValueType::I16,
    ];
    let values = [200, 1, 4_000_000_000, -30_000];
    let message = Message::new(&types, &values);
    for frame in [
        encrypt_secret(params, &keys().secret, &message, &mut numbers),
        encrypt_public(params, &keys().public, &message, &mut numbers),
    ] {
        let ring = RingCiphertext::new(&frame).unwrap();
        let expanded = ring
            .compact_list()
            .expand(Mode::NoCastingAndNoUnpacking)
            .unwrap();
        let ours = ring.values().unwrap();
        let theirs = expanded
            .get::<FheUint8>(0)
            .unwrap()
            .unwrap()
            .into_raw_parts()
            .0
            .into_blocks();
        assert_eq!(ours[0].clone().into_blocks(), theirs);
        let theirs = expanded
            .get::<FheBool>(1)
            .unwrap()
            .unwrap()
            .into_raw_parts();
        let ours = ring.value(1).unwrap().into_blocks();
        assert_eq!(ours[0].ct, theirs.ct);
        assert_eq!(decrypt(&ring.value(2).unwrap(), &keys().client), values[2]);
        assert_eq!(decrypt(&ring.value(3).unwrap(), &keys().client), values[3]);
        assert!(ring.value(4).is_err());
    }
}

/// tfhe-rs expands a frame with whole bodies and suite 4 by itself, as its own seeded ciphertext.
#[test]
fn an_aes_frame_is_tfhe_rss_seeded_ciphertext() {
    use tfhe::core_crypto::prelude::*;
    use tfhe::Seed;
    let (params, mut numbers) = (set(SET), Numbers(4));
    let values: Vec<i128> = (0..512).map(|value| value % 256).collect();
    let mut message = Message::new(&[ValueType::U8], &values);
    message.suite = TfheSuite::Aes128;
    let frame = encrypt_secret(params, &keys().secret, &message, &mut numbers);
    let seed = Seed(u128::from_le_bytes(frame.header.nonce));
    let seeded = SeededGlweCiphertext::from_container(
        frame.bodies.clone(),
        GlweSize(2),
        seed.into(),
        CiphertextModulus::new_native(),
    );
    let whole = seeded.decompress_into_glwe_ciphertext();
    assert_eq!(whole.get_mask().as_ref(), isopod_tfhe::frame_mask(&frame));
    assert_eq!(whole.get_body().as_ref(), frame.bodies);
}

/// Values take part in arithmetic and comparison with tfhe-rs's own encryptions, mixed widths and both routes.
#[test]
fn arithmetic_and_comparison() {
    let (params, mut numbers) = (set(SET), Numbers(5));
    set_server_key(keys().server.server().clone());
    for (left, right) in [(0u8, 0u8), (255, 1), (77, 200), (128, 128)] {
        let values = [i128::from(left), i128::from(right)];
        let message = Message::new(&[ValueType::U8], &values);
        let by_secret = encrypt_secret(params, &keys().secret, &message, &mut numbers);
        let by_public = encrypt_public(params, &keys().public, &message, &mut numbers);
        let one = RingCiphertext::new(&by_secret).unwrap().value(0).unwrap();
        let other = RingCiphertext::new(&by_public).unwrap().value(1).unwrap();
        let (Native::Uint8(one), Native::Uint8(other)) = (one, other) else {
            panic!("both are u8");
        };
        let own = FheUint8::encrypt(right, &keys().client);
        let client = &keys().client;
        let sum: u8 = (&one + &other).decrypt(client);
        assert_eq!(sum, left.wrapping_add(right));
        let product: u8 = (&one * &own).decrypt(client);
        assert_eq!(product, left.wrapping_mul(right));
        assert_eq!(one.gt(&other).decrypt(client), left > right);
        assert_eq!(one.eq(&own).decrypt(client), left == right);
        let chosen: u8 = one.lt(&other).if_then_else(&one, &other).decrypt(client);
        assert_eq!(chosen, left.min(right));
    }
}

/// Bytes of every high digit and every low one, unsigned and signed.
#[test]
fn bytes_add_and_compare() {
    add_and_compare(17);
}

#[test]
#[ignore = "minutes; make test-all runs it"]
fn every_byte_adds_and_compares() {
    add_and_compare(1);
}

/// Every `step`-th byte, unsigned and signed, goes through a sum and a comparison.
fn add_and_compare(step: usize) {
    let (params, mut numbers) = (set(SET), Numbers(17));
    set_server_key(keys().server.server().clone());
    let client = &keys().client;
    for of in [ValueType::U8, ValueType::I8] {
        let (least, most) = of.range();
        let values: Vec<i128> = (least..=most).step_by(step).collect();
        let message = Message::new(&[of], &values);
        let frame = encrypt_secret(params, &keys().secret, &message, &mut numbers);
        let natives = RingCiphertext::new(&frame).unwrap().values().unwrap();
        for (native, &value) in natives.iter().zip(&values) {
            let (sum, is_over) = match native {
                Native::Uint8(byte) => {
                    let sum: u8 = (byte + 77u8).decrypt(client);
                    (sum as i8, byte.gt(99u8).decrypt(client))
                }
                Native::Int8(byte) => {
                    let sum: i8 = (byte + 77i8).decrypt(client);
                    (sum, byte.gt(99i8).decrypt(client))
                }
                _ => panic!("a byte"),
            };
            assert_eq!(sum, (value as i8).wrapping_add(77), "{value}");
            assert_eq!(is_over, value > 99, "{value}");
        }
    }
}

/// Noise of device frames, fresh, by public key, and rounded, is below that which a bootstrap leaves, for which tfhe-rs's
/// failure probability is computed; the deviations are those of theory.
#[test]
fn noise_is_that_of_theory_and_within_the_margin() {
    let (params, mut numbers) = (set(SET), Numbers(6));
    let values: Vec<i128> = (0..512).map(|value| value % 256).collect();
    let mut message = Message::new(&[ValueType::U8], &values);
    let fresh = 2f64.powi(17) / 3f64.sqrt();
    let frame = encrypt_secret(params, &keys().secret, &message, &mut numbers);
    let by_secret = deviation(&errors(&frame, &keys().secret, &message));
    // Four standard deviations of an estimate from 2048 samples of a distribution flatter than a Gaussian: 6 %.
    assert!((by_secret / fresh - 1.0).abs() < 0.06, "{by_secret}");
    // e*u + e2 - e1*s: 2N binary factors of one half, and one more. Binary factors are not centred, so that the errors of one
    // key pair are correlated; hence 16 pairs.
    let errors_of_pair = |_| {
        let secret = numbers.secret(params);
        let public = public_key(params, &secret, &mut numbers);
        let frame = encrypt_public(params, &public, &message, &mut numbers);
        errors(&frame, &secret, &message)
    };
    let by_public = deviation(&(0..16).flat_map(errors_of_pair).collect::<Vec<_>>());
    let theory = fresh * (params.ring_degree as f64 + 1.0).sqrt();
    assert!(
        (by_public / theory - 1.0).abs() < 0.25,
        "{by_public} {theory}"
    );
    message.rounded = true;
    let frame = encrypt_secret(params, &keys().secret, &message, &mut numbers);
    let rounded = deviation(&errors(&frame, &keys().secret, &message));
    let theory = 2f64.powi(32) / 12f64.sqrt();
    assert!((rounded / theory - 1.0).abs() < 0.06, "{rounded}");
    let bootstrapped = bootstrap_deviation();
    assert!(rounded < bootstrapped / 1000.0);
    // Noise that is not opt-in leaves no trace in a sum with a bootstrap's output.
    assert!(by_secret.max(by_public) < bootstrapped / 1e5);
}

/// Standard deviation of the noise of 256 blocks fresh from a bootstrap, measured.
fn bootstrap_deviation() -> f64 {
    use tfhe::core_crypto::prelude::*;
    static MEASURED: OnceLock<f64> = OnceLock::new();
    let integers: &tfhe::integer::ClientKey = keys().client.as_ref();
    let blocks: &tfhe::shortint::ClientKey = integers.as_ref();
    let server: &tfhe::shortint::ServerKey = keys().server.integers().as_ref();
    let noise = |_| {
        let mut block = blocks.encrypt(1);
        server.message_extract_assign(&mut block);
        let phase = decrypt_lwe_ciphertext(&blocks.encryption_key(), &block.ct).0;
        phase.wrapping_sub(1 << 59) as i64
    };
    *MEASURED.get_or_init(|| deviation(&(0..256).map(noise).collect::<Vec<_>>()))
}

/// Every entry of tables, of one function and of two, in batches that are not full; the noise is that of tfhe-rs's own bootstrap.
#[test]
fn lookups_in_batches_are_those_of_tfhe_rs() {
    use tfhe::core_crypto::prelude::*;
    let (params, mut numbers) = (set(SET), Numbers(9));
    let values: Vec<i128> = (0..16).collect();
    let message = Message::new(&[ValueType::U8], &values);
    let frame = encrypt_public(params, &keys().public, &message, &mut numbers);
    let ring = RingCiphertext::new(&frame).unwrap();
    let numbers = ring
        .sums(0..16)
        .map(|blocks| blocks[0].clone().plus(&blocks[1], 4));
    let numbers: Vec<Block> = numbers.collect();
    let square = |at: i64| at * at % 4;
    let table = LookupTable::new(0, |at| 2 * square(at));
    let queries: Vec<Query<'_>> = numbers
        .iter()
        .map(|block| (block.clone(), &table))
        .collect();
    let mut wanted: Vec<i64> = (0..16).map(square).collect();
    let mut found: Vec<Block> = Vec::new();
    let two = LookupTable::pair(|at| at % 4, |at| at / 4);
    for _ in 0..8 {
        found.extend(keys().server.look_up(&queries).unwrap());
    }
    wanted = wanted.repeat(8);
    let pairs: Vec<Query<'_>> = numbers[..8]
        .iter()
        .map(|block| (block.clone(), &two))
        .collect();
    for (at, (one, other)) in keys()
        .server
        .look_up_pairs(&pairs)
        .unwrap()
        .into_iter()
        .enumerate()
    {
        found.extend([one, other]);
        wanted.extend([at as i64 % 4, at as i64 / 4]);
    }
    let integers: &tfhe::integer::ClientKey = keys().client.as_ref();
    let blocks: &tfhe::shortint::ClientKey = integers.as_ref();
    let noise = found.into_iter().zip(wanted).map(|(block, wanted)| {
        let block = Native::of_sums(vec![block; 4], ValueType::U8)
            .unwrap()
            .into_blocks();
        let phase = decrypt_lwe_ciphertext(&blocks.encryption_key(), &block[0].ct).0;
        let error = phase.wrapping_sub((wanted as u64) << 59) as i64;
        assert!(error.unsigned_abs() < 1 << 58, "{wanted}");
        error
    });
    // About 32 of the errors are independent: their deviation is off by half in one run of 10,000.
    let ratio = deviation(&noise.collect::<Vec<_>>()) / bootstrap_deviation();
    assert!((0.5..2.0).contains(&ratio), "{ratio}");
}

/// Noise counts as that of bootstraps, of one sign; a sum beyond tfhe-rs's limit is refused before any work.
#[test]
fn sums_that_are_too_noisy_are_refused() {
    let table = LookupTable::new(0, |_| 0);
    let bit = keys().server.look_up(&[(Block::clear(1), &table)]).unwrap();
    let sum = |times| Block::clear(0).plus(&bit[0], times);
    assert_eq!(
        (sum(5).level(), sum(-5).level(), Block::clear(3).level()),
        (5, 5, 0)
    );
    assert!(keys().server.look_up(&[(sum(-5), &table)]).is_ok());
    let error = keys()
        .server
        .look_up(&[(sum(1), &table), (sum(6), &table)])
        .err()
        .unwrap();
    assert_eq!(
        error.to_string(),
        "noise: that of 6 bootstraps in one sum; allowed are at most 5"
    );
}

/// Rounded bodies decrypt and compute; it is the only opt-in that adds noise.
#[test]
fn rounded_bodies_compute() {
    let (params, mut numbers) = (set(SET), Numbers(7));
    set_server_key(keys().server.server().clone());
    let values: Vec<i128> = (0..=255).collect();
    let mut message = Message::new(&[ValueType::U8], &values);
    message.rounded = true;
    let frame = encrypt_secret(params, &keys().secret, &message, &mut numbers);
    assert_eq!(decrypted(&frame), values);
    let Native::Uint8(last) = RingCiphertext::new(&frame).unwrap().value(255).unwrap() else {
        panic!("a u8");
    };
    let sum: u8 = (&last + 2u8).decrypt(&keys().client);
    assert_eq!(sum, 1);
}

/// Results hold the values of their schema, also beyond one group of blocks, and only their owner reads them.
#[test]
fn results_are_read_by_the_owner_alone() {
    let (params, mut numbers) = (set(SET), Numbers(8));
    let types = [ValueType::U64; 9];
    let values: Vec<i128> = (0..9).map(|_| i128::from(numbers.next())).collect();
    let message = Message::new(&types, &values);
    let frame = encrypt_secret(params, &keys().secret, &message, &mut numbers);
    let mut natives = RingCiphertext::new(&frame).unwrap().values().unwrap();
    let signed = Message::new(&[ValueType::I8, ValueType::Bool], &[-128, 1]);
    let frame = encrypt_public(params, &keys().public, &signed, &mut numbers);
    natives.extend(RingCiphertext::new(&frame).unwrap().values().unwrap());
    let (schema, packed) = pack_result(&keys().server, natives).unwrap();
    let mut result = TfheResult {
        params,
        key_id: [0; 16],
        nonce: [0; 16],
        provenance: Provenance::default(),
        columns: schema.values() as u32,
        frame_columns: 1,
        schema,
        packed,
    };
    let read = keys().owner.decrypt(&result).unwrap();
    assert_eq!(read, [&values[..], &[-128, 1]].concat());
    let stranger = OwnerSecrets::new(&numbers.secret(params)).unwrap();
    assert!(stranger.decrypt(&result).is_err());
    result.packed[2000] ^= 0x80;
    assert_ne!(keys().owner.decrypt(&result).ok(), Some(read));
}

/// A key that tfhe-rs made encrypts on a device, secret and public, and tfhe-rs decrypts under its own key.
#[test]
fn keys_of_tfhe_rs_serve_devices() {
    use isopod_tfhe::native::{compact_public_key_words, device_key};
    let (params, mut numbers) = (set(SET), Numbers(9));
    let theirs = ClientKey::generate(tfhe::ConfigBuilder::default().build());
    let secret = device_key(&theirs).unwrap();
    let (p0, p1) = compact_public_key_words(tfhe::CompactPublicKey::new(&theirs), params).unwrap();
    let values = [-1, -128, 127, 0];
    let message = Message::new(&[ValueType::I8], &values);
    let frames = [
        encrypt_secret(params, &secret, &message, &mut numbers),
        encrypt_public(params, &Public { p0, p1 }, &message, &mut numbers),
    ];
    for frame in frames {
        let read = RingCiphertext::new(&frame).unwrap().values().unwrap();
        let read: Vec<i128> = read.iter().map(|value| decrypt(value, &theirs)).collect();
        assert_eq!(read, values);
    }
    assert_eq!(device_key(&keys().client).unwrap()[..], keys().secret[..]);
    let other = tfhe::shortint::parameters::current_params::V1_8_PARAM_MESSAGE_1_CARRY_1_KS_PBS_TUNIFORM_2M128;
    let other = ClientKey::generate(tfhe::ConfigBuilder::with_custom_parameters(other).build());
    assert!(device_key(&other).is_err());
}

/// Stored keys are refused if they were cut, changed in their header, or made for other parameters.
#[test]
fn other_server_keys_are_refused() {
    let other = tfhe::shortint::parameters::current_params::V1_8_PARAM_MESSAGE_1_CARRY_1_KS_PBS_TUNIFORM_2M128;
    let config = tfhe::ConfigBuilder::with_custom_parameters(other)
        .use_dedicated_oprf_key(false)
        .build();
    let other = tfhe::CompressedServerKey::new(&ClientKey::generate(config));
    let mut bytes = Vec::new();
    tfhe::safe_serialization::safe_serialize(&other, &mut bytes, 1 << 30).unwrap();
    let stored = ServerKeyBytes::generate(&keys().owner).unwrap();
    assert!(ServerKeys::load(&bytes, &stored.packing).is_err());
    assert!(ServerKeys::load(&stored.server[..1 << 20], &stored.packing).is_err());
    assert!(ServerKeys::load(&stored.packing, &stored.packing).is_err());
    assert!(ServerKeys::load(&stored.server, &[]).is_err());
}

#[test]
fn other_sets_are_named() {
    let (params, mut numbers) = (set("tfhe-1024-tfhepp"), Numbers(10));
    let secret = numbers.secret(params);
    let message = Message::new(&[ValueType::Bool], &[1, 0]);
    let frame = encrypt_secret(params, &secret, &message, &mut numbers);
    let error = RingCiphertext::new(&frame).unwrap_err().to_string();
    assert!(
        error.starts_with(
            "set tfhe-1024-tfhepp: not a set of tfhe-rs; allowed is tfhe-2048-tfhe-rs"
        ),
        "{error}"
    );
}

mod wide {
    //! Values of the wider types, at random.
    use super::*;
    use proptest::prelude::*;

    fn value(of: ValueType) -> impl Strategy<Value = i128> {
        let (least, most) = of.range();
        prop_oneof![8 => least..=most, 1 => Just(least), 1 => Just(most)]
    }

    fn values() -> impl Strategy<Value = (ValueType, Vec<i128>)> {
        prop::sample::select(&ValueType::ALL[..])
            .prop_flat_map(|of| (Just(of), prop::collection::vec(value(of), 1..=16)))
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn every_width_comes_back((of, values) in values(), seed: u64, public: bool) {
            let (params, mut numbers) = (set(SET), Numbers(seed));
            let message = Message::new(&[of], &values);
            let frame = if public {
                encrypt_public(params, &keys().public, &message, &mut numbers)
            } else {
                encrypt_secret(params, &keys().secret, &message, &mut numbers)
            };
            prop_assert_eq!(decrypted(&frame), values);
        }
    }
}
