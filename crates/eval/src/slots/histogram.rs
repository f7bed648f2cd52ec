//! Histograms of integers (BFV): one-hot blocks of slots, folded onto the first one by rotations.

use crate::claims::Claims;
use crate::plan::{Plan, Shape};
use crate::slots::job::{
    check_alike, check_integers, Aggregate, Input, Job, Output, Workspace, SLOT_BY_SLOT,
};
use crate::slots::sums::{exact_sum, shrunk};
use crate::slots::total::add_rotated;
use crate::Error;
use isopod_seal::{Ciphertext, Parameters};

/// Job that counts readings per bucket. A reading is a block of slots, as many as buckets, with a 1 in its bucket and 0
/// elsewhere; blocks fill at most the first n/2 slots.
#[derive(Debug, Clone, Copy, Default)]
pub struct Histogram;

/// Rotations by whole blocks, after which the first block holds the sum of all blocks in its row.
fn folds(parameters: &Parameters, buckets: usize) -> impl Iterator<Item = i32> {
    let (first, end) = (buckets.max(1), parameters.ring_degree / 2);
    (0..)
        .map(move |bit| first << bit)
        .take_while(move |&step| step < end)
        .map(|step| step as i32)
}

/// Refuses frames that are not blocks of buckets, or fill more than n/2 slots.
fn check_blocks(parameters: &Parameters, frames: &[Claims]) -> Result<(), Error> {
    let half = parameters.ring_degree / 2;
    for (index, frame) in frames.iter().enumerate() {
        let refuse = |field, found: usize, allowed: String| {
            let found = found as f64;
            Err(Error::Claim {
                index,
                field,
                found,
                allowed,
            })
        };
        if !(2..=half / 2).contains(&frame.buckets) {
            let allowed = format!("2 to {}: encrypt readings with buckets", half / 2);
            return refuse("buckets", frame.buckets, allowed);
        }
        if frame.rows > 1 && !frame.stride.is_multiple_of(frame.buckets) {
            let allowed = format!("a multiple of {} buckets", frame.buckets);
            return refuse("stride", frame.stride, allowed);
        }
        if frame.count() > half {
            let (count, most) = (frame.count(), half);
            return Err(Error::Count { index, count, most });
        }
    }
    Ok(())
}

impl Job for Histogram {
    fn name(&self) -> &'static str {
        "histogram"
    }

    fn rotates(&self) -> bool {
        true
    }

    fn rotations(&self, parameters: &Parameters, frames: &[Claims]) -> Vec<i32> {
        let buckets = frames.first().map_or(1, |frame| frame.buckets);
        folds(parameters, buckets).collect()
    }

    /// Worst case: every reading falls into one bucket.
    fn plan_own(&self, parameters: &Parameters, frames: &[Claims]) -> Result<Vec<Plan>, Error> {
        let job = self.name();
        check_integers(job, parameters)?;
        check_alike(job, frames, SLOT_BY_SLOT)?;
        check_blocks(parameters, frames)?;
        let buckets = frames[0].buckets;
        let readings = frames.iter().map(|frame| {
            let readings = frame.rows * (frame.columns / buckets);
            frame.frames as f64 * readings as f64 * frame.bound
        });
        let mut sum = exact_sum(parameters, frames)?;
        sum.sum_slots(1, parameters.ring_degree / 2 / buckets);
        let shape = Shape {
            rows: 1,
            columns: buckets,
            stride: buckets,
        };
        Ok(vec![sum.within(readings.sum()).plan(job, shape)?])
    }

    fn work(
        &self,
        workspace: &mut Workspace<'_>,
        inputs: &[Input<'_>],
        plans: &[Plan],
    ) -> Result<Vec<Output>, Error> {
        self.add_and_finish(workspace, inputs, plans)
    }
}

impl Aggregate for Histogram {
    fn finish(
        &self,
        workspace: &mut Workspace<'_>,
        mut sum: Ciphertext,
        _frames: &[Claims],
        plan: &Plan,
    ) -> Result<Output, Error> {
        let steps = folds(workspace.parameters(), plan.shape.columns);
        add_rotated(workspace.evaluator, &mut sum, steps, workspace.keys)?;
        shrunk(workspace, sum, plan)
    }
}
