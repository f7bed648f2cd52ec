//! Claims of a frame of CKKS or BFV: what its sender says about its values, under the tag (`spec/wire.md`, section 1).

use crate::cbor::codec::{Reader, Writer};
use crate::codes::limit::RING_DEGREE;
use crate::{Grid, Layout, PackingId, ParameterSet, Result, WireError};

/// log2 of the bounds on real values.
const LOG2_BOUNDS: std::ops::RangeInclusive<i32> = -20..=40;

/// Bound, arrangement and meaning of a frame's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Claims {
    /// CKKS: log2 of the bound on |value|, -20 to 40; BFV: the bound itself, 1 to floor(t/2).
    pub bound: i32,
    /// Places from row to row; those of all values if the layout repeats them.
    pub stride: u32,
    /// Places of one reading: 1, or the buckets of a one-hot block, a power of two that divides the columns.
    pub buckets: u32,
    /// Names and standardisation of the columns, if the sender says.
    pub packing: Option<PackingId>,
}

impl Claims {
    /// The largest magnitude that a value of the set may have.
    pub fn largest(&self, params: &ParameterSet) -> f64 {
        match params.plain_modulus {
            None => f64::from(self.bound).exp2(),
            Some(_) => f64::from(self.bound),
        }
    }

    /// The first claim in which two frames differ. The pattern names every field, so that one that is added is compared, too.
    pub(crate) fn difference(&self, other: &Self) -> Option<&'static str> {
        let Self {
            bound,
            stride,
            buckets,
            packing,
        } = other;
        let fields = [
            ("bound", self.bound == *bound),
            ("stride", self.stride == *stride),
            ("buckets", self.buckets == *buckets),
            ("packing", self.packing == *packing),
        ];
        let differs = fields.iter().find(|(_, equal)| !equal);
        differs.map(|(name, _)| *name)
    }

    pub(crate) fn read(reader: &mut Reader<'_>) -> Result<Self> {
        Ok(Self {
            bound: reader.integer("bound")?,
            stride: reader.word("stride")?,
            buckets: reader.word("buckets")?,
            packing: reader.optional("packing")?,
        })
    }

    pub(crate) fn write(&self, writer: &mut Writer) {
        writer
            .integer(self.bound.into())
            .uint(self.stride.into())
            .uint(self.buckets.into())
            .optional(self.packing.as_ref());
    }

    /// Refuses claims that `count` values of the set in this layout do not allow; `count` is at least 1.
    pub(crate) fn check(&self, params: &ParameterSet, layout: Layout, count: u32) -> Result<()> {
        self.check_bound(params)?;
        self.check_stride(layout, count)?;
        let columns = Grid::of(count, self.stride).columns;
        if self.buckets.is_power_of_two() && columns.is_multiple_of(self.buckets) {
            return Ok(());
        }
        let allowed = format!("a power of two that divides the {columns} columns");
        Err(WireError::out_of_range("buckets", self.buckets, allowed))
    }

    fn check_bound(&self, params: &ParameterSet) -> Result<()> {
        let bounds = match params.plain_modulus {
            None => LOG2_BOUNDS,
            // t is below 2^31, as coefficients of plaintexts have 32 bits.
            Some(modulus) => 1..=(modulus / 2) as i32,
        };
        if bounds.contains(&self.bound) {
            return Ok(());
        }
        let allowed = format!("{} to {} for {}", bounds.start(), bounds.end(), params.name);
        Err(WireError::out_of_range("bound", self.bound, allowed))
    }

    fn check_stride(&self, layout: Layout, count: u32) -> Result<()> {
        let (fits, allowed) = if layout.is_repeated() {
            (self.stride == count, format!("{count}, as all are one row"))
        } else {
            let fits = (1..=RING_DEGREE as u32).contains(&self.stride);
            (fits, format!("1 to {RING_DEGREE}"))
        };
        if fits {
            return Ok(());
        }
        Err(WireError::out_of_range("stride", self.stride, allowed))
    }
}
