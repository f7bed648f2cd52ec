//! Key blobs of CKKS and BFV, as devices hold them in flash (`spec/wire.md`, section 5). `isopod-keys` checks digests.

use crate::blob::header::{known, BlobParts, HeadFields};
use crate::codes::key_blob::HEAD_BYTES;
use crate::codes::limit::KEY_PRIME_SHIFT;
use crate::codes::{key_kind, size};
use crate::{params, KeyId, ParameterSet, Result, WireError};

/// Content of a blob.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlobKind {
    /// The seed of pk1, then pk0, pk1 of each prime.
    Public,
    /// The seed of pk1, then pk0 of each prime.
    SeededPublic,
    /// The secret key, two bits per coefficient.
    SecretTernary,
    /// The secret key after the NTT of each prime.
    SecretNtt,
    /// The seed of pk1, the digests of pk0 of each prime, then pk0, pk1 of the prime of this number.
    PublicPrime(u16),
    /// The seed of pk1, the digests of pk0 of each prime, then pk0 of the prime of this number.
    SeededPublicPrime(u16),
}

impl BlobKind {
    /// The number on the wire.
    pub fn number(self) -> u32 {
        match self {
            Self::Public => key_kind::PUBLIC,
            Self::SeededPublic => key_kind::PUBLIC_SEEDED,
            Self::SecretTernary => key_kind::SECRET_TERNARY,
            Self::SecretNtt => key_kind::SECRET_NTT,
            Self::PublicPrime(_) => key_kind::PUBLIC_PRIME,
            Self::SeededPublicPrime(_) => key_kind::PUBLIC_SEEDED_PRIME,
        }
    }

    /// Reads a kind from its number, and the prime where the kind has one.
    fn read(number: u32, prime: u16) -> Result<Self> {
        match number {
            key_kind::PUBLIC => Ok(Self::Public),
            key_kind::PUBLIC_SEEDED => Ok(Self::SeededPublic),
            key_kind::SECRET_TERNARY => Ok(Self::SecretTernary),
            key_kind::SECRET_NTT => Ok(Self::SecretNtt),
            key_kind::PUBLIC_PRIME => Ok(Self::PublicPrime(prime)),
            key_kind::PUBLIC_SEEDED_PRIME => Ok(Self::SeededPublicPrime(prime)),
            found => Err(WireError::UnknownKind {
                found: found.into(),
                allowed: key_kind::ALLOWED,
            }),
        }
    }

    /// The prime that the blob is restricted to; None for a whole key.
    pub fn prime(self) -> Option<usize> {
        match self {
            Self::PublicPrime(prime) | Self::SeededPublicPrime(prime) => Some(prime.into()),
            _ => None,
        }
    }

    /// The header field `primes`: the number of primes, and in its upper half the prime of a blob for one prime.
    fn primes_field(self, params: &ParameterSet) -> usize {
        params.data_primes.len() | self.prime().unwrap_or(0) << KEY_PRIME_SHIFT
    }

    /// Bytes of the payload before the polynomials: the seed of pk1, and the digests of a split key.
    pub fn prefix_bytes(self, params: &ParameterSet) -> usize {
        match self {
            Self::SecretTernary | Self::SecretNtt => 0,
            Self::Public | Self::SeededPublic => size::MASK_SEED,
            Self::PublicPrime(_) | Self::SeededPublicPrime(_) => {
                size::MASK_SEED + size::DIGEST * params.data_primes.len()
            }
        }
    }

    /// Exact length of the payload under a set, in bytes.
    pub fn payload_bytes(self, params: &ParameterSet) -> usize {
        let polynomial = params.ring_degree * params.word_bytes();
        let words = polynomial * params.data_primes.len();
        let polynomials = match self {
            Self::Public => 2 * words,
            Self::SeededPublic | Self::SecretNtt => words,
            Self::SecretTernary => params.ring_degree / 4,
            Self::PublicPrime(_) => 2 * polynomial,
            Self::SeededPublicPrime(_) => polynomial,
        };
        self.prefix_bytes(params) + polynomials
    }
}

/// A blob of the exact length; digest and payload are not verified. No Debug, since the payload may be secret.
pub struct KeyBlob<'a> {
    /// Content of the payload.
    pub kind: BlobKind,
    /// Parameter set.
    pub params: &'static ParameterSet,
    /// Key pair.
    pub key_id: KeyId,
    /// The digest that the blob carries: SHA3-256 of `head`, then `payload`.
    pub digest: &'a [u8; size::DIGEST],
    /// The bytes before the digest.
    pub head: &'a [u8; HEAD_BYTES],
    /// The key.
    pub payload: &'a [u8],
}

impl<'a> KeyBlob<'a> {
    /// Reads a blob that fills `bytes`.
    ///
    /// Errors: magic, kind, set, degree, primes or length other than the set demands.
    pub fn read(bytes: &'a [u8]) -> Result<Self> {
        let parts = BlobParts::split(bytes)?;
        let kind = BlobKind::read(parts.kind(), (parts.primes() >> KEY_PRIME_SHIFT) as u16)?;
        let set = parts.set_id();
        let params = known(params::by_id(&set), &set)?;
        check_prime(kind, params)?;
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
    pub fn head(kind: BlobKind, params: &ParameterSet, key_id: &KeyId) -> [u8; HEAD_BYTES] {
        fields(kind, params, key_id).bytes()
    }
}

fn fields(kind: BlobKind, params: &ParameterSet, key_id: &KeyId) -> HeadFields {
    HeadFields {
        kind: kind.number(),
        ring_degree: params.ring_degree,
        set_id: params.set_id,
        key_id: *key_id,
        primes: kind.primes_field(params),
        payload_bytes: kind.payload_bytes(params),
    }
}

fn check_prime(kind: BlobKind, params: &ParameterSet) -> Result<()> {
    let (most, prime) = (params.data_primes.len() - 1, kind.prime().unwrap_or(0));
    if prime <= most {
        return Ok(());
    }
    Err(WireError::out_of_range(
        "prime",
        prime,
        format!("0 to {most}"),
    ))
}
