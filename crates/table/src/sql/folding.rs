//! Frames of a batch into groups, by several threads.

use std::sync::Arc;
use std::thread;

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use datafusion::error::{DataFusionError, Result};
use isopod_workflow::{Error, Group};

use super::shared::{HeAggregate, Shared};

/// Frames for which a thread is worth its start.
const LEAST_ITEMS: usize = 8;

/// Value that a group ends in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Output {
    /// The sealed partial state, of which an answer is made where the query ends.
    State,
    /// The number of frames, in the clear.
    Count,
}

/// A frame or a state, and its weight.
pub(super) type Item<'b> = (&'b [u8], f64);

/// Work for one thread: a group, and what is added to it.
pub(super) type Work<'b> = (Group, Vec<Item<'b>>);

/// One aggregate of a query.
#[derive(Clone)]
pub(super) struct Folding {
    pub shared: Arc<Shared>,
    pub aggregate: HeAggregate,
    pub output: Output,
    pub is_weighed: bool,
}

impl Folding {
    /// The items of a batch by row; none where there is no frame.
    pub fn items<'b>(&self, columns: &'b [ArrayRef]) -> Result<Vec<Option<Item<'b>>>> {
        let items = &columns[0];
        let weights = columns.get(1).filter(|_| self.is_weighed);
        let weights = weights.map(|weights| weights.as_primitive::<Float64Type>());
        let item = |row: usize| {
            let weight = match weights {
                None => 1.0,
                Some(weights) if weights.is_valid(row) => weights.value(row),
                // An unknown factor is no factor: the row is left out, as SQL leaves it out of a sum.
                Some(_) => 0.0,
            };
            let is_there = items.is_valid(row);
            is_there
                .then(|| Ok((binary(items, row)?, weight)))
                .transpose()
        };
        (0..items.len()).map(item).collect()
    }

    /// Threads for this many items.
    pub fn threads(&self, items: usize) -> usize {
        (items / LEAST_ITEMS).clamp(1, self.shared.threads.get())
    }

    /// Adds to each group its items. The error is that of the first group that has one.
    pub fn fold(&self, work: &mut [Work<'_>]) -> Result<()> {
        let items = work.iter().map(|(_, items)| items.len()).sum();
        let share = work.len().div_ceil(self.threads(items)).max(1);
        let fold = |works: &mut [Work<'_>]| {
            let mut each = works.iter_mut();
            each.try_for_each(|(group, items)| {
                self.aggregate.aggregation.fold(group, items.drain(..))
            })
        };
        let folded: Vec<_> = thread::scope(|scope| {
            let (own, others) = work.split_at_mut(share.min(work.len()));
            let others = others
                .chunks_mut(share)
                .map(|works| scope.spawn(move || fold(works)));
            let others: Vec<_> = others.collect();
            let own = std::iter::once(Ok(fold(own)));
            own.chain(others.into_iter().map(|other| other.join()))
                .collect()
        });
        for folded in folded {
            let folded = folded.map_err(|_| {
                DataFusionError::Execution("a thread that adds frames ended".to_owned())
            })?;
            folded.map_err(|error| self.fail(error))?;
        }
        Ok(())
    }

    /// Adds the frames of another group.
    pub fn join(&self, group: &mut Group, other: Group) -> Result<()> {
        let joined = self.aggregate.aggregation.join(group, other);
        joined.map_err(|error| self.fail(error))
    }

    fn fail(&self, error: Error) -> DataFusionError {
        self.shared.fail(self.aggregate.explain(error))
    }

    /// A group as a sealed state.
    pub fn state(&self, group: &Group) -> Result<Option<Vec<u8>>> {
        let state = self.aggregate.aggregation.state(group);
        state.map_err(|error| self.fail(error))
    }

    /// The number of a group's frames.
    pub fn count(&self, group: &Group) -> Result<Option<i64>> {
        let frames = group.frames().map_err(|error| self.fail(error))?;
        Ok(i64::try_from(frames).ok())
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
