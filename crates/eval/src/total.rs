//! Sums within blocks of slots, by rotation.

use crate::job::{Answer, Input, Job, Layout, Workspace};
use crate::reduce::{check_fit, shrink, Precision};
use crate::Error;
use isopod_seal::{Ciphertext, EvaluationKeys, Evaluator};

/// The sum of each block of `stride` slots; with stride n/2, of all slots. Weights do not matter.
#[derive(Debug, Clone, Copy)]
pub struct Total {
    /// A power of two, from 2 to n/2.
    pub stride: usize,
    /// Bounds of the values.
    pub precision: Precision,
}

impl Job for Total {
    fn name(&self) -> &'static str {
        "total"
    }

    fn required_rotations(&self) -> Vec<i32> {
        rotations(self.stride)
    }

    fn check_own(&self, workspace: &Workspace<'_>, inputs: &[Input<'_>]) -> Result<(), Error> {
        self.precision.check()?;
        check_stride(self.stride, 2, workspace.parameters().slots())?;
        let largest = self.largest();
        inputs
            .iter()
            .map(|input| input.ciphertext)
            .try_for_each(|ciphertext| {
                check_fit(
                    self.name(),
                    workspace.parameters(),
                    ciphertext.primes(),
                    ciphertext.scale(),
                    largest,
                )
            })
    }

    fn work(
        &self,
        workspace: &mut Workspace<'_>,
        inputs: &[Input<'_>],
    ) -> Result<Vec<Answer>, Error> {
        let (evaluator, keys) = (workspace.evaluator, workspace.keys(self)?);
        for_each(workspace, inputs, |input| {
            let mut ciphertext = input.ciphertext.clone();
            sum_blocks(evaluator, &mut ciphertext, self.stride, keys)?;
            shrink(
                evaluator,
                &mut ciphertext,
                self.largest(),
                self.precision.tolerance,
            )?;
            Ok(Answer {
                ciphertext,
                layout: rows(self.stride, input.count),
            })
        })
    }
}

impl Total {
    fn largest(&self) -> f64 {
        self.precision.largest_value * self.stride as f64
    }
}

/// One answer per ciphertext, with progress.
pub(crate) fn for_each(
    workspace: &mut Workspace<'_>,
    inputs: &[Input<'_>],
    mut one: impl FnMut(&Input<'_>) -> Result<Answer, Error>,
) -> Result<Vec<Answer>, Error> {
    let mut answers = Vec::with_capacity(inputs.len());
    for input in inputs {
        answers.push(one(input)?);
        (workspace.progress)(answers.len(), inputs.len());
    }
    Ok(answers)
}

/// 1, 2, 4 ... stride/2.
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

/// Afterwards slot i holds the sum of slots i .. i + stride - 1 (around the end).
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

/// One value per row; a last row may be shorter than the stride.
pub(crate) fn rows(stride: usize, count: usize) -> Layout {
    Layout {
        first: 0,
        step: stride,
        count: count.div_ceil(stride),
    }
}
