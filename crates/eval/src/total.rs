//! Sums within blocks of slots, of real numbers or integers, by rotation.

use crate::bounds::{Bounds, Reach};
use crate::job::{Input, Job, Output, Slots, Workspace};
use crate::noise::NoiseBound;
use crate::Error;
use isopod_seal::{Ciphertext, EvaluationKeys, Evaluator};

/// Job for the sum of each block of `stride` slots; with stride n/2 of real numbers, of all slots. Weights are not used.
#[derive(Debug, Clone, Copy)]
pub struct Total {
    /// Number of slots in a block, a power of two from 2 to n/2.
    pub stride: usize,
    /// Bounds of the values.
    pub bounds: Bounds,
}

impl Total {
    fn reach(&self) -> Reach {
        match self.bounds {
            Bounds::Real(precision) => {
                precision.reach(1.0, precision.largest_value * self.stride as f64)
            }
            Bounds::Integers(largest) => Reach::Exact {
                largest: (self.stride as u64).saturating_mul(largest),
                noise: NoiseBound::rotated(1, self.stride as u64),
            },
        }
    }
}

impl Job for Total {
    fn name(&self) -> &'static str {
        "total"
    }

    fn required_rotations(&self) -> Vec<i32> {
        rotations(self.stride)
    }

    fn check_own(&self, workspace: &Workspace<'_>, inputs: &[Input<'_>]) -> Result<(), Error> {
        if let Bounds::Real(precision) = self.bounds {
            precision.check()?;
        }
        // A rotation moves the slots of each row, n/2 of them in both schemes.
        check_stride(self.stride, 2, workspace.parameters().ring_degree / 2)?;
        self.reach().check(self.name(), workspace, inputs)
    }

    fn work(
        &self,
        workspace: &mut Workspace<'_>,
        inputs: &[Input<'_>],
    ) -> Result<Vec<Output>, Error> {
        let (evaluator, keys) = (workspace.evaluator, workspace.keys(self)?);
        for_each(workspace, inputs, |input| {
            let mut ciphertext = input.ciphertext.clone();
            sum_blocks(evaluator, &mut ciphertext, self.stride, keys)?;
            self.reach().shrink(evaluator, &mut ciphertext)?;
            let slots = rows(self.stride, input.count);
            Ok(Output { ciphertext, slots })
        })
    }
}

/// Makes one output per ciphertext, with progress.
pub(crate) fn for_each(
    workspace: &mut Workspace<'_>,
    inputs: &[Input<'_>],
    mut one: impl FnMut(&Input<'_>) -> Result<Output, Error>,
) -> Result<Vec<Output>, Error> {
    let mut outputs = Vec::with_capacity(inputs.len());
    for input in inputs {
        outputs.push(one(input)?);
        (workspace.progress)(outputs.len(), inputs.len());
    }
    Ok(outputs)
}

/// Rotations 1, 2, 4 ... stride/2.
pub(crate) fn rotations(stride: usize) -> Vec<i32> {
    (0..stride.max(1).ilog2()).map(|bit| 1 << bit).collect()
}

pub(crate) fn check_stride(stride: usize, least: usize, most: usize) -> Result<(), Error> {
    if stride.is_power_of_two() && (least..=most).contains(&stride) {
        Ok(())
    } else {
        Err(Error::Stride {
            stride,
            least,
            most,
        })
    }
}

/// Adds up blocks: afterwards slot i holds the sum of slots i .. i + stride - 1 (around the end).
pub(crate) fn sum_blocks(
    evaluator: Evaluator<'_>,
    ciphertext: &mut Ciphertext,
    stride: usize,
    keys: &EvaluationKeys,
) -> Result<(), Error> {
    for step in rotations(stride) {
        let mut rotated = ciphertext.clone();
        evaluator.rotate(&mut rotated, step, keys)?;
        evaluator.add(ciphertext, &rotated)?;
    }
    Ok(())
}

/// Slots of one value per row; a last row may be shorter than the stride.
pub(crate) fn rows(stride: usize, count: usize) -> Slots {
    Slots {
        first: 0,
        step: stride,
        count: count.div_ceil(stride),
    }
}
