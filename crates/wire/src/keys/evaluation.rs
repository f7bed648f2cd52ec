//! Evaluation keys, sent by the owner to the server (`spec/wire.md`, section 4).

use crate::cbor::codec::{Reader, Writer};
use crate::codes::limit::GALOIS_KEYS;
use crate::codes::{allowed, domain, fields, kind, VERSION};
use crate::frame::header::read_set;
use crate::frame::residues;
use crate::{
    bits, params, Authentic, Envelope, ItemKind, KeyId, Nonce, ParameterSet, Relation, Result,
    Unsealed, WireError,
};

/// Header of evaluation keys: the list of keys that an item holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EvaluationKeysHeader {
    /// Parameter set, one with key switching.
    pub params: &'static ParameterSet,
    /// Key pair.
    pub key_id: KeyId,
    /// Nonce, fresh per item.
    pub nonce: Nonce,
    /// Whether the first key is the relinearization key.
    pub relinearization: bool,
    /// Galois elements of the keys: odd, below 2n, ascending.
    pub galois: Vec<u32>,
}

/// One polynomial among the keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PolynomialIndex {
    /// Number of the key: the relinearization key first, if present, then the Galois keys.
    pub key: usize,
    /// Digit d, from 0 to k - 1.
    pub digit: usize,
    /// Number of the polynomial, 0 or 1.
    pub polynomial: usize,
    /// Number of the prime, from 0 to k; k is the special prime.
    pub prime: usize,
}

/// Authenticated keys, every residue checked; polynomials are unpacked on demand.
#[derive(Debug)]
pub struct EvaluationKeys<'a> {
    header: EvaluationKeysHeader,
    residues: &'a [u8],
}

impl EvaluationKeysHeader {
    /// Number of keys.
    pub fn keys(&self) -> usize {
        usize::from(self.relinearization) + self.galois.len()
    }

    /// The primes of the chain, each with the packed bytes of one polynomial.
    fn widths(&self) -> Vec<(u64, usize)> {
        self.params
            .chain()
            .map(|prime| (prime, self.params.packed_bytes(prime)))
            .collect()
    }

    /// All polynomials in wire order.
    pub fn polynomials(&self) -> impl Iterator<Item = PolynomialIndex> {
        let (digits, primes) = (self.params.data_primes.len(), self.params.chain().count());
        (0..self.keys() * digits * 2 * primes).map(move |at| PolynomialIndex {
            key: at / (digits * 2 * primes),
            digit: at / (2 * primes) % digits,
            polynomial: at / primes % 2,
            prime: at % primes,
        })
    }

    fn residue_bytes(&self) -> usize {
        let row: usize = self.widths().iter().map(|(_, bytes)| bytes).sum();
        self.keys() * self.params.data_primes.len() * 2 * row
    }

    fn check(&self) -> Result<()> {
        if self.keys() > 0 && !self.params.key_switching {
            let allowed = format!("no keys, since {} cannot switch keys", self.params.name);
            return Err(WireError::out_of_range("galois", self.keys(), allowed));
        }
        let limit = 2 * self.params.ring_degree as u32;
        let ascending = self.galois.windows(2).all(|pair| pair[0] < pair[1]);
        let outside = self
            .galois
            .iter()
            .find(|&&element| element % 2 == 0 || element >= limit);
        match outside {
            Some(element) => Err(WireError::out_of_range(
                "galois",
                element,
                format!("odd, below {limit}"),
            )),
            None if !ascending => Err(WireError::out_of_range(
                "galois",
                "the order",
                "ascending, none twice",
            )),
            None if self.galois.len() > GALOIS_KEYS => Err(WireError::length(
                "galois",
                self.galois.len(),
                format!("0 to {GALOIS_KEYS}"),
            )),
            None => Ok(()),
        }
    }
}

impl<'a> Authentic<Envelope<'a>> {
    /// Parses evaluation keys.
    ///
    /// Errors: every field outside of what its set allows, every residue not below its prime.
    pub fn evaluation_keys(&self) -> Result<EvaluationKeys<'a>> {
        let (mut reader, _) = self.body(ItemKind::EvaluationKeys, allowed::EVALUATION_KEYS)?;
        let header = EvaluationKeysHeader {
            params: read_set(&mut reader)?,
            key_id: *reader.fixed("key")?,
            nonce: *reader.fixed("nonce")?,
            relinearization: reader.boolean("relinearization")?,
            galois: read_galois(&mut reader)?,
        };
        header.check()?;
        let residues = reader.bytes(usize::MAX, "residues")?;
        let keys = EvaluationKeys { header, residues };
        keys.check_residues().map(|()| keys)
    }
}

fn read_galois(reader: &mut Reader<'_>) -> Result<Vec<u32>> {
    let count = reader.list(GALOIS_KEYS as u64, "galois")?;
    (0..count).map(|_| reader.word("galois")).collect()
}

impl EvaluationKeys<'_> {
    /// The list of these keys.
    pub fn header(&self) -> &EvaluationKeysHeader {
        &self.header
    }

    /// The n residues of one polynomial, in NTT order; None outside of the keys.
    pub fn polynomial(&self, at: PolynomialIndex) -> Option<Vec<u64>> {
        let widths = self.header.widths();
        let digits = self.header.params.data_primes.len();
        let &(prime, bytes) = widths.get(at.prime)?;
        if at.key >= self.header.keys() || at.digit >= digits || at.polynomial > 1 {
            return None;
        }
        let row: usize = widths.iter().map(|(_, bytes)| bytes).sum();
        let before: usize = widths[..at.prime].iter().map(|(_, bytes)| bytes).sum();
        let start = ((at.key * digits + at.digit) * 2 + at.polynomial) * row + before;
        Some(
            bits::unpack(
                params::prime_bits(prime),
                &self.residues[start..start + bytes],
            )
            .collect(),
        )
    }

    fn check_residues(&self) -> Result<()> {
        let wanted = self.header.residue_bytes();
        if self.residues.len() != wanted {
            return Err(WireError::length("residues", self.residues.len(), wanted));
        }
        let mut rest = self.residues;
        while !rest.is_empty() {
            for (prime, bytes) in self.header.widths() {
                let (head, tail) = rest.split_at(bytes);
                residues::check(prime, head, usize::MAX)?;
                rest = tail;
            }
        }
        Ok(())
    }
}

/// Writes evaluation keys polynomial by polynomial.
pub struct EvaluationKeysWriter {
    header: EvaluationKeysHeader,
    writer: Writer,
    polynomials: usize,
}

impl EvaluationKeysWriter {
    /// Begins an item.
    ///
    /// Errors: a set without key switching, Galois elements out of range or order.
    pub fn new(header: EvaluationKeysHeader) -> Result<Self> {
        header.check()?;
        let bytes = header.residue_bytes();
        let mut writer = Writer::with_capacity(bytes + 8 * header.galois.len() + 128);
        writer
            .array(fields::EVALUATION_KEYS)
            .uint(VERSION)
            .uint(kind::EVALUATION_KEYS);
        writer
            .bytes(&header.params.set_id)
            .bytes(&header.key_id)
            .bytes(&header.nonce);
        writer
            .boolean(header.relinearization)
            .array(header.galois.len() as u64);
        for &element in &header.galois {
            writer.uint(element.into());
        }
        writer.bytes_head(bytes);
        Ok(Self {
            header,
            writer,
            polynomials: 0,
        })
    }

    /// Appends the next polynomial in the order of [`EvaluationKeysHeader::polynomials`].
    ///
    /// Errors: not n residues, a residue not below the prime, or one polynomial too many.
    pub fn push(&mut self, polynomial: &[u64]) -> Result<()> {
        let widths = self.header.widths();
        if self.polynomials >= self.total() {
            return Err(WireError::length(
                "polynomials",
                self.polynomials + 1,
                self.total(),
            ));
        }
        if polynomial.len() != self.header.params.ring_degree {
            return Err(WireError::length(
                "polynomial",
                polynomial.len(),
                self.header.params.ring_degree,
            ));
        }
        let (prime, _) = widths[self.polynomials % widths.len()];
        self.writer.raw(&residues::write(prime, polynomial)?);
        self.polynomials += 1;
        Ok(())
    }

    fn total(&self) -> usize {
        self.header.polynomials().count()
    }

    /// The item up to its tag, made under the link key.
    ///
    /// Errors: polynomials are missing.
    pub fn finish(self) -> Result<Unsealed> {
        if self.polynomials != self.total() {
            return Err(WireError::length(
                "polynomials",
                self.polynomials,
                self.total(),
            ));
        }
        let message = self.writer.into_bytes();
        Ok(Unsealed::new(
            Relation::Link,
            self.header.nonce,
            domain::EVALUATION_KEYS,
            message,
        ))
    }
}

#[cfg(test)]
mod tests {
    use crate::codes::limit::EVALUATION_BYTES;
    use crate::params::sets;

    #[test]
    fn usual_evaluation_keys_of_every_set_fit() {
        for set in sets() {
            let polynomials: usize = set.chain().map(|prime| set.packed_bytes(prime)).sum();
            let key = 2 * set.data_primes.len() * polynomials;
            let keys = set.ring_degree.ilog2() as usize;
            assert!(keys * key <= EVALUATION_BYTES, "{}", set.name);
        }
    }
}
