//! Exact jobs on integers (BFV): sums, weighted sums, totals of rows, histograms.
//!
//! Every check is worst case: the true result must be readable modulo t, and the noise must stay below what decrypts for
//! certain, whatever the inputs are.

use crate::job::{Answer, Input, Job, Layout, Workspace};
use crate::noise::NoiseBound;
use crate::sums::{add_all, answer};
use crate::total::{check_stride, for_each, rotations, rows, sum_blocks};
use crate::Error;
use isopod_seal::{Ciphertext, EvaluationKeys, Evaluator};

/// The slot-wise sum over all ciphertexts.
#[derive(Debug, Clone, Copy)]
pub struct ExactSum {
    /// No encrypted integer is larger than this in absolute value. Larger ones give wrong answers, unnoticed.
    pub largest: u64,
}

/// The slot-wise sum of weight times ciphertext, one weight per ciphertext.
#[derive(Debug, Clone)]
pub struct ExactWeightedSum {
    /// As many as there are ciphertexts; a weight of zero leaves its ciphertext out.
    pub weights: Vec<i64>,
    /// As in [`ExactSum`].
    pub largest: u64,
}

/// The sum of each block of `stride` slots.
#[derive(Debug, Clone, Copy)]
pub struct ExactTotal {
    /// A power of two, from 2 to n/2.
    pub stride: usize,
    /// As in [`ExactSum`].
    pub largest: u64,
}

/// How many readings fell into each bucket. A reading is a block of `buckets` slots with a 1 in its bucket and 0 elsewhere;
/// blocks fill at most the first n/2 slots.
#[derive(Debug, Clone, Copy)]
pub struct Histogram {
    /// A power of two, from 2 to n/4.
    pub buckets: usize,
}

impl Job for ExactSum {
    fn name(&self) -> &'static str {
        "sum"
    }

    fn check_own(&self, workspace: &Workspace<'_>, inputs: &[Input<'_>]) -> Result<(), Error> {
        let growth = inputs.len() as u64;
        check_result(self.name(), workspace, growth.saturating_mul(self.largest))?;
        check_noise(self, workspace, inputs, NoiseBound::scaled(growth))
    }

    fn work(
        &self,
        workspace: &mut Workspace<'_>,
        inputs: &[Input<'_>],
    ) -> Result<Vec<Answer>, Error> {
        let mut sum = add_all(workspace, inputs, |_, ciphertext| Ok(Some(ciphertext)))?;
        NoiseBound::scaled(inputs.len() as u64).shrink(workspace.evaluator, &mut sum)?;
        Ok(answer(sum, inputs))
    }
}

impl ExactWeightedSum {
    fn growth(&self) -> u64 {
        let magnitudes = self.weights.iter().map(|weight| weight.unsigned_abs());
        magnitudes.fold(0, u64::saturating_add)
    }
}

impl Job for ExactWeightedSum {
    fn name(&self) -> &'static str {
        "weighted"
    }

    fn check_own(&self, workspace: &Workspace<'_>, inputs: &[Input<'_>]) -> Result<(), Error> {
        if inputs.len() != self.weights.len() {
            return Err(Error::InputCount {
                job: self.name(),
                weights: self.weights.len(),
                inputs: inputs.len(),
            });
        }
        if self.growth() == 0 {
            return Err(Error::Setting {
                field: "weights",
                problem: "are all zero; at least one must not be",
            });
        }
        check_result(
            self.name(),
            workspace,
            self.growth().saturating_mul(self.largest),
        )?;
        check_noise(self, workspace, inputs, NoiseBound::scaled(self.growth()))
    }

    fn work(
        &self,
        workspace: &mut Workspace<'_>,
        inputs: &[Input<'_>],
    ) -> Result<Vec<Answer>, Error> {
        let evaluator = workspace.evaluator;
        let mut sum = add_all(workspace, inputs, |index, mut ciphertext| {
            let weight = self.weights[index];
            if weight == 0 {
                return Ok(None);
            }
            evaluator.multiply_integer(&mut ciphertext, weight)?;
            Ok(Some(ciphertext))
        })?;
        NoiseBound::scaled(self.growth()).shrink(evaluator, &mut sum)?;
        Ok(answer(sum, inputs))
    }
}

impl Job for ExactTotal {
    fn name(&self) -> &'static str {
        "total"
    }

    fn required_rotations(&self) -> Vec<i32> {
        rotations(self.stride)
    }

    fn check_own(&self, workspace: &Workspace<'_>, inputs: &[Input<'_>]) -> Result<(), Error> {
        check_stride(self.stride, 2, workspace.parameters().slots() / 2)?;
        let growth = self.stride as u64;
        check_result(self.name(), workspace, growth.saturating_mul(self.largest))?;
        check_noise(self, workspace, inputs, NoiseBound::rotated(1, growth))
    }

    fn work(
        &self,
        workspace: &mut Workspace<'_>,
        inputs: &[Input<'_>],
    ) -> Result<Vec<Answer>, Error> {
        let (evaluator, keys) = (workspace.evaluator, workspace.keys(self)?);
        let noise = NoiseBound::rotated(1, self.stride as u64);
        for_each(workspace, inputs, |input| {
            let mut ciphertext = input.ciphertext.clone();
            sum_blocks(evaluator, &mut ciphertext, self.stride, keys)?;
            noise.shrink(evaluator, &mut ciphertext)?;
            Ok(Answer {
                ciphertext,
                layout: rows(self.stride, input.count),
            })
        })
    }
}

impl Histogram {
    /// Rotations by whole blocks: after them the first block holds the sum of all in its row.
    fn folds(&self, slots: usize) -> impl Iterator<Item = i32> {
        let (first, end) = (self.buckets.max(1), slots / 2);
        (0..)
            .map(move |bit| first << bit)
            .take_while(move |&step| step < end)
            .map(|step| step as i32)
    }

    fn noise(&self, slots: usize, inputs: usize) -> NoiseBound {
        let blocks = slots / 2 / self.buckets;
        NoiseBound::rotated(inputs as u64, blocks as u64)
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

    /// Every power of two from the number of buckets, whatever the ring degree; [`Job::check`] asks for those that fit.
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
        let readings = (inputs.len() * slots / 2 / self.buckets) as u64;
        check_result(self.name(), workspace, readings)?;
        check_noise(self, workspace, inputs, self.noise(slots, inputs.len()))
    }

    fn work(
        &self,
        workspace: &mut Workspace<'_>,
        inputs: &[Input<'_>],
    ) -> Result<Vec<Answer>, Error> {
        let (evaluator, keys) = (workspace.evaluator, workspace.keys(self)?);
        let mut sum = add_all(workspace, inputs, |_, ciphertext| Ok(Some(ciphertext)))?;
        self.fold(evaluator, &mut sum, keys)?;
        let slots = workspace.parameters().slots();
        self.noise(slots, inputs.len())
            .shrink(evaluator, &mut sum)?;
        let (first, step, count) = (0, 1, self.buckets);
        Ok(vec![Answer {
            ciphertext: sum,
            layout: Layout { first, step, count },
        }])
    }
}

/// Results up to `largest` are readable modulo t.
fn check_result(job: &'static str, workspace: &Workspace<'_>, largest: u64) -> Result<(), Error> {
    let most = (workspace.context().plain_modulus()? - 1) / 2;
    if largest <= most {
        return Ok(());
    }
    Err(Error::PlainModulus { job, largest, most })
}

/// All inputs are at one level, and the result decrypts.
fn check_noise(
    job: &dyn Job,
    workspace: &Workspace<'_>,
    inputs: &[Input<'_>],
    noise: NoiseBound,
) -> Result<(), Error> {
    let primes = inputs[0].ciphertext.primes();
    let differs = |input: &Input<'_>| input.ciphertext.primes() != primes;
    if let Some(index) = inputs.iter().position(differs) {
        return Err(Error::Unequal { index });
    }
    if noise.decrypts(workspace.parameters(), primes, primes) {
        return Ok(());
    }
    Err(Error::Noise {
        job: job.name(),
        set: workspace.parameters().name.clone(),
    })
}
