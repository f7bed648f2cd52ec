//! Key blobs, as devices hold them in flash. Their digest is computed and compared by `isopod-keys`.

use crate::{params, KeyId, ParameterSet, Result, WireError};

pub(crate) const MAGIC: &[u8; 8] = b"ISOPODK1";
/// Bytes before the digest, all of them hashed.
pub const BLOB_HEAD_BYTES: usize = 48;
/// Bytes before the payload.
pub const BLOB_HEADER_BYTES: usize = 80;

/// What a blob holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlobKind {
    /// pk0, pk1 of each prime.
    Public,
    /// The seed of pk1, then pk0 of each prime.
    SeededPublic,
    /// The secret key, two bits per coefficient.
    SecretTernary,
    /// The secret key after the NTT of each prime.
    SecretNtt,
    /// pk0, pk1 of the prime of this number.
    PublicPrime(u16),
    /// The seed of pk1, then pk0 of the prime of this number.
    SeededPublicPrime(u16),
}

impl BlobKind {
    /// The number on the wire.
    pub fn number(self) -> u32 {
        match self {
            Self::Public => 1,
            Self::SeededPublic => 2,
            Self::SecretTernary => 3,
            Self::SecretNtt => 4,
            Self::PublicPrime(_) => 33,
            Self::SeededPublicPrime(_) => 34,
        }
    }

    /// From its number, and the prime where the kind has one.
    fn read(number: u32, prime: u16) -> Result<Self> {
        match number {
            33 => Ok(Self::PublicPrime(prime)),
            34 => Ok(Self::SeededPublicPrime(prime)),
            1 => Ok(Self::Public),
            2 => Ok(Self::SeededPublic),
            3 => Ok(Self::SecretTernary),
            4 => Ok(Self::SecretNtt),
            found => Err(WireError::UnknownKind {
                found: found.into(),
                allowed: "1 to 4, 33 or 34",
            }),
        }
    }

    /// Of which prime alone this holds the key; None for a whole key.
    pub fn prime(self) -> Option<usize> {
        match self {
            Self::PublicPrime(prime) | Self::SeededPublicPrime(prime) => Some(prime.into()),
            _ => None,
        }
    }

    /// The number of primes, and above it which one this is for.
    fn primes_field(self, params: &ParameterSet) -> usize {
        params.data_primes.len() | self.prime().unwrap_or(0) << 16
    }

    /// Exact payload bytes for a set.
    pub fn payload_bytes(self, params: &ParameterSet) -> usize {
        let polynomial = params.ring_degree * params.word_bytes();
        let words = polynomial * params.data_primes.len();
        match self {
            Self::Public => 2 * words,
            Self::SeededPublic => 32 + words,
            Self::SecretTernary => params.ring_degree / 4,
            Self::SecretNtt => words,
            Self::PublicPrime(_) => 2 * polynomial,
            Self::SeededPublicPrime(_) => 32 + polynomial,
        }
    }
}

/// A blob of the exact length; digest and payload are not verified. No Debug, since the payload may be secret.
pub struct KeyBlob<'a> {
    /// What it holds.
    pub kind: BlobKind,
    /// Parameter set.
    pub params: &'static ParameterSet,
    /// Key pair.
    pub key_id: KeyId,
    /// The digest that the blob carries: SHA3-256 of `head`, then `payload`.
    pub digest: &'a [u8; 32],
    /// The first 48 bytes.
    pub head: &'a [u8; BLOB_HEAD_BYTES],
    /// The key.
    pub payload: &'a [u8],
}

impl<'a> KeyBlob<'a> {
    /// Reads a blob that fills `bytes`.
    ///
    /// Errors: magic, kind, set, degree, primes or length other than the set demands.
    pub fn read(bytes: &'a [u8]) -> Result<Self> {
        let truncated = WireError::Truncated {
            field: "blob header",
        };
        let (head, rest) = bytes
            .split_first_chunk::<BLOB_HEAD_BYTES>()
            .ok_or(truncated.clone())?;
        let (digest, payload) = rest.split_first_chunk::<32>().ok_or(truncated)?;
        if &head[..8] != MAGIC {
            return Err(WireError::out_of_range(
                "magic",
                head[..8].escape_ascii(),
                "ISOPODK1",
            ));
        }
        let primes = word(head, 40);
        let kind = BlobKind::read(word(head, 8), (primes >> 16) as u16)?;
        let set: [u8; 8] = chunk(head, 16);
        let params = params::by_id(&set).ok_or_else(|| WireError::UnknownSet {
            found: set.iter().map(|byte| format!("{byte:02x}")).collect(),
        })?;
        exact("ring degree", word(head, 12), params.ring_degree)?;
        exact("data primes", primes, kind.primes_field(params))?;
        check_prime(kind, params)?;
        exact("payload bytes", word(head, 44), kind.payload_bytes(params))?;
        match payload.len().checked_sub(kind.payload_bytes(params)) {
            None => Err(WireError::Truncated { field: "payload" }),
            Some(0) => Ok(Self {
                kind,
                params,
                key_id: chunk(head, 24),
                digest,
                head,
                payload,
            }),
            Some(extra) => Err(WireError::TrailingBytes { extra }),
        }
    }

    /// The first 48 bytes of a blob.
    pub fn head(kind: BlobKind, params: &ParameterSet, key_id: &KeyId) -> [u8; BLOB_HEAD_BYTES] {
        let mut head = [0; BLOB_HEAD_BYTES];
        head[..8].copy_from_slice(MAGIC);
        head[8..12].copy_from_slice(&kind.number().to_le_bytes());
        head[12..16].copy_from_slice(&(params.ring_degree as u32).to_le_bytes());
        head[16..24].copy_from_slice(&params.set_id);
        head[24..40].copy_from_slice(key_id);
        head[40..44].copy_from_slice(&(kind.primes_field(params) as u32).to_le_bytes());
        head[44..].copy_from_slice(&(kind.payload_bytes(params) as u32).to_le_bytes());
        head
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

pub(crate) fn chunk<const N: usize>(head: &[u8; BLOB_HEAD_BYTES], at: usize) -> [u8; N] {
    let mut bytes = [0; N];
    bytes.copy_from_slice(&head[at..at + N]);
    bytes
}

pub(crate) fn word(head: &[u8; BLOB_HEAD_BYTES], at: usize) -> u32 {
    u32::from_le_bytes(chunk(head, at))
}

pub(crate) fn exact(field: &'static str, found: u32, wanted: usize) -> Result<()> {
    if found as usize == wanted {
        return Ok(());
    }
    Err(WireError::out_of_range(field, found, wanted))
}
