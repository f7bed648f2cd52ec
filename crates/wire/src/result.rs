//! Encrypted results of CKKS and BFV, sent by the server to the owner (`spec/wire.md`, section 3).

use crate::cbor::{Reader, Writer};
use crate::codes::{allowed, domain, fields, kind, VERSION};
use crate::part::read_set;
use crate::{
    residues, Authentic, Envelope, Grid, ItemKind, KeyId, Layout, Nonce, ParameterSet, Provenance,
    Relation, Result, Unsealed, WireError,
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
    /// Which evaluation it is of, what was asked, and what entered.
    pub provenance: Provenance,
    /// Bound of |value|, positive and finite.
    pub bound: f64,
    /// Error that values stay within, at six deviations; not negative, finite, 0 in BFV.
    pub error: f64,
    /// Scale, positive and finite.
    pub scale: f64,
    /// First slot that holds a value.
    pub first: u32,
    /// Rows and columns of the values from there; all their slots are below n/2 in CKKS, n in BFV.
    pub grid: Grid,
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
        let provenance = Provenance::read(&mut reader)?;
        let (bound, error) = (reader.float("bound")?, reader.float("error")?);
        let primes = reader.uint(u64::from(u16::MAX), "primes")? as usize;
        check_primes(params, primes)?;
        let scale = reader.float("scale")?;
        check_layout(Layout::read(&mut reader)?)?;
        let result = EncryptedResult {
            params,
            key_id,
            nonce,
            provenance,
            bound,
            error,
            scale,
            first: reader.uint(u64::from(u32::MAX), "first")? as u32,
            grid: read_grid(&mut reader)?,
            c0: read_polynomials(&mut reader, "c0", params, primes)?,
            c1: read_polynomials(&mut reader, "c1", params, primes)?,
        };
        result.check().map(|()| result)
    }
}

pub(crate) fn read_polynomials(
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

fn check_layout(layout: Layout) -> Result<()> {
    if layout == Layout::Slots {
        return Ok(());
    }
    let allowed = "0, slots, in results";
    Err(WireError::out_of_range("layout", layout.number(), allowed))
}

fn read_grid(reader: &mut Reader<'_>) -> Result<Grid> {
    let mut number = |field| Ok(reader.uint(u64::from(u32::MAX), field)? as u32);
    Ok(Grid {
        rows: number("rows")?,
        columns: number("columns")?,
        stride: number("stride")?,
    })
}

fn check_number(field: &'static str, value: f64, fits: bool, allowed: &str) -> Result<()> {
    if value.is_finite() && fits {
        return Ok(());
    }
    Err(WireError::out_of_range(field, value, allowed))
}

impl EncryptedResult {
    /// Slots that hold values, row by row.
    pub fn slots(&self) -> impl Iterator<Item = usize> {
        self.grid.places(self.first)
    }

    fn check(&self) -> Result<()> {
        let positive = "positive and finite";
        check_number("bound", self.bound, self.bound > 0.0, positive)?;
        check_number("scale", self.scale, self.scale > 0.0, positive)?;
        self.check_error()?;
        self.provenance.check()?;
        self.check_slots()
    }

    fn check_error(&self) -> Result<()> {
        match self.params.plain_modulus {
            None => check_number("error", self.error, self.error >= 0.0, "0 or more, finite"),
            Some(_) => check_number("error", self.error, self.error == 0.0, "0 for integers"),
        }
    }

    fn check_slots(&self) -> Result<()> {
        let Grid {
            rows,
            columns,
            stride,
        } = self.grid;
        let sizes = [
            ("rows", rows, 1),
            ("columns", columns, 1),
            ("stride", stride, columns),
        ];
        for (field, value, least) in sizes {
            if value < least {
                let allowed = format!("at least {least}");
                return Err(WireError::out_of_range(field, value, allowed));
            }
        }
        let slots = self.params.slots() as u64;
        if u64::from(self.first) + self.grid.reach() > slots {
            let value = format!("{rows} of {columns} from {} by {stride}", self.first);
            let allowed = format!("all slots below {slots}");
            return Err(WireError::out_of_range("rows", value, allowed));
        }
        Ok(())
    }

    /// Encodes the result up to its tag, made under the link key.
    ///
    /// Errors: those of reading.
    pub fn encode(&self) -> Result<Unsealed> {
        self.check()?;
        check_primes(self.params, self.c0.len())?;
        let c0 = pack_polynomials(self.params, "c0", &self.c0, self.c0.len())?;
        let c1 = pack_polynomials(self.params, "c1", &self.c1, self.c0.len())?;
        let mut writer = Writer::with_capacity(c0.len() + c1.len() + 512);
        writer
            .array(fields::RESULT)
            .uint(VERSION)
            .uint(kind::RESULT);
        writer
            .bytes(&self.params.set_id)
            .bytes(&self.key_id)
            .bytes(&self.nonce);
        self.provenance.write(&mut writer);
        writer
            .float(self.bound)
            .float(self.error)
            .uint(self.c0.len() as u64)
            .float(self.scale);
        writer
            .uint(Layout::Slots.number().into())
            .uint(self.first.into())
            .uint(self.grid.rows.into())
            .uint(self.grid.columns.into())
            .uint(self.grid.stride.into());
        writer.bytes(&c0).bytes(&c1);
        Ok(Unsealed::new(
            Relation::Link,
            self.nonce,
            domain::RESULT,
            writer.into_bytes(),
        ))
    }
}

/// Packs one polynomial for each of the first primes of a set.
pub(crate) fn pack_polynomials(
    params: &ParameterSet,
    field: &'static str,
    polynomials: &[Vec<u64>],
    primes: usize,
) -> Result<Vec<u8>> {
    if polynomials.len() != primes {
        return Err(WireError::length(field, polynomials.len(), primes));
    }
    let mut bytes = Vec::new();
    for (&prime, polynomial) in params.data_primes.iter().zip(polynomials) {
        if polynomial.len() != params.ring_degree {
            let (found, wanted) = (polynomial.len(), params.ring_degree);
            return Err(WireError::length(field, found, wanted));
        }
        bytes.extend(residues::write(prime, polynomial)?);
    }
    Ok(bytes)
}
