//! Key generation of TFHE by the C library (`spec/tfhe.md`, section 5).

use super::set::{find_set, TfheTables};
use crate::entropy::random;
use crate::error::{DeviceError, Result};
use crate::key::SecretBlob;
use isopod_sys::*;
use isopod_wire::{KeyId, SecretDistribution, TfheBlob, TfheBlobKind, TfheParams};
use zeroize::Zeroizing;

/// A key pair of one set, in all forms that devices hold (spec/wire.md, section 5).
pub struct TfheKeyPair {
    /// Name of the pair on the wire.
    pub key_id: KeyId,
    /// p0 and p1.
    pub public_blob: Vec<u8>,
    /// The seed of p0, and p1: half the flash for a little more time.
    pub seeded_public_blob: Vec<u8>,
    /// The secret key, one bit per coefficient, or two if it is ternary.
    pub secret_blob: SecretBlob,
    /// The secret key after the NTT: more flash, less time and memory.
    pub secret_transformed_blob: SecretBlob,
}

impl TfheKeyPair {
    /// Generates a pair from the system's entropy.
    ///
    /// Errors: [`DeviceError::Entropy`]; [`DeviceError::Parameters`] for a set unknown to the C library.
    #[allow(unsafe_code)]
    pub fn generate(set: &'static TfheParams) -> Result<Self> {
        let mut secret = Zeroizing::new(vec![0u32; TfheBlobKind::Secret.payload_bytes(set) / 4]);
        // SAFETY: room for a plain secret, 32 bytes of seed, a set of the C library.
        unsafe {
            isopod_tfhe_keygen_secret(secret.as_mut_ptr(), find_set(set)?, random()?.as_ptr());
        }
        from_payload(set, &secret)
    }
}

/// Key pair of a secret key made elsewhere, given by its N coefficients: 0 and 1 in a binary set, -1 to 1 in a ternary one. The
/// public key is made anew.
///
/// Errors: [`DeviceError::KeyFormat`] for another number of coefficients or one out of range; those of
/// [`TfheKeyPair::generate`].
pub fn tfhe_blobs(set: &'static TfheParams, coefficients: &[i8]) -> Result<TfheKeyPair> {
    let binary = set.secret == SecretDistribution::Binary;
    let (least, per_byte) = if binary { (0, 8) } else { (-1, 4) };
    if coefficients.len() != set.ring_degree {
        return Err(DeviceError::KeyFormat);
    }
    // Counts over all coefficients, so that time tells nothing about one.
    let outside = coefficients
        .iter()
        .filter(|value| !(least..=1).contains(*value));
    if outside.count() > 0 {
        return Err(DeviceError::KeyFormat);
    }
    let byte = |values: &[i8]| {
        values.iter().rev().fold(0u8, |sum, value| {
            sum << (8 / per_byte) | (value - least) as u8
        })
    };
    let payload: Zeroizing<Vec<u8>> =
        Zeroizing::new(coefficients.chunks(per_byte).map(byte).collect());
    let word = |bytes: &[u8]| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    from_payload(set, &Zeroizing::new(payload.chunks(4).map(word).collect()))
}

fn from_payload(set: &'static TfheParams, secret: &Zeroizing<Vec<u32>>) -> Result<TfheKeyPair> {
    let params = find_set(set)?;
    let (mask_seed, noise_key) = (random()?, random()?);
    let mut workspace = Zeroizing::new(vec![0u64; set.ring_degree * (set.word_bytes() + 9) / 8]);
    let tables = TfheTables::build(params)?;
    let keygen = isopod_tfhe_keygen {
        params,
        tables: tables.pointer(),
        mask_seed: mask_seed.as_ptr(),
        noise_key: noise_key.as_ptr(),
        secret: secret.as_ptr(),
        workspace: workspace.as_mut_ptr().cast(),
    };
    let public = blob(set, &keygen, TfheBlobKind::Public)?;
    Ok(TfheKeyPair {
        key_id: TfheBlob::read(&public)?.key_id,
        seeded_public_blob: blob(set, &keygen, TfheBlobKind::SeededPublic)?.to_vec(),
        secret_blob: blob(set, &keygen, TfheBlobKind::Secret)?,
        secret_transformed_blob: blob(set, &keygen, TfheBlobKind::SecretTransformed)?,
        public_blob: public.to_vec(),
    })
}

#[allow(unsafe_code)]
fn blob(set: &TfheParams, keygen: &isopod_tfhe_keygen, kind: TfheBlobKind) -> Result<SecretBlob> {
    let length = TfheBlob::bytes(kind, set);
    let mut words = Zeroizing::new(vec![0u64; length.div_ceil(8)]);
    // SAFETY: 8-byte aligned output of the blob's length; every pointer of `keygen` is live, its workspace as large as
    // ISOPOD_TFHE_SECRET_PLAIN_WORKSPACE.
    let status =
        unsafe { isopod_tfhe_keygen_blob(words.as_mut_ptr().cast(), keygen, kind.number() as i32) };
    if status != ISOPOD_OK {
        return Err(DeviceError::Internal(status));
    }
    let mut blob = Zeroizing::new(Vec::with_capacity(words.len() * 8));
    blob.extend(words.iter().flat_map(|word| word.to_ne_bytes()));
    blob.truncate(length);
    Ok(blob)
}
