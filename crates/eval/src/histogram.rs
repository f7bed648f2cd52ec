//! Histograms of integers (BFV): one-hot blocks of slots, folded onto the first one by rotations.

use crate::bounds::Reach;
use crate::job::{Input, Job, Output, Slots, Workspace};
use crate::noise::NoiseBound;
use crate::sums::add_all;
use crate::total::check_stride;
use crate::Error;
use isopod_seal::{Ciphertext, EvaluationKeys, Evaluator};

/// Job that counts readings per bucket. A reading is a block of `buckets` slots with a 1 in its bucket and 0 elsewhere;
/// blocks fill at most the first n/2 slots.
#[derive(Debug, Clone, Copy)]
pub struct Histogram {
    /// Number of buckets, a power of two from 2 to n/4.
    pub buckets: usize,
}

impl Histogram {
    /// Rotations by whole blocks, after which the first block holds the sum of all blocks in its row.
    fn folds(&self, slots: usize) -> impl Iterator<Item = i32> {
        let (first, end) = (self.buckets.max(1), slots / 2);
        (0..)
            .map(move |bit| first << bit)
            .take_while(move |&step| step < end)
            .map(|step| step as i32)
    }

    /// Worst case: every reading falls into one bucket.
    fn reach(&self, slots: usize, inputs: usize) -> Reach {
        let blocks = slots / 2 / self.buckets;
        Reach::Exact {
            largest: (inputs * slots / 2 / self.buckets) as u64,
            noise: NoiseBound::rotated(inputs as u64, blocks as u64),
        }
    }

    fn fold(
        &self,
        evaluator: Evaluator<'_>,
        sum: &mut Ciphertext,
        keys: &EvaluationKeys,
    ) -> Result<(), Error> {
        for step in self.folds(evaluator.context().parameters().slots()) {
            let mut rotated = sum.clone();
            evaluator.rotate(&mut rotated, step, keys)?;
            evaluator.add(sum, &rotated)?;
        }
        Ok(())
    }
}

impl Job for Histogram {
    fn name(&self) -> &'static str {
        "histogram"
    }

    /// Powers of two from the number of buckets, for any ring degree; [`Job::check`] asks for those that the set has.
    fn required_rotations(&self) -> Vec<i32> {
        self.folds(1 << 15).collect()
    }

    fn rotations_for(&self, slots: usize) -> Vec<i32> {
        self.folds(slots).collect()
    }

    fn check_own(&self, workspace: &Workspace<'_>, inputs: &[Input<'_>]) -> Result<(), Error> {
        let slots = workspace.parameters().slots();
        check_stride(self.buckets, 2, slots / 4)?;
        if let Some(index) = inputs.iter().position(|input| input.count > slots / 2) {
            let (count, most) = (inputs[index].count, slots / 2);
            return Err(Error::Count { index, count, most });
        }
        self.reach(slots, inputs.len())
            .check(self.name(), workspace, inputs)
    }

    fn work(
        &self,
        workspace: &mut Workspace<'_>,
        inputs: &[Input<'_>],
    ) -> Result<Vec<Output>, Error> {
        let (evaluator, keys) = (workspace.evaluator, workspace.keys(self)?);
        let mut sum = add_all(workspace, inputs, |_, ciphertext| Ok(Some(ciphertext)))?;
        self.fold(evaluator, &mut sum, keys)?;
        let slots = workspace.parameters().slots();
        self.reach(slots, inputs.len())
            .shrink(evaluator, &mut sum)?;
        let (first, step, count) = (0, 1, self.buckets);
        let slots = Slots { first, step, count };
        Ok(vec![Output {
            ciphertext: sum,
            slots,
        }])
    }
}
