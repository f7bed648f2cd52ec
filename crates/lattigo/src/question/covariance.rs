//! Variances of columns, and covariances of two, over all rows.

use crate::inputs::Inputs;
use crate::question::network::{rows, SINE};
use crate::question::plan::{Plan, Promise, Question};
use crate::{Error, Result};
use isopod_linear::Merged;

/// Number of the question in the protocol.
const COVARIANCE: u8 = 5;
/// Most pairs of one question: `deep/circuit/covariance.go`.
pub const MOST_PAIRS: usize = 64;
/// Largest error that is taken, as a share of the largest variance that readings can have.
const LARGEST_ERROR: f64 = 0.1;

/// The covariance of each pair of columns over all rows, which is the mean of the products less the product of the means; that of
/// a column with itself is its variance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Covariance {
    /// Pairs of columns, from 0.
    pub pairs: Vec<[u32; 2]>,
}

impl Question for Covariance {
    fn plan(&self, merged: &[Merged]) -> Result<Plan> {
        let inputs = Inputs::of(merged)?;
        let (columns, log_stride) = rows(merged)?;
        self.check(columns)?;
        let rows = inputs.readings / columns;
        let range = inputs.range();
        let largest = (range / inputs.unit).powi(2);
        let error = inputs.covariance_error(rows, SINE);
        if error > LARGEST_ERROR * largest {
            let allowed = format!(
                "as many, as precise or as small ones that the error stays below {:.3e}; it would be {error:.3e}",
                LARGEST_ERROR * largest
            );
            return Err(Error::allowed("rows", rows, allowed));
        }
        let promise = Promise {
            bound: largest,
            error,
        };
        Ok(Plan {
            readings: inputs.readings,
            gap: 0.0,
            numbers: vec![promise; self.pairs.len()],
            each: None,
            factor: inputs.unit.powi(-2),
            question: COVARIANCE,
            parameters: self.parameters(columns, log_stride, range),
        })
    }
}

impl Covariance {
    fn check(&self, columns: usize) -> Result<()> {
        if !(1..=MOST_PAIRS).contains(&self.pairs.len()) {
            let allowed = format!("1 to {MOST_PAIRS}");
            return Err(Error::allowed("pairs", self.pairs.len(), allowed));
        }
        let mut asked = self.pairs.iter().flatten();
        match asked.find(|&&column| column as usize >= columns) {
            None => Ok(()),
            Some(column) => {
                let allowed = format!("0 to {}, the columns of the frames", columns - 1);
                Err(Error::allowed("columns", column, allowed))
            }
        }
    }

    fn parameters(&self, columns: usize, log_stride: u32, range: f64) -> Vec<u8> {
        // Columns and strides are below 2^16.
        let mut body = vec![log_stride as u8];
        body.extend((columns as u16).to_le_bytes());
        body.extend((self.pairs.len() as u16).to_le_bytes());
        let asked = self.pairs.iter().flatten();
        body.extend(asked.flat_map(|&column| (column as u16).to_le_bytes()));
        body.extend(range.to_le_bytes());
        body
    }
}
