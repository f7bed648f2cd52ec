//! The two sides, ready to encrypt, and one encryption of each.

use crate::cases::Case;
use anyhow::Result;
use isopod_device::{Encoding, Encryptor, Identity, KeyPair};
use isopod_seal::peer::Peer;
use isopod_seal::{Ciphertext, Context, SecretKey};
use isopod_wire::Suite;

/// Isopod: a fresh key, tables and buffers, made once.
pub struct Ours {
    encryptor: Encryptor,
    out: Vec<u8>,
}

impl Ours {
    pub fn new(case: &Case) -> Result<Self> {
        let pair = KeyPair::generate(case.set)?;
        let blob = if case.is_secret {
            pair.secret_ntt_blob.as_slice()
        } else {
            pair.public_blob.as_slice()
        };
        let encoding = Encoding {
            log2_scale: case.set.log2_scale.default,
            log2_bound: 0,
            chunks: 1,
            suite: Suite::Chacha20,
            accept_label: case.set.label,
        };
        Ok(Self {
            encryptor: Encryptor::new(blob, encoding)?,
            out: Vec::new(),
        })
    }

    /// Encode, encrypt, pack: the bytes.
    pub fn encrypt(&mut self, values: &[f64]) -> Result<&[u8]> {
        self.out.clear();
        self.encryptor
            .encrypt_unframed(isopod_device::Values::Real(values), &mut self.out)?;
        Ok(&self.out)
    }

    /// The same as authenticated frames: their length.
    pub fn encrypt_framed(&mut self, values: &[f64]) -> Result<usize> {
        let identity = Identity {
            device: 1,
            epoch: 1,
            key: &[7; 32],
        };
        let parts = self.encryptor.encrypt(values, &identity, 1)?;
        Ok(parts.iter().map(Vec::len).sum())
    }
}

/// Encrypts as SEAL's own users do; its memory pool keeps what earlier calls allocated.
pub struct Seals<'context> {
    peer: Peer<'context>,
    is_secret: bool,
    scale: f64,
}

/// A ternary key for SEAL; a benchmark's only.
pub fn seal_key(case: &Case, context: &Context) -> Result<SecretKey> {
    let mut state = 99u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        ((state >> 16) % 3) as i8 - 1
    };
    let coefficients: Vec<i8> = (0..case.set.ring_degree).map(|_| next()).collect();
    Ok(SecretKey::new(context, &coefficients)?)
}

impl<'context> Seals<'context> {
    pub fn new(case: &Case, context: &'context Context, key: &SecretKey) -> Result<Self> {
        Ok(Self {
            peer: Peer::new(context, key)?,
            is_secret: case.is_secret,
            scale: case.scale(),
        })
    }

    /// Encode, encrypt: the ciphertext.
    pub fn encrypt(&self, values: &[f64]) -> Result<Ciphertext> {
        Ok(if self.is_secret {
            self.peer.encrypt_symmetric(values, self.scale)?
        } else {
            self.peer.encrypt(values, self.scale)?
        })
    }
}
