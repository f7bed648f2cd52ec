//! Key blobs of TFHE, as devices hold them in flash (`spec/wire.md`, section 5). `isopod-keys` checks digests.

use crate::blob::header::{known, BlobParts, HeadFields};
use crate::codes::key_blob::{HEADER_BYTES, HEAD_BYTES};
use crate::codes::{size, tfhe_key_kind};
use crate::params::tfhe::{self, Secret};
use crate::{KeyId, Result, TfheParams, WireError};

/// Content of a blob.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum TfheBlobKind {
    /// p0, p1.
    Public = tfhe_key_kind::PUBLIC,
    /// The seed of p0, then p1.
    SeededPublic = tfhe_key_kind::PUBLIC_SEEDED,
    /// The secret key, one bit per coefficient, or two if it is ternary.
    Secret = tfhe_key_kind::SECRET,
    /// The secret key after the NTT, divided by N.
    SecretTransformed = tfhe_key_kind::SECRET_TRANSFORMED,
}

impl TfheBlobKind {
    const ALL: [Self; 4] = [
        Self::Public,
        Self::SeededPublic,
        Self::Secret,
        Self::SecretTransformed,
    ];

    /// The number on the wire.
    pub fn number(self) -> u32 {
        self as u32
    }

    fn read(number: u32) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|kind| kind.number() == number);
        found.ok_or(WireError::UnknownKind {
            found: number.into(),
            allowed: tfhe_key_kind::ALLOWED,
        })
    }

    /// Exact length of the payload under a set, in bytes.
    pub fn payload_bytes(self, params: &TfheParams) -> usize {
        let polynomial = params.ring_degree * params.word_bytes();
        match self {
            Self::Public => 2 * polynomial,
            Self::SeededPublic => size::MASK_SEED + polynomial,
            Self::Secret if params.secret == Secret::Binary => params.ring_degree / 8,
            Self::Secret => params.ring_degree / 4,
            Self::SecretTransformed => params.ring_degree * 4,
        }
    }
}

/// A blob of the exact length; digest and payload are not verified. No Debug, since the payload may be secret.
pub struct TfheBlob<'a> {
    /// Content of the payload.
    pub kind: TfheBlobKind,
    /// Parameter set.
    pub params: &'static TfheParams,
    /// Key pair.
    pub key_id: KeyId,
    /// The digest that the blob carries: SHA3-256 of `head`, then `payload`.
    pub digest: &'a [u8; size::DIGEST],
    /// The bytes before the digest.
    pub head: &'a [u8; HEAD_BYTES],
    /// The key.
    pub payload: &'a [u8],
}

impl<'a> TfheBlob<'a> {
    /// Reads a blob that fills `bytes`.
    ///
    /// Errors: magic, kind, set, degree, primes or length other than the set demands.
    pub fn read(bytes: &'a [u8]) -> Result<Self> {
        let parts = BlobParts::split(bytes)?;
        let kind = TfheBlobKind::read(parts.kind())?;
        let params = set(&parts.set_id())?;
        let key_id = parts.key_id();
        fields(kind, params, &key_id).check(&parts)?;
        Ok(Self {
            kind,
            params,
            key_id,
            digest: parts.digest,
            head: parts.head,
            payload: parts.payload,
        })
    }

    /// Encodes the bytes of a blob before its digest.
    pub fn head(kind: TfheBlobKind, params: &TfheParams, key_id: &KeyId) -> [u8; HEAD_BYTES] {
        fields(kind, params, key_id).bytes()
    }

    /// Length of a whole blob, in bytes.
    pub fn bytes(kind: TfheBlobKind, params: &TfheParams) -> usize {
        HEADER_BYTES + kind.payload_bytes(params)
    }
}

fn fields(kind: TfheBlobKind, params: &TfheParams, key_id: &KeyId) -> HeadFields {
    HeadFields {
        kind: kind.number(),
        ring_degree: params.ring_degree,
        set_id: params.set_id,
        key_id: *key_id,
        primes: 0,
        payload_bytes: kind.payload_bytes(params),
    }
}

/// The TFHE set of an identity.
pub(super) fn set(id: &[u8; size::SET_ID]) -> Result<&'static TfheParams> {
    known(tfhe::by_id(id), id)
}
