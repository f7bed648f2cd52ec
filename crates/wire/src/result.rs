//! Encrypted results of CKKS and BFV, sent by the server to the owner (`spec/wire.md`, section 3).

use crate::cbor::{Reader, Writer};
use crate::codes::{allowed, domain, fields, kind, size, VERSION};
use crate::part::read_set;
use crate::{
    residues, Authentic, Envelope, ItemKind, KeyId, Nonce, ParameterSet, Relation, Result,
    Unsealed, WireError,
};

/// A result: the ciphertext of two polynomials that a job computed.
#[derive(Debug, Clone, PartialEq)]
pub struct EncryptedResult {
    /// Parameter set.
    pub params: &'static ParameterSet,
    /// Key pair.
    pub key_id: KeyId,
    /// Nonce, fresh per result.
    pub nonce: Nonce,
    /// Name of the job, at most 64 bytes, no control characters.
    pub job: String,
    /// Scale, positive and finite.
    pub scale: f64,
    /// First slot that holds a value.
    pub first: u32,
    /// Distance between slots that hold values, at least 1.
    pub step: u32,
    /// Number of values; all their slots are below n/2 in CKKS, n in BFV.
    pub count: u32,
    /// n residues in NTT order for each remaining data prime, in the order of the chain.
    pub c0: Vec<Vec<u64>>,
    /// Residues of c1 likewise.
    pub c1: Vec<Vec<u64>>,
}

impl Authentic<Envelope<'_>> {
    /// Parses a result.
    ///
    /// Errors: every field outside of what its set allows.
    pub fn result(&self) -> Result<EncryptedResult> {
        let (mut reader, _) = self.body(ItemKind::Result, allowed::RESULT)?;
        let params = read_set(&mut reader)?;
        let (key_id, nonce) = (*reader.fixed("key")?, *reader.fixed("nonce")?);
        let job = reader.text(size::JOB, "job")?.to_owned();
        let primes = reader.uint(u64::from(u16::MAX), "primes")? as usize;
        check_primes(params, primes)?;
        let scale = reader.float("scale")?;
        let first = reader.uint(u64::from(u32::MAX), "first")? as u32;
        let step = reader.uint(u64::from(u32::MAX), "step")? as u32;
        let count = reader.uint(u64::from(u32::MAX), "count")? as u32;
        let c0 = read_polynomials(&mut reader, "c0", params, primes)?;
        let c1 = read_polynomials(&mut reader, "c1", params, primes)?;
        let result = EncryptedResult {
            params,
            key_id,
            nonce,
            job,
            scale,
            first,
            step,
            count,
            c0,
            c1,
        };
        result.check().map(|()| result)
    }
}

fn read_polynomials(
    reader: &mut Reader<'_>,
    field: &'static str,
    params: &ParameterSet,
    primes: usize,
) -> Result<Vec<Vec<u64>>> {
    let mut rest = reader.bytes(usize::MAX, field)?;
    let primes = &params.data_primes[..primes];
    let wanted = primes.iter().map(|&prime| params.packed_bytes(prime)).sum();
    if rest.len() != wanted {
        return Err(WireError::length(field, rest.len(), wanted));
    }
    let polynomials = primes.iter().map(|&prime| {
        let (head, tail) = rest.split_at(params.packed_bytes(prime));
        rest = tail;
        residues::read(prime, head, params.ring_degree)
    });
    polynomials.collect()
}

fn check_primes(params: &ParameterSet, primes: usize) -> Result<()> {
    let most = params.data_primes.len();
    if (1..=most).contains(&primes) {
        return Ok(());
    }
    Err(WireError::out_of_range(
        "primes",
        primes,
        format!("1 to {most} for {}", params.name),
    ))
}

pub(crate) fn check_job(job: &str) -> Result<()> {
    if job.len() > size::JOB {
        return Err(WireError::length(
            "job",
            job.len(),
            format!("0 to {}", size::JOB),
        ));
    }
    if job.chars().any(char::is_control) {
        return Err(WireError::out_of_range(
            "job",
            job.escape_default(),
            "text without control characters",
        ));
    }
    Ok(())
}

impl EncryptedResult {
    /// Slots that hold values, in order.
    pub fn slots(&self) -> impl Iterator<Item = usize> + '_ {
        let (first, step) = (self.first as usize, self.step as usize);
        (0..self.count as usize).map(move |at| first + step * at)
    }

    fn check(&self) -> Result<()> {
        if !(self.scale.is_finite() && self.scale > 0.0) {
            return Err(WireError::out_of_range(
                "scale",
                self.scale,
                "positive and finite",
            ));
        }
        check_job(&self.job)?;
        self.check_slots()
    }

    fn check_slots(&self) -> Result<()> {
        if self.step == 0 {
            return Err(WireError::out_of_range("step", 0, "at least 1"));
        }
        let slots = self.params.slots() as u64;
        let reached =
            u64::from(self.first) + u64::from(self.step) * u64::from(self.count.max(1) - 1);
        if self.count == 0 || reached >= slots {
            let value = format!("{} from {} by {}", self.count, self.first, self.step);
            return Err(WireError::out_of_range(
                "count",
                value,
                format!("1 or more, all slots below {slots}"),
            ));
        }
        Ok(())
    }

    /// Encodes the result up to its tag, made under the link key.
    ///
    /// Errors: those of reading.
    pub fn encode(&self) -> Result<Unsealed> {
        self.check()?;
        check_primes(self.params, self.c0.len())?;
        let c0 = self.pack("c0", &self.c0)?;
        let c1 = self.pack("c1", &self.c1)?;
        let mut writer = Writer::with_capacity(c0.len() + c1.len() + 256);
        writer
            .array(fields::RESULT)
            .uint(VERSION)
            .uint(kind::RESULT);
        writer
            .bytes(&self.params.set_id)
            .bytes(&self.key_id)
            .bytes(&self.nonce)
            .text(&self.job);
        writer.uint(self.c0.len() as u64).float(self.scale);
        writer
            .uint(self.first.into())
            .uint(self.step.into())
            .uint(self.count.into());
        writer.bytes(&c0).bytes(&c1);
        Ok(Unsealed::new(
            Relation::Link,
            self.nonce,
            domain::RESULT,
            writer.into_bytes(),
        ))
    }

    fn pack(&self, field: &'static str, polynomials: &[Vec<u64>]) -> Result<Vec<u8>> {
        if polynomials.len() != self.c0.len() {
            return Err(WireError::length(field, polynomials.len(), self.c0.len()));
        }
        let mut bytes = Vec::new();
        for (&prime, polynomial) in self.params.data_primes.iter().zip(polynomials) {
            if polynomial.len() != self.params.ring_degree {
                return Err(WireError::length(
                    field,
                    polynomial.len(),
                    self.params.ring_degree,
                ));
            }
            bytes.extend(residues::write(prime, polynomial)?);
        }
        Ok(bytes)
    }
}
