//! The groups of one aggregate in the terms of DataFusion.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, BooleanArray, Int64Array, LargeBinaryArray};
use datafusion::error::Result;
use datafusion::logical_expr::{EmitTo, GroupsAccumulator};
use isopod_workflow::Group;

use super::folding::{Folding, Item, Output, Work};

/// Groups by number.
pub(super) struct HeGroups {
    folding: Folding,
    groups: Vec<Group>,
    bytes: usize,
}

impl HeGroups {
    pub fn new(folding: Folding) -> Self {
        let groups = Vec::new();
        Self {
            folding,
            groups,
            bytes: 0,
        }
    }

    fn fold(
        &mut self,
        items: Vec<Option<Item<'_>>>,
        numbers: &[usize],
        filter: Option<&BooleanArray>,
    ) -> Result<()> {
        let is_kept = |row: usize| filter.is_none_or(|kept| kept.is_valid(row) && kept.value(row));
        let mut by_group: BTreeMap<usize, Vec<Item<'_>>> = BTreeMap::new();
        for (row, (item, number)) in items.into_iter().zip(numbers).enumerate() {
            if let Some(item) = item.filter(|_| is_kept(row)) {
                by_group.entry(*number).or_default().push(item);
            }
        }
        let mut taken = Vec::with_capacity(by_group.len());
        let mut work: Vec<Work<'_>> = Vec::with_capacity(by_group.len());
        for (number, items) in by_group {
            let group = std::mem::take(&mut self.groups[number]);
            self.bytes -= bytes(&group);
            taken.push(number);
            work.push((group, items));
        }
        let folded = self.folding.fold(&mut work);
        for (number, (group, _)) in taken.into_iter().zip(work) {
            self.bytes += bytes(&group);
            self.groups[number] = group;
        }
        folded
    }

    fn resize(&mut self, groups: usize) {
        self.groups.resize_with(groups, Group::default);
    }

    fn take(&mut self, emit_to: EmitTo) -> Vec<Group> {
        let taken = emit_to.take_needed(&mut self.groups);
        self.bytes -= taken.iter().map(bytes).sum::<usize>();
        taken
    }

    fn states(&self, groups: &[Group]) -> Result<ArrayRef> {
        let states = groups.iter().map(|group| self.folding.state(group));
        let states: Vec<Option<Vec<u8>>> = states.collect::<Result<_>>()?;
        Ok(Arc::new(
            states
                .iter()
                .map(Option::as_deref)
                .collect::<LargeBinaryArray>(),
        ))
    }
}

/// Bytes of a group beside its place.
fn bytes(group: &Group) -> usize {
    group.bytes() - size_of::<Group>()
}

impl GroupsAccumulator for HeGroups {
    fn update_batch(
        &mut self,
        values: &[ArrayRef],
        group_indices: &[usize],
        opt_filter: Option<&BooleanArray>,
        total_num_groups: usize,
    ) -> Result<()> {
        self.resize(total_num_groups);
        let items = self.folding.items(values)?;
        self.fold(items, group_indices, opt_filter)
    }

    fn merge_batch(
        &mut self,
        values: &[ArrayRef],
        group_indices: &[usize],
        total_num_groups: usize,
    ) -> Result<()> {
        self.resize(total_num_groups);
        let items = self.folding.items(&values[..1])?;
        self.fold(items, group_indices, None)
    }

    fn evaluate(&mut self, emit_to: EmitTo) -> Result<ArrayRef> {
        let groups = self.take(emit_to);
        match self.folding.output {
            Output::State => self.states(&groups),
            Output::Count => {
                let counts = groups.iter().map(|group| self.folding.count(group));
                Ok(Arc::new(counts.collect::<Result<Int64Array>>()?))
            }
        }
    }

    fn state(&mut self, emit_to: EmitTo) -> Result<Vec<ArrayRef>> {
        let groups = self.take(emit_to);
        Ok(vec![self.states(&groups)?])
    }

    fn convert_to_state(
        &self,
        values: &[ArrayRef],
        opt_filter: Option<&BooleanArray>,
    ) -> Result<Vec<ArrayRef>> {
        let numbers: Vec<usize> = (0..values[0].len()).collect();
        let mut groups = Self::new(self.folding.clone());
        groups.update_batch(values, &numbers, opt_filter, numbers.len())?;
        groups.state(EmitTo::All)
    }

    fn size(&self) -> usize {
        self.bytes + self.groups.capacity() * size_of::<Group>()
    }
}
