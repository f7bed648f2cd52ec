//! Tables of numbers as numpy holds them, and how their rows become the values of frames: borrowed where they lie as in a frame.

use isopod_workflow::{Borrowed, Derivation, Error, Packing};
use numpy::{PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;

use crate::error::{raised, refused};

/// A table in row-major order.
#[derive(FromPyObject)]
pub enum InputTable<'py> {
    /// CKKS.
    Real(PyReadonlyArray2<'py, f64>),
    /// CKKS.
    Single(PyReadonlyArray2<'py, f32>),
    /// BFV.
    Integers(PyReadonlyArray2<'py, i32>),
    /// TFHE.
    Signed(PyReadonlyArray2<'py, i64>),
    /// TFHE.
    Unsigned(PyReadonlyArray2<'py, u64>),
}

/// The numbers of a table, row after row.
#[derive(Clone, Copy)]
pub enum Numbers<'a> {
    Real(&'a [f64]),
    Single(&'a [f32]),
    Integers(&'a [i32]),
    Signed(&'a [i64]),
    Unsigned(&'a [u64]),
}

impl InputTable<'_> {
    /// Rows and columns.
    pub fn shape(&self) -> (usize, usize) {
        let shape = match self {
            Self::Real(table) => table.shape(),
            Self::Single(table) => table.shape(),
            Self::Integers(table) => table.shape(),
            Self::Signed(table) => table.shape(),
            Self::Unsigned(table) => table.shape(),
        };
        (shape[0], shape[1])
    }

    /// The memory of the table.
    pub fn numbers(&self) -> PyResult<Numbers<'_>> {
        let contiguous = match self {
            Self::Real(table) => table.as_slice().map(Numbers::Real),
            Self::Single(table) => table.as_slice().map(Numbers::Single),
            Self::Integers(table) => table.as_slice().map(Numbers::Integers),
            Self::Signed(table) => table.as_slice().map(Numbers::Signed),
            Self::Unsigned(table) => table.as_slice().map(Numbers::Unsigned),
        };
        contiguous.map_err(|_| {
            refused(
                "values",
                "not contiguous; allowed are rows in one piece of memory",
            )
        })
    }
}

/// Rows of a table in frames.
pub struct Rows<'a> {
    /// The numbers.
    pub numbers: Numbers<'a>,
    /// Names of the columns; numbers stand for those without.
    pub names: &'a [String],
    /// Number of rows.
    pub count: usize,
    /// Values of a row.
    pub columns: usize,
}

impl Rows<'_> {
    /// Refuses numbers beyond the bound, and those that are not finite; NaN may be allowed for readings that are missing.
    pub fn check_bound(&self, allows_missing: bool, bound: f64) -> PyResult<()> {
        let beyond = |value: f64| value.is_nan() && !allows_missing || value.abs() > bound;
        let found = match self.numbers {
            Numbers::Real(values) => first(values, |&value| beyond(value)),
            Numbers::Single(values) => first(values, |&value| beyond(value.into())),
            Numbers::Integers(values) => first(values, |&value| beyond(value.into())),
            Numbers::Signed(_) | Numbers::Unsigned(_) => None,
        };
        let Some((at, value)) = found else {
            return Ok(());
        };
        let (row, column) = (at / self.columns, at % self.columns);
        Err(raised(Error::Bound {
            row: row + 1,
            column: self.name(column),
            value,
            bound,
        }))
    }

    fn name(&self, column: usize) -> String {
        let name = self.names.get(column).cloned();
        name.unwrap_or_else(|| column.to_string())
    }

    /// Passes the values of each frame to `take`.
    pub fn each(
        &self,
        packing: Packing,
        take: &mut dyn FnMut(Borrowed<'_>) -> PyResult<()>,
    ) -> PyResult<()> {
        let pack = (self.columns, packing);
        match self.numbers {
            Numbers::Real(values) => frames(values, pack, |values| take(Borrowed::Real(values))),
            Numbers::Single(values) => {
                frames(values, pack, |values| take(Borrowed::Single(values)))
            }
            Numbers::Integers(values) => {
                frames(values, pack, |values| take(Borrowed::Signed(values)))
            }
            Numbers::Signed(_) | Numbers::Unsigned(_) => Ok(()),
        }
    }

    /// Passes the values of each frame with all columns that are derived, and the category of each row.
    pub fn each_derived(
        &self,
        packing: Packing,
        (derivation, categories): (&Derivation, &[usize]),
        take: &mut dyn FnMut(Borrowed<'_>) -> PyResult<()>,
    ) -> PyResult<()> {
        self.check_categories(derivation, categories)?;
        let block = derivation.block(self.columns);
        let (mut values, mut readings) = (Vec::new(), vec![0.0; self.columns]);
        for first in (0..self.count).step_by(packing.rows) {
            values.clear();
            for row in first..self.count.min(first + packing.rows) {
                values.resize((row - first) * packing.stride, 0.0);
                self.read(row, &mut readings);
                let category = categories.get(row).copied().unwrap_or(0);
                derivation.append(&readings, category, &block, &mut values);
            }
            match self.numbers {
                Numbers::Integers(_) => {
                    let integers: Vec<i32> = values.iter().map(|value| *value as i32).collect();
                    take(Borrowed::Signed(&integers))?;
                }
                _ => take(Borrowed::Real(&values))?,
            }
        }
        Ok(())
    }

    fn check_categories(&self, derivation: &Derivation, categories: &[usize]) -> PyResult<()> {
        let wanted = if derivation.categories.is_empty() {
            0
        } else {
            self.count
        };
        let most = derivation.categories.len();
        let is_fit = categories.len() == wanted && categories.iter().all(|one| *one < most);
        match is_fit {
            true => Ok(()),
            false => {
                let problem = format!(
                    "{} of them; allowed is one below {most} for each of {wanted} rows",
                    categories.len()
                );
                Err(refused("categories", problem))
            }
        }
    }

    /// Copies the readings of a row.
    fn read(&self, row: usize, into: &mut [f64]) {
        let from = row * self.columns..(row + 1) * self.columns;
        match self.numbers {
            Numbers::Real(values) => into.copy_from_slice(&values[from]),
            Numbers::Single(values) => copy(&values[from], into),
            Numbers::Integers(values) => copy(&values[from], into),
            Numbers::Signed(_) | Numbers::Unsigned(_) => {}
        }
    }

    /// The values of some whole rows, for TFHE.
    pub fn whole(&self) -> Vec<i128> {
        match self.numbers {
            Numbers::Signed(values) => values.iter().map(|&value| value.into()).collect(),
            Numbers::Unsigned(values) => values.iter().map(|&value| value.into()).collect(),
            _ => Vec::new(),
        }
    }
}

fn copy<T: Copy + Into<f64>>(values: &[T], into: &mut [f64]) {
    for (into, value) in into.iter_mut().zip(values) {
        *into = (*value).into();
    }
}

/// Position and value of the first number that offends.
fn first<T: Copy + Into<f64>>(values: &[T], offends: impl Fn(&T) -> bool) -> Option<(usize, f64)> {
    let at = values.iter().position(offends)?;
    Some((at, values[at].into()))
}

/// The values of each frame: the rows themselves where they lie a stride apart already, otherwise a copy.
fn frames<T: Copy + Default>(
    values: &[T],
    (columns, packing): (usize, Packing),
    mut take: impl FnMut(&[T]) -> PyResult<()>,
) -> PyResult<()> {
    let mut buffer = Vec::new();
    for rows in values.chunks(packing.rows * columns) {
        if columns == packing.stride || rows.len() == columns {
            take(rows)?;
            continue;
        }
        buffer.clear();
        for (number, row) in rows.chunks(columns).enumerate() {
            buffer.resize(number * packing.stride, T::default());
            buffer.extend_from_slice(row);
        }
        take(&buffer)?;
    }
    Ok(())
}
