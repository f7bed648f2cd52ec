//! A holder's board: its share as flash holds it, and its contributions (`spec/wire.md`, section 17).

use crate::blob::header::HeadFields;
use crate::codes::key_blob::HEAD_BYTES;
use crate::codes::{domain, fields, key_kind, kind, limit, size};
use crate::envelope::unsealed::extended_nonce;
use crate::keys::key_file::{begin, Secret};
use crate::owners::ceremony::read_holder;
use crate::owners::contribution::read_values;
use crate::{unpack, Invitation, KeyId, Nonce, Result, Tag};

/// Most bits of a value.
const MOST_BITS: u32 = 28;
/// Words of a share's payload before the keys.
const WORDS: usize = 10;

/// A share for a board. No Debug: it holds secrets.
pub struct BoardShare<'a> {
    /// The agreement of the holders.
    pub invitation: &'a Invitation,
    /// Name of the key.
    pub key_id: KeyId,
    /// Number of the holder, from 1.
    pub holder: u8,
    /// Bits of a value.
    pub bits: u32,
    /// log2 of the step of the noise.
    pub shift: u32,
    /// Contributions made elsewhere.
    pub used: u64,
    /// Key shared with the server.
    pub link: &'a Secret,
    /// Key shared with the holder's folder.
    pub transport: &'a Secret,
}

impl BoardShare<'_> {
    /// The bytes before the digest, and the payload before the residues, which are 32-bit words, prime by prime.
    pub fn head(&self) -> ([u8; HEAD_BYTES], Vec<u8>) {
        let params = self.invitation.params;
        let primes = params.data_primes.len();
        let words: [u32; WORDS] = [
            self.holder.into(),
            self.invitation.threshold.into(),
            self.invitation.holders.len() as u32,
            self.invitation.frames,
            self.bits,
            self.shift,
            self.used as u32,
            (self.used >> 32) as u32,
            self.invitation.queries as u32,
            (self.invitation.queries >> 32) as u32,
        ];
        let mut payload = Vec::with_capacity(4 * WORDS + 2 * size::TRANSPORT_KEY);
        payload.extend(words.iter().flat_map(|word| word.to_le_bytes()));
        payload.extend_from_slice(self.link);
        payload.extend_from_slice(self.transport);
        let head = HeadFields {
            kind: key_kind::HOLDER_SHARE,
            ring_degree: params.ring_degree,
            set_id: params.set_id,
            key_id: self.key_id,
            primes,
            payload_bytes: payload.len() + 4 * primes * params.ring_degree,
        };
        (head.bytes(), payload)
    }
}

/// A board's contribution, whose tag is not checked yet, and whose values are enciphered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoardContribution<'a> {
    /// Name of the key.
    pub key_id: KeyId,
    /// Nonce of the tag and of the cipher.
    pub nonce: [u8; 24],
    /// Number of the holder, from 1.
    pub holder: u8,
    /// Numbers of the holders who answer, ascending.
    pub answering: Vec<u8>,
    /// Nonce of the result.
    pub result: Nonce,
    /// Contributions of this holder so far, with this one.
    pub count: u64,
    /// Bits of a value, 1 to 28.
    pub bits: u8,
    /// n numbers, enciphered.
    pub values: &'a [u8],
    /// The bytes that the tag is of.
    pub message: &'a [u8],
    /// Tag under the transport key.
    pub tag: &'a Tag,
}

impl<'a> BoardContribution<'a> {
    /// Reads the whole of `bytes` under a ring degree.
    ///
    /// Errors: anything but exactly this item.
    pub fn read(bytes: &'a [u8], ring_degree: usize) -> Result<Self> {
        let allowed = "60, a contribution of a board";
        let (count, kind) = (fields::BOARD_CONTRIBUTION, kind::BOARD_CONTRIBUTION);
        let mut reader = begin(bytes, count, kind, allowed)?;
        let key_id = *reader.fixed("key")?;
        let nonce = reader.fixed("nonce")?;
        let holder = read_holder(&mut reader, "holder")?;
        let numbers = reader.list(limit::HOLDERS as u64, "answering")?;
        let answering = (0..numbers).map(|_| read_holder(&mut reader, "answering"));
        let answering = answering.collect::<Result<_>>()?;
        let result = *reader.fixed("result")?;
        let count = reader.uint(u64::MAX, "count")?;
        let (bits, values) = read_values(&mut reader, MOST_BITS, ring_degree)?;
        let message = &bytes[..reader.position()];
        let tag = reader.fixed("tag")?;
        reader.finish()?;
        Ok(Self {
            key_id,
            nonce: extended_nonce(nonce, domain::BOARD_CONTRIBUTION),
            holder,
            answering,
            result,
            count,
            bits: bits as u8,
            values,
            message,
            tag,
        })
    }

    /// The numbers in deciphered bytes, in the order of coefficients; on the wire those of even coefficients come first.
    pub fn numbers(&self, deciphered: &[u8]) -> Vec<u128> {
        let numbers: Vec<u64> = unpack(self.bits.into(), deciphered).collect();
        let (even, odd) = numbers.split_at(numbers.len() / 2);
        let pairs = even.iter().zip(odd);
        pairs
            .flat_map(|(&even, &odd)| [u128::from(even), u128::from(odd)])
            .collect()
    }
}
