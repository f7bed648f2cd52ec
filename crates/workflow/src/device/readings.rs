//! Tables of readings: checks, standardisation, buckets, and how rows become the messages of frames.

use isopod_eval::Model;
use isopod_wire::{Layout, ParameterSet, Schema, Scheme, TfheParams, ValueType};

use crate::{Error, Result};

/// Named columns of finite numbers, `f64` for CKKS and BFV, `i128` within one type for TFHE.
#[derive(Debug, Clone, PartialEq)]
pub struct Readings<T> {
    /// Names of the columns.
    pub columns: Vec<String>,
    /// Rows of one number per column.
    pub rows: Vec<Vec<T>>,
}

/// Message of one frame.
#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    /// Under CKKS.
    Real(Vec<f64>),
    /// Under BFV.
    Integers(Vec<i32>),
    /// Under TFHE.
    Typed(Schema, Vec<i128>),
}

/// How rows lie in one frame: a stride apart; in slots a power of two, so that a server can sum each by rotations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Packing {
    /// Rows of each frame but the last.
    pub rows: usize,
    /// Slots from row to row.
    pub stride: usize,
}

impl Packing {
    /// All rows that fit, or the requested number.
    ///
    /// # Errors
    /// [`Error::Parameter`] for columns and rows that do not fit.
    pub fn new(columns: usize, slots: usize, rows: Option<usize>) -> Result<Self> {
        if !(1..=slots).contains(&columns) {
            let problem = format!("{columns} columns; allowed are 1 to {slots} for this set");
            return Err(Error::parameter("values", problem));
        }
        let stride = columns.next_power_of_two();
        let most = (slots / stride).max(1);
        let rows = rows.unwrap_or(most);
        if !(1..=most).contains(&rows) {
            let problem =
                format!("{rows} is out of range; allowed is 1 to {most} for {columns} columns");
            return Err(Error::parameter("rows_per_frame", problem));
        }
        Ok(Self { rows, stride })
    }

    /// Rows in coefficients, one after the other: all that fit, or the requested number.
    ///
    /// # Errors
    /// [`Error::Parameter`] for columns and rows that do not fit.
    pub fn dense(columns: usize, coefficients: usize, rows: Option<usize>) -> Result<Self> {
        Self::apart(columns, columns, coefficients, rows)
    }

    /// Rows in coefficients a power of two apart, with places behind each that are not sent: all that fit, or the requested
    /// number. Jobs on rows of merged frames need it.
    ///
    /// # Errors
    /// Those of [`Packing::dense`].
    pub fn filled(columns: usize, coefficients: usize, rows: Option<usize>) -> Result<Self> {
        Self::apart(columns, columns.next_power_of_two(), coefficients, rows)
    }

    fn apart(
        columns: usize,
        stride: usize,
        coefficients: usize,
        rows: Option<usize>,
    ) -> Result<Self> {
        let most = match coefficients.checked_sub(columns) {
            Some(rest) => rest / stride.max(1) + 1,
            None => 0,
        };
        if columns == 0 || most == 0 {
            let problem =
                format!("{columns} columns; allowed are 1 to {coefficients} for this set");
            return Err(Error::parameter("values", problem));
        }
        let rows = rows.unwrap_or(most);
        if !(1..=most).contains(&rows) {
            let problem =
                format!("{rows} is out of range; allowed is 1 to {most} for {columns} columns");
            return Err(Error::parameter("rows_per_frame", problem));
        }
        Ok(Self { rows, stride })
    }

    /// Rows of this many columns in a layout of a set: all that fit, or the requested number. Blocks of buckets stay within one
    /// row of the slots, half of them, where a histogram can fold them.
    ///
    /// # Errors
    /// [`Error::Parameter`] for columns and rows that do not fit.
    pub fn in_layout(
        set: &ParameterSet,
        layout: Layout,
        columns: usize,
        is_bucketed: bool,
        rows: Option<usize>,
    ) -> Result<Self> {
        let slots = match is_bucketed {
            true => set.slots() / 2,
            false => set.slots(),
        };
        match layout {
            Layout::Slots => Self::new(columns, slots, rows),
            Layout::CoefficientsRounded => Self::dense(columns, set.ring_degree, rows),
            _ => Self::new(columns, slots, Some(1)),
        }
    }

    /// The slots of some rows; the end of the last row is the last slot.
    fn slots(&self, rows: &[Vec<f64>]) -> Vec<f64> {
        let mut slots = Vec::new();
        for (number, row) in rows.iter().enumerate() {
            slots.resize(number * self.stride, 0.0);
            slots.extend_from_slice(row);
        }
        slots
    }
}

impl<T: Copy> Readings<T> {
    /// Row, column and value of the first cell that is not `allowed`.
    fn first(&self, allowed: impl Fn(T) -> bool) -> Option<(usize, String, T)> {
        let cells = self.rows.iter().enumerate().flat_map(|(number, row)| {
            let named = row.iter().zip(&self.columns);
            named.map(move |(&value, column)| (number + 1, column, value))
        });
        let mut refused = cells.filter(|&(.., value)| !allowed(value));
        refused
            .next()
            .map(|(row, column, value)| (row, column.clone(), value))
    }
}

impl Readings<f64> {
    /// (x - mean) / scale of each feature, where the model has them. Columns are the model's features, in its order.
    ///
    /// # Errors
    /// [`Error::Reading`] for values not finite afterwards.
    pub fn standardise(mut self, model: &Model) -> Result<Self> {
        for row in &mut self.rows {
            for (at, value) in row.iter_mut().enumerate() {
                let mean = model.mean.get(at).unwrap_or(&0.0);
                *value = (*value - mean) / model.scale.get(at).unwrap_or(&1.0);
            }
        }
        match self.first(f64::is_finite) {
            None => Ok(self),
            Some((row, column, _)) => Err(Error::Reading {
                row,
                column,
                problem: "not finite once standardised".to_owned(),
            }),
        }
    }

    /// Refuses values beyond 2^log2_bound. Missing readings, which are NaN, have none.
    ///
    /// # Errors
    /// [`Error::Bound`].
    pub fn check_bound(&self, log2_bound: i8) -> Result<()> {
        let bound = f64::from(log2_bound).exp2();
        match self.first(|value| value.is_nan() || value.abs() <= bound) {
            None => Ok(()),
            Some((row, column, value)) => Err(Error::Bound {
                row,
                column,
                value,
                bound,
            }),
        }
    }

    /// Refuses values that the set does not encrypt: under BFV all but integers up to half of the plaintext modulus.
    ///
    /// # Errors
    /// [`Error::Reading`].
    pub fn check_set(&self, set: &ParameterSet) -> Result<()> {
        let Some(modulus) = set.plain_modulus else {
            return Ok(());
        };
        self.check_integers()?;
        let most = (modulus / 2) as f64;
        match self.first(|value| value.is_nan() || value.abs() <= most) {
            None => Ok(()),
            Some((row, column, value)) => Err(Error::Reading {
                row,
                column,
                problem: format!(
                    "{value} is out of range; allowed under {} is -{most} to {most}",
                    set.name
                ),
            }),
        }
    }

    /// Refuses values that are no multiples of 2^log2_unit, or more than 32 bits of it.
    ///
    /// # Errors
    /// [`Error::Reading`].
    pub fn check_grid(&self, log2_unit: i8) -> Result<()> {
        match self.first(|value| grid_integer(value, log2_unit).is_some()) {
            None => Ok(()),
            Some((row, column, value)) => Err(Error::Reading {
                row,
                column,
                problem: format!(
                    "{value} is no multiple of 2^{log2_unit} of 32 bits; allowed are readings on the grid"
                ),
            }),
        }
    }

    /// Refuses values that are no integers. Missing readings, which are NaN, have none.
    ///
    /// # Errors
    /// [`Error::Reading`].
    pub fn check_integers(&self) -> Result<()> {
        match self.first(|value| value.is_nan() || value.fract() == 0.0) {
            None => Ok(()),
            Some((row, column, value)) => Err(Error::Reading {
                row,
                column,
                problem: format!("{value} is no integer; allowed under this set are integers"),
            }),
        }
    }

    /// Each value as a block of slots, a power of two, with a 1 in its bucket: bucket b holds what is at least edge b-1
    /// and below edge b.
    ///
    /// # Errors
    /// [`Error::Parameter`] for edges that do not ascend.
    pub fn one_hot(self, edges: &[f64]) -> Result<Self> {
        let ascend = edges.windows(2).all(|pair| pair[0] < pair[1]);
        if !ascend || !edges.iter().all(|edge| edge.is_finite()) {
            let problem = "the edges must be finite and ascend";
            return Err(Error::parameter("buckets", problem));
        }
        let width = (edges.len() + 1).next_power_of_two();
        let name = |column: &String| {
            let column = column.clone();
            (0..width).map(move |bucket| format!("{column}/{bucket}"))
        };
        let block = |value: &f64| {
            let bucket = edges.iter().take_while(|&edge| edge <= value).count();
            (0..width).map(move |slot| f64::from(u8::from(slot == bucket)))
        };
        let expand = |row: &Vec<f64>| row.iter().flat_map(block).collect();
        Ok(Self {
            columns: self.columns.iter().flat_map(name).collect(),
            rows: self.rows.iter().map(expand).collect(),
        })
    }

    /// The messages of frames under a set; values are checked before.
    pub fn messages(&self, set: &ParameterSet, packing: Packing) -> Vec<Message> {
        let message = |rows: &[Vec<f64>]| {
            let slots = packing.slots(rows);
            match set.scheme() {
                Scheme::Ckks => Message::Real(slots),
                Scheme::Bfv => Message::Integers(slots.iter().map(|&value| value as i32).collect()),
            }
        };
        self.rows.chunks(packing.rows).map(message).collect()
    }
}

/// A multiple of 2^log2_unit as an integer of 32 bits; None for other numbers.
pub(crate) fn grid_integer(value: f64, log2_unit: i8) -> Option<i32> {
    let units = value / f64::from(log2_unit).exp2();
    let is_integer = units.fract() == 0.0 && units.abs() < f64::from(i32::MAX);
    is_integer.then_some(units as i32)
}

impl Readings<i128> {
    /// Whether all values are 0 or 1.
    pub fn are_bits(&self) -> bool {
        self.rows
            .iter()
            .flatten()
            .all(|value| (0..=1).contains(value))
    }

    /// All rows per frame that fit, or the requested number.
    ///
    /// # Errors
    /// [`Error::Parameter`].
    pub fn rows_per_frame(
        &self,
        set: &TfheParams,
        of: ValueType,
        rows: Option<usize>,
    ) -> Result<usize> {
        let columns = self.columns.len();
        let fit = set.ring_degree / of.blocks(set.message_bits) / columns;
        let rows = rows.unwrap_or(fit.max(1));
        if (1..=fit).contains(&rows) {
            return Ok(rows);
        }
        let problem = format!(
            "{rows} rows of {columns} values of type {}; allowed is 1 to {fit} in a frame of {}",
            of.name(),
            set.name
        );
        Err(Error::parameter("rows_per_frame", problem))
    }

    /// The messages of frames, their values of one type.
    ///
    /// # Errors
    /// [`Error::Wire`] for more values than a schema tells.
    pub fn messages(&self, of: ValueType, rows_per_frame: usize) -> Result<Vec<Message>> {
        let message = |rows: &[Vec<i128>]| {
            let values = rows.concat();
            let schema = Schema::of_values(vec![of; values.len()])?;
            Ok(Message::Typed(schema, values))
        };
        self.rows.chunks(rows_per_frame).map(message).collect()
    }
}
