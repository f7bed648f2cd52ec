//! Key pairs, from the C library's key generation.

use crate::key_stream::KeyStream;
use crate::tables::SetTables;
use crate::{ffi, DeviceError, Result};
use isopod_wire::{pack, BlobKind, KeyBlob, KeyId, ParameterSet};
use sha3::{Digest, Sha3_256};
use zeroize::Zeroizing;

/// A blob with a secret in it, wiped when dropped; it has no `Debug`.
pub type SecretBlob = Zeroizing<Vec<u8>>;

/// A fresh key pair of one set, in all the forms that devices hold (spec/wire.md, section 5).
pub struct KeyPair {
    /// Names the pair on the wire.
    pub key_id: KeyId,
    /// pk0 and pk1 of each prime.
    pub public_blob: Vec<u8>,
    /// The seed of pk1, and pk0 of each prime: half the flash for a little more time.
    pub seeded_public_blob: Vec<u8>,
    /// The secret key, two bits per coefficient.
    pub secret_blob: SecretBlob,
    /// -NTT(s) of each prime: more flash, less time.
    pub secret_ntt_blob: SecretBlob,
}

/// Of a wide set, whose generation is not streamed.
struct Generator {
    set: &'static ParameterSet,
    tables: SetTables,
    mask_seed: [u8; 32],
    noise_key: Zeroizing<[u8; 32]>,
    ternary: Zeroizing<Vec<u32>>,
}

pub(crate) fn random() -> Result<Zeroizing<[u8; 32]>> {
    let mut bytes = Zeroizing::new([0; 32]);
    getrandom::fill(bytes.as_mut()).map_err(|_| DeviceError::Entropy)?;
    Ok(bytes)
}

#[allow(unsafe_code)]
impl Generator {
    fn new(set: &'static ParameterSet) -> Result<Self> {
        let tables = SetTables::build(set)?;
        let mut ternary = Zeroizing::new(vec![0u32; set.ring_degree / 16]);
        let seed = random()?;
        // SAFETY: n/16 words of output, 32 bytes of seed.
        unsafe {
            ffi::isopod_keygen_secret(ternary.as_mut_ptr(), tables.params, seed.as_ptr());
        }
        Ok(Self {
            set,
            tables,
            mask_seed: *random()?,
            noise_key: random()?,
            ternary,
        })
    }

    fn parts(&self) -> ffi::Keygen {
        ffi::Keygen {
            params: self.tables.params,
            tables: &self.tables.tables,
            mask_seed: self.mask_seed.as_ptr(),
            noise_key: self.noise_key.as_ptr(),
            ternary: self.ternary.as_ptr(),
        }
    }

    /// Canonical pk0 of one prime.
    fn body(&self, prime: usize) -> Vec<u64> {
        let (n, parts) = (self.set.ring_degree, self.parts());
        let (mut out, mut scratch) = (vec![0u64; n], Zeroizing::new(vec![0u64; n + n / 8]));
        let (to, with) = (out.as_mut_ptr(), scratch.as_mut_ptr());
        // SAFETY: n words of output, 9n bytes of scratch, a prime number within the set.
        unsafe { ffi::isopod_wide_keygen_public(to, &parts, prime as u8, with) };
        out
    }

    /// -NTT(s) of one prime, Montgomery form.
    fn secret_ntt(&self, prime: usize) -> Zeroizing<Vec<u64>> {
        let mut out = Zeroizing::new(vec![0u64; self.set.ring_degree]);
        let parts = self.parts();
        // SAFETY: n words of output, a prime number within the set.
        unsafe { ffi::isopod_wide_keygen_secret_ntt(out.as_mut_ptr(), &parts, prime as u8) };
        out
    }

    /// Words as blobs hold them.
    fn put(words: &[u64], out: &mut Vec<u8>) {
        out.extend(words.iter().flat_map(|word| word.to_le_bytes()));
    }

    /// The same of canonical residues, in Montgomery form.
    fn put_montgomery(residues: &[u64], modulus: u64, out: &mut Vec<u8>) {
        let form = |residue: &u64| ((u128::from(*residue) << 64) % u128::from(modulus)) as u64;
        let words: Vec<u64> = residues.iter().map(form).collect();
        Self::put(&words, out);
    }
}

impl KeyPair {
    /// A fresh pair from the system's entropy.
    ///
    /// Errors: no entropy, a set unknown to the C library.
    pub fn generate(set: &'static ParameterSet) -> Result<Self> {
        if set.is_wide() {
            return Self::generate_wide(set);
        }
        let mut stream = KeyStream::new(set)?;
        let key_id = stream.key_id()?;
        Ok(Self {
            key_id,
            public_blob: stream.blob(BlobKind::Public, &key_id)?.to_vec(),
            seeded_public_blob: stream.blob(BlobKind::SeededPublic, &key_id)?.to_vec(),
            secret_blob: stream.blob(BlobKind::SecretTernary, &key_id)?,
            secret_ntt_blob: stream.blob(BlobKind::SecretNtt, &key_id)?,
        })
    }

    fn generate_wide(set: &'static ParameterSet) -> Result<Self> {
        let generator = Generator::new(set)?;
        let primes = 0..set.data_primes.len();
        let bodies: Vec<_> = primes.clone().map(|prime| generator.body(prime)).collect();
        let masks = crate::expand_mask(set, isopod_wire::Suite::Chacha20, &generator.mask_seed)?;
        let key_id = key_id(set, &generator.mask_seed, &bodies);
        let seal = |kind, payload: &[u8]| seal_blob(kind, set, &key_id, payload);

        let mut public = Vec::new();
        let mut seeded = generator.mask_seed.to_vec();
        for (prime, modulus) in set.data_primes.iter().enumerate() {
            Generator::put_montgomery(&bodies[prime], *modulus, &mut seeded);
            Generator::put_montgomery(&bodies[prime], *modulus, &mut public);
            Generator::put_montgomery(&masks[prime], *modulus, &mut public);
        }
        let secret_bytes = set.ring_degree * set.word_bytes() * primes.len();
        let mut secret_ntt = Zeroizing::new(Vec::with_capacity(secret_bytes));
        for prime in primes {
            Generator::put(&generator.secret_ntt(prime), &mut secret_ntt);
        }
        let ternary: Zeroizing<Vec<u8>> = Zeroizing::new(bytes(&generator.ternary).collect());
        Ok(Self {
            key_id,
            public_blob: seal(BlobKind::Public, &public),
            seeded_public_blob: seal(BlobKind::SeededPublic, &seeded),
            secret_blob: Zeroizing::new(seal(BlobKind::SecretTernary, &ternary)),
            secret_ntt_blob: Zeroizing::new(seal(BlobKind::SecretNtt, &secret_ntt)),
        })
    }
}

fn bytes(words: &[u32]) -> impl Iterator<Item = u8> + '_ {
    words.iter().flat_map(|word| word.to_le_bytes())
}

fn key_id(set: &ParameterSet, mask_seed: &[u8; 32], bodies: &[Vec<u64>]) -> KeyId {
    let mut hash = Sha3_256::new();
    hash.update(b"isopod-v1-key-id");
    hash.update(set.set_id);
    hash.update(mask_seed);
    for (body, prime) in bodies.iter().zip(set.data_primes) {
        hash.update(pack(64 - prime.leading_zeros(), body));
    }
    let mut id = KeyId::default();
    id.copy_from_slice(&hash.finalize()[..16]);
    id
}

fn seal_blob(kind: BlobKind, set: &ParameterSet, key_id: &KeyId, payload: &[u8]) -> Vec<u8> {
    let head = KeyBlob::head(kind, set, key_id);
    let digest = Sha3_256::new()
        .chain_update(head)
        .chain_update(payload)
        .finalize();
    let mut blob = Vec::with_capacity(head.len() + digest.len() + payload.len());
    blob.extend_from_slice(&head);
    blob.extend_from_slice(&digest);
    blob.extend_from_slice(payload);
    blob
}
