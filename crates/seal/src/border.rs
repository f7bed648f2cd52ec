//! The border to C++: functions of the shim, and their exceptions as [`Error::Seal`].

use crate::Error;

#[allow(unsafe_code, reason = "the FFI border; shim.h is the other side")]
#[cxx::bridge]
pub(crate) mod ffi {
    #[namespace = "seal"]
    unsafe extern "C++" {
        include!("isopod-seal/shim/shim.h");
        type Ciphertext;
        type Plaintext;
        type SecretKey;
        type RelinKeys;
        type GaloisKeys;
    }

    #[namespace = "isopod"]
    unsafe extern "C++" {
        type Native;
        type Peer;

        fn version() -> String;
        fn make_native(
            ring_degree: usize,
            primes: &[u64],
            plain_modulus: u64,
        ) -> Result<UniquePtr<Native>>;

        fn load_ciphertext(native: &Native, image: &[u8]) -> Result<UniquePtr<Ciphertext>>;
        fn copy(ciphertext: &Ciphertext) -> UniquePtr<Ciphertext>;
        fn polynomials(ciphertext: &Ciphertext) -> usize;
        fn primes(ciphertext: &Ciphertext) -> usize;
        fn scale(ciphertext: &Ciphertext) -> f64;
        fn set_scale(ciphertext: Pin<&mut Ciphertext>, scale: f64);
        fn words(ciphertext: &Ciphertext) -> &[u64];
        fn to_ntt(native: &Native, a: Pin<&mut Ciphertext>) -> Result<()>;
        fn from_ntt(native: &Native, a: Pin<&mut Ciphertext>) -> Result<()>;

        fn encode(
            native: &Native,
            values: &[f64],
            scale: f64,
            primes: usize,
        ) -> Result<UniquePtr<Plaintext>>;
        fn encode_constant(
            native: &Native,
            value: f64,
            scale: f64,
            primes: usize,
        ) -> Result<UniquePtr<Plaintext>>;
        fn decode(native: &Native, plaintext: &Plaintext) -> Result<Vec<f64>>;
        fn encode_slots(native: &Native, values: &[i64]) -> Result<UniquePtr<Plaintext>>;
        fn decode_slots(native: &Native, plaintext: &Plaintext) -> Result<Vec<i64>>;
        fn encode_coefficients(values: &[u64]) -> UniquePtr<Plaintext>;
        fn decode_coefficients(plaintext: &Plaintext) -> Vec<u64>;

        fn add(native: &Native, a: Pin<&mut Ciphertext>, b: &Ciphertext) -> Result<()>;
        fn subtract(native: &Native, a: Pin<&mut Ciphertext>, b: &Ciphertext) -> Result<()>;
        fn add_plain(native: &Native, a: Pin<&mut Ciphertext>, b: &Plaintext) -> Result<()>;
        fn multiply(native: &Native, a: Pin<&mut Ciphertext>, b: &Ciphertext) -> Result<()>;
        fn multiply_plain(native: &Native, a: Pin<&mut Ciphertext>, b: &Plaintext) -> Result<()>;
        fn square(native: &Native, a: Pin<&mut Ciphertext>) -> Result<()>;
        fn rescale(native: &Native, a: Pin<&mut Ciphertext>) -> Result<()>;
        fn drop_primes(native: &Native, a: Pin<&mut Ciphertext>, primes: usize) -> Result<()>;
        fn relinearize(native: &Native, a: Pin<&mut Ciphertext>, keys: &RelinKeys) -> Result<()>;
        fn apply_galois(
            native: &Native,
            a: Pin<&mut Ciphertext>,
            element: u32,
            keys: &GaloisKeys,
        ) -> Result<()>;

        fn load_relinearization_key(native: &Native, image: &[u8]) -> Result<UniquePtr<RelinKeys>>;
        fn load_galois_keys(native: &Native, image: &[u8]) -> Result<UniquePtr<GaloisKeys>>;
        fn relinearization_words(keys: &RelinKeys, decomposition: usize) -> Result<&[u64]>;
        fn galois_words(keys: &GaloisKeys, element: u32, decomposition: usize) -> Result<&[u64]>;
    }

    #[cfg(feature = "owner")]
    #[namespace = "isopod"]
    unsafe extern "C++" {
        fn transform_ternary(native: &Native, coefficients: &[i8], out: &mut [u64]) -> Result<()>;
        fn load_secret_key(native: &Native, image: &[u8]) -> Result<UniquePtr<SecretKey>>;
        fn decrypt(
            native: &Native,
            secret: &SecretKey,
            a: &Ciphertext,
        ) -> Result<UniquePtr<Plaintext>>;
        fn noise_budget(native: &Native, secret: &SecretKey, a: &Ciphertext) -> Result<i32>;
        fn make_relinearization_key(
            native: &Native,
            secret: &SecretKey,
        ) -> Result<UniquePtr<RelinKeys>>;
        fn make_galois_keys(
            native: &Native,
            secret: &SecretKey,
            elements: &[u32],
        ) -> Result<UniquePtr<GaloisKeys>>;

        fn make_peer(native: &Native, secret: &SecretKey) -> Result<UniquePtr<Peer>>;
        fn peer_encrypt(peer: &Peer, plaintext: &Plaintext) -> Result<UniquePtr<Ciphertext>>;
        fn peer_encrypt_symmetric(
            peer: &Peer,
            plaintext: &Plaintext,
        ) -> Result<UniquePtr<Ciphertext>>;
        fn peer_serialize(ciphertext: &Ciphertext) -> Result<UniquePtr<CxxVector<u8>>>;
        fn peer_serialize_public(
            peer: &Peer,
            plaintext: &Plaintext,
        ) -> Result<UniquePtr<CxxVector<u8>>>;
        fn peer_serialize_seeded(
            peer: &Peer,
            plaintext: &Plaintext,
        ) -> Result<UniquePtr<CxxVector<u8>>>;
    }
}

/// SEAL's contexts, encoders, evaluators, keys and ciphertexts have no hidden state once they are made, but for tables of
/// permutations and a pool of memory, which it locks.
#[allow(unsafe_code, reason = "a promise of the C++ side")]
mod threads {
    use super::ffi::{Ciphertext, GaloisKeys, Native, RelinKeys};

    // SAFETY: as said above; the functions of the bridge take what they change as `Pin<&mut _>`.
    unsafe impl Send for Native {}
    // SAFETY: likewise.
    unsafe impl Sync for Native {}
    // SAFETY: likewise.
    unsafe impl Send for Ciphertext {}
    // SAFETY: likewise.
    unsafe impl Sync for Ciphertext {}
    // SAFETY: likewise.
    unsafe impl Sync for RelinKeys {}
    // SAFETY: likewise.
    unsafe impl Sync for GaloisKeys {}
}

/// Adds to an exception the name of the operation in which SEAL threw it.
pub(crate) fn named<T>(
    operation: &'static str,
    result: Result<T, cxx::Exception>,
) -> Result<T, Error> {
    result.map_err(|exception| Error::Seal {
        operation,
        message: exception.what().to_owned(),
    })
}
