//! Tags against RustCrypto's XChaCha20-Poly1305, and the vector code against its Poly1305.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use super::*;
use chacha20poly1305::aead::{Aead as _, Payload};
use chacha20poly1305::XChaCha20Poly1305;
use proptest::prelude::*;

proptest! {
    #[test]
    fn a_tag_is_that_of_an_empty_plaintext(key: [u8; 32], nonce: [u8; 24], message in message()) {
        let cipher = XChaCha20Poly1305::new(&key.into());
        let wanted = cipher.encrypt(&nonce.into(), Payload { msg: &[], aad: &message }).unwrap();
        let tag = tag(&key, &nonce, &message);
        prop_assert_eq!(&tag[..], wanted);
        prop_assert!(verify(&key, &nonce, &message, &tag));
        let mut wrong = tag;
        wrong[usize::from(key[0]) % BLOCK] ^= 1 << (nonce[0] % 8);
        prop_assert!(!verify(&key, &nonce, &message, &wrong));
    }
}

proptest! {
    #[test]
    fn a_cipher_is_that_of_a_plaintext(key: [u8; 32], nonce: [u8; 24], message in message()) {
        let cipher = XChaCha20Poly1305::new(&key.into());
        let wanted = cipher.encrypt(&nonce.into(), &message[..]).unwrap();
        let mut bytes = message.clone();
        self::cipher(&key, &nonce, &mut bytes);
        prop_assert_eq!(&bytes, &wanted[..message.len()]);
        self::cipher(&key, &nonce, &mut bytes);
        prop_assert_eq!(bytes, message);
    }
}

/// Random messages, short and long.
fn message() -> impl Strategy<Value = Vec<u8>> {
    (0usize..10_000, any::<u8>(), any::<u8>()).prop_map(|(length, first, step)| {
        let bytes = (0..length).map(|at| (at * at) as u8);
        bytes.map(|byte| byte.wrapping_mul(step) ^ first).collect()
    })
}

#[cfg(target_arch = "x86_64")]
#[test]
fn vectors_agree_at_every_length_and_at_the_largest_limbs() {
    for byte in [0, 1, 0x7f, 0xfe, 0xff] {
        let message = [byte; 5000];
        for r in [0, 4, 0xfc, 0xff] {
            for s in [0, 0xff] {
                let mut once = [r; 32];
                once[BLOCK..].fill(s);
                for length in 2048..2048 + 600 {
                    let found = ifma::authenticate(&once, &message[..length], &[byte; BLOCK]);
                    if is_x86_feature_detected!("avx512ifma") {
                        let wanted = portable(&once, &message[..length], &[byte; BLOCK]);
                        assert_eq!(found, Some(wanted), "{byte} {r} {s} {length}");
                    }
                }
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[test]
fn values_at_the_prime_are_reduced() {
    for below in 0..10 {
        // 2^130 - 1 - below.
        let value = field::Element([(1 << 44) - 1 - below, (1 << 44) - 1, (1 << 42) - 1]);
        let wanted = match below {
            0..=4 => u128::from(4 - below),
            _ => u128::MAX - u128::from(below),
        };
        assert_eq!(value.low_bits(), wanted);
    }
}
