//! One group of one aggregate in the terms of DataFusion.

use std::fmt::{self, Debug, Formatter};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use datafusion::error::{DataFusionError, Result};
use datafusion::logical_expr::Accumulator;
use datafusion::scalar::ScalarValue;
use isopod_workflow::{Aggregation, Group};

use super::shared::Shared;

/// Value that a group ends in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Output {
    /// The sealed partial state, of which an answer is made where the query ends.
    State,
    /// The number of frames, in the clear.
    Count,
}

/// Frames of one group.
pub(super) struct HeAccumulator {
    pub shared: Arc<Shared>,
    pub aggregation: Aggregation,
    pub output: Output,
    pub is_weighed: bool,
    pub group: Group,
}

impl Debug for HeAccumulator {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.write_str("HeAccumulator")
    }
}

impl HeAccumulator {
    fn fold(&mut self, items: &ArrayRef, weights: Option<&ArrayRef>) -> Result<()> {
        let weights =
            weights.map(|weights| weights.as_primitive::<arrow_array::types::Float64Type>());
        let rows = (0..items.len()).filter(|&row| items.is_valid(row));
        let items = rows.map(|row| {
            let weight = match weights {
                None => 1.0,
                Some(weights) if weights.is_valid(row) => weights.value(row),
                // An unknown factor is no factor: the row is left out, as SQL leaves it out of a sum.
                Some(_) => 0.0,
            };
            Ok((binary(items, row)?, weight))
        });
        let items: Vec<(&[u8], f64)> = items.collect::<Result<_>>()?;
        let folded = self.aggregation.fold(&mut self.group, items);
        folded.map_err(|error| self.shared.fail(error))
    }

    fn sealed(&self) -> Result<ScalarValue> {
        let state = self.aggregation.state(&self.group);
        let state = state.map_err(|error| self.shared.fail(error))?;
        Ok(ScalarValue::LargeBinary(state))
    }
}

/// The bytes of a row of any binary column.
pub(super) fn binary(column: &ArrayRef, row: usize) -> Result<&[u8]> {
    Ok(match column.data_type() {
        DataType::BinaryView => column.as_binary_view().value(row),
        DataType::LargeBinary => column.as_binary::<i64>().value(row),
        DataType::Binary => column.as_binary::<i32>().value(row),
        other => {
            let problem = format!("frame: {other}; allowed is a column of frames or of their sums");
            return Err(DataFusionError::Plan(problem));
        }
    })
}

impl Accumulator for HeAccumulator {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let weights = if self.is_weighed { values.get(1) } else { None };
        self.fold(&values[0], weights)
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        self.fold(&states[0], None)
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        Ok(vec![self.sealed()?])
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        match self.output {
            Output::State => self.sealed(),
            Output::Count => {
                let frames = self
                    .group
                    .frames()
                    .map_err(|error| self.shared.fail(error))?;
                Ok(ScalarValue::Int64(i64::try_from(frames).ok()))
            }
        }
    }

    fn size(&self) -> usize {
        size_of::<Self>() - size_of::<Group>() + self.group.bytes()
    }
}
