//! Encrypted results of CKKS and BFV, sent by the server to the owner (`spec/wire.md`, section 3).

use crate::cbor::codec::{Reader, Writer};
use crate::codes::{allowed, domain, fields, kind, VERSION};
use crate::frame::header::read_pair;
use crate::frame::residues;
use crate::frame::rounding;
use crate::{
    Authentic, Envelope, Grid, ItemKind, KeyId, Layout, LinearTag, Nonce, ParameterSet, Provenance,
    Relation, Result, Unsealed, WireError,
};

const FIELDS: [&str; 2] = ["c0", "c1"];

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
    /// Error that values stay within: roundings at worst, and six deviations of the noise; not negative, finite, 0 in BFV.
    pub error: f64,
    /// Scale, positive and finite.
    pub scale: f64,
    /// First slot or coefficient that holds a value.
    pub first: u32,
    /// Rows and columns of the values from there; all their slots are below n/2 in CKKS, n in BFV, coefficients below n.
    pub grid: Grid,
    /// Rounding of answers in coefficients; None for answers in slots.
    pub rounded: Option<RoundedAnswers>,
    /// n residues in NTT order for each remaining data prime, in the order of the chain; of rounded answers one list, the
    /// coefficients at the places of the answers modulo the product of the primes, multiples of 2^dropped.
    pub c0: Vec<Vec<u64>>,
    /// Residues of c1 likewise; of rounded answers one list of all n coefficients.
    pub c1: Vec<Vec<u64>>,
    /// The linear tag of the sum of frames that it is; None if it has none.
    pub linear_tag: Option<LinearTag>,
}

/// Coefficients of a result that travel rounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RoundedAnswers {
    /// Remaining data primes.
    pub primes: u16,
    /// Low bits dropped of coefficients of c0 and c1.
    pub dropped: [u8; 2],
}

impl Authentic<Envelope<'_>> {
    /// Parses a result.
    ///
    /// Errors: every field outside of what its set allows.
    pub fn result(&self) -> Result<EncryptedResult> {
        let (mut reader, _) = self.body(ItemKind::Result, allowed::RESULT)?;
        let (mut result, primes) = EncryptedResult::read_header(&mut reader)?;
        result.check()?;
        let none;
        (result.c0, none) = result.read_list(&mut reader, 0, primes)?;
        (result.c1, result.linear_tag) = result.read_list(&mut reader, 1, primes)?;
        LinearTag::refuse(FIELDS[0], none)?;
        Ok(result)
    }
}

impl EncryptedResult {
    /// Reads all but the polynomials, and the number of their primes.
    fn read_header(reader: &mut Reader<'_>) -> Result<(Self, usize)> {
        let (params, key_id, nonce) = read_pair(reader)?;
        let provenance = Provenance::read(reader)?;
        let (bound, error, primes) = read_accuracy(reader, params)?;
        let scale = reader.float("scale")?;
        let layout = Layout::read(reader)?;
        let result = Self {
            params,
            key_id,
            nonce,
            provenance,
            bound,
            error,
            scale,
            first: reader.word("first")?,
            grid: read_grid(reader)?,
            rounded: RoundedAnswers::read(reader, layout, primes as u16)?,
            c0: Vec::new(),
            c1: Vec::new(),
            linear_tag: None,
        };
        Ok((result, primes))
    }
}

/// Polynomials, and the linear tag behind them, if there is one.
type Tagged = (Vec<Vec<u64>>, Option<LinearTag>);

pub(crate) fn read_polynomials(
    reader: &mut Reader<'_>,
    field: &'static str,
    params: &ParameterSet,
    primes: usize,
) -> Result<Tagged> {
    let bytes = reader.bytes(usize::MAX, field)?;
    let primes = &params.data_primes[..primes];
    let wanted = primes.iter().map(|&prime| params.packed_bytes(prime)).sum();
    let (mut rest, linear_tag) = LinearTag::split(field, bytes, wanted)?;
    let polynomials = primes.iter().map(|&prime| {
        let (head, tail) = rest.split_at(params.packed_bytes(prime));
        rest = tail;
        residues::read(prime, head, params.ring_degree)
    });
    Ok((polynomials.collect::<Result<_>>()?, linear_tag))
}

/// Reads the bound on the values, their error and the number of primes that are left.
fn read_accuracy(reader: &mut Reader<'_>, params: &ParameterSet) -> Result<(f64, f64, usize)> {
    let (bound, error) = (reader.float("bound")?, reader.float("error")?);
    let primes = reader.uint(u64::from(u16::MAX), "primes")? as usize;
    check_primes(params, primes).map(|()| (bound, error, primes))
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

impl RoundedAnswers {
    fn read(reader: &mut Reader<'_>, layout: Layout, primes: u16) -> Result<Option<Self>> {
        let dropped = rounding::read_dropped(reader)?;
        match layout {
            Layout::CoefficientsRounded => Ok(Some(Self { primes, dropped })),
            Layout::Slots => rounding::require_zeros(&[
                ("dropped_0", dropped[0].into()),
                ("dropped_1", dropped[1].into()),
            ]),
            _ => {
                let allowed = "0, slots, or 5, rounded coefficients, in results";
                Err(WireError::out_of_range("layout", layout.number(), allowed))
            }
        }
    }

    fn check(&self, params: &ParameterSet) -> Result<()> {
        check_primes(params, self.primes.into())?;
        rounding::check_dropped(self.dropped, self.modulus(params)?)
    }

    fn modulus(&self, params: &ParameterSet) -> Result<u64> {
        rounding::modulus_of(params, self.primes.into())
    }
}

fn read_grid(reader: &mut Reader<'_>) -> Result<Grid> {
    let [rows, columns, stride] = reader.words(["rows", "columns", "stride"])?;
    Ok(Grid {
        rows,
        columns,
        stride,
    })
}

fn check_number(field: &'static str, value: f64, fits: bool, allowed: &str) -> Result<()> {
    if value.is_finite() && fits {
        return Ok(());
    }
    Err(WireError::out_of_range(field, value, allowed))
}

impl EncryptedResult {
    /// Slots, or coefficients, that hold values, row by row.
    pub fn slots(&self) -> impl Iterator<Item = usize> {
        self.grid.places(self.first)
    }

    fn check(&self) -> Result<()> {
        let positive = "positive and finite";
        check_number("bound", self.bound, self.bound > 0.0, positive)?;
        check_number("scale", self.scale, self.scale > 0.0, positive)?;
        self.check_error()?;
        self.provenance.check()?;
        if let Some(rounded) = &self.rounded {
            rounded.check(self.params)?;
        }
        self.check_slots()
    }

    /// Number of remaining data primes.
    pub fn primes(&self) -> usize {
        self.rounded
            .map_or(self.c0.len(), |rounded| rounded.primes.into())
    }

    pub(crate) fn layout(&self) -> Layout {
        self.rounded
            .map_or(Layout::Slots, |_| Layout::CoefficientsRounded)
    }

    /// Coefficients of c0 (`polynomial` 0) or c1 (1) that travel rounded.
    fn coefficients(&self, polynomial: usize) -> usize {
        [self.grid.values() as usize, self.params.ring_degree][polynomial]
    }

    /// Reads c0 (`polynomial` 0) or c1 (1); everything else was checked.
    fn read_list(
        &self,
        reader: &mut Reader<'_>,
        polynomial: usize,
        primes: usize,
    ) -> Result<Tagged> {
        let field = FIELDS[polynomial];
        let Some(rounded) = &self.rounded else {
            return read_polynomials(reader, field, self.params, primes);
        };
        let (modulus, dropped) = (rounded.modulus(self.params)?, rounded.dropped[polynomial]);
        let (bytes, count) = (
            reader.bytes(usize::MAX, field)?,
            self.coefficients(polynomial),
        );
        let wanted = rounding::packed_bytes(modulus, count, dropped);
        let (bytes, linear_tag) = LinearTag::split(field, bytes, wanted)?;
        Ok((
            vec![rounding::read(modulus, bytes, count, dropped)?],
            linear_tag,
        ))
    }

    /// Packs c0 (`polynomial` 0) or c1 (1).
    fn pack_list(&self, polynomial: usize) -> Result<Vec<u8>> {
        let (field, list) = (FIELDS[polynomial], [&self.c0, &self.c1][polynomial]);
        let Some(rounded) = &self.rounded else {
            return pack_polynomials(self.params, field, list, self.c0.len());
        };
        let (wanted, found) = (self.coefficients(polynomial), list.iter().flatten().count());
        if list.len() != 1 || found != wanted {
            return Err(WireError::length(field, found, wanted));
        }
        rounding::write(
            rounded.modulus(self.params)?,
            &list[0],
            rounded.dropped[polynomial],
        )
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
        let slots = self.params.places(self.layout()) as u64;
        if u64::from(self.first) + self.grid.reach() > slots {
            let value = format!("{rows} of {columns} from {} by {stride}", self.first);
            let allowed = format!("all places below {slots}");
            return Err(WireError::out_of_range("rows", value, allowed));
        }
        Ok(())
    }

    /// Encodes the result up to its tag, made under the link key.
    ///
    /// Errors: those of reading.
    pub fn encode(&self) -> Result<Unsealed> {
        self.check()?;
        check_primes(self.params, self.primes())?;
        let (c0, mut c1) = (self.pack_list(0)?, self.pack_list(1)?);
        c1.extend(LinearTag::write(self.linear_tag));
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
            .uint(self.primes() as u64)
            .float(self.scale);
        writer
            .uint(self.layout().number().into())
            .uint(self.first.into())
            .uint(self.grid.rows.into())
            .uint(self.grid.columns.into())
            .uint(self.grid.stride.into());
        let dropped = self.rounded.map_or([0; 2], |rounded| rounded.dropped);
        writer.uint(dropped[0].into()).uint(dropped[1].into());
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
