//! The frames of a query without groups in the terms of DataFusion.

use std::fmt::{self, Debug, Formatter};

use arrow_array::ArrayRef;
use datafusion::error::Result;
use datafusion::logical_expr::Accumulator;
use datafusion::scalar::ScalarValue;
use isopod_workflow::Group;

use super::folding::{Folding, Output, Work};

/// All frames, in a part for each thread; the parts are joined at the end.
pub(super) struct HeAccumulator {
    folding: Folding,
    parts: Vec<Group>,
}

impl Debug for HeAccumulator {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.write_str("HeAccumulator")
    }
}

impl HeAccumulator {
    pub fn new(folding: Folding) -> Self {
        let parts = vec![Group::default()];
        Self { folding, parts }
    }

    fn fold(&mut self, columns: &[ArrayRef]) -> Result<()> {
        let items = self.folding.items(columns)?;
        let items: Vec<_> = items.into_iter().flatten().collect();
        // The first frame is that to which all others are compared.
        let (first, items) = items.split_at(items.len().min(1));
        let mut work: Vec<Work<'_>> = vec![(self.parts.swap_remove(0), first.to_vec())];
        let folded = self.folding.fold(&mut work);
        self.parts.insert(0, work.remove(0).0);
        folded?;
        let threads = self.folding.threads(items.len());
        while self.parts.len() < threads {
            self.parts.push(self.parts[0].beside());
        }
        let share = items.len().div_ceil(threads).max(1);
        let shares = items
            .chunks(share)
            .map(<[_]>::to_vec)
            .chain(std::iter::repeat(Vec::new()));
        let mut work: Vec<Work<'_>> = self.parts.drain(..).zip(shares).collect();
        let folded = self.folding.fold(&mut work);
        self.parts = work.into_iter().map(|(group, _)| group).collect();
        folded
    }

    /// The only part.
    fn joined(&mut self) -> Result<&Group> {
        for part in self.parts.split_off(1) {
            self.folding.join(&mut self.parts[0], part)?;
        }
        Ok(&self.parts[0])
    }

    fn sealed(&mut self) -> Result<ScalarValue> {
        let folding = self.folding.clone();
        Ok(ScalarValue::LargeBinary(folding.state(self.joined()?)?))
    }
}

impl Accumulator for HeAccumulator {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        self.fold(values)
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        self.fold(&states[..1])
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        Ok(vec![self.sealed()?])
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        match self.folding.output {
            Output::State => self.sealed(),
            Output::Count => {
                let folding = self.folding.clone();
                Ok(ScalarValue::Int64(folding.count(self.joined()?)?))
            }
        }
    }

    fn size(&self) -> usize {
        size_of::<Self>() + self.parts.iter().map(Group::bytes).sum::<usize>()
    }
}
