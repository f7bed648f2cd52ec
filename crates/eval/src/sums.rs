//! Sums over ciphertexts, slot by slot. No keys are needed.

use crate::job::{Answer, Input, Job, Layout, Workspace};
use crate::reduce::{check_fit, shrink, Precision};
use crate::Error;
use isopod_seal::Ciphertext;

/// The slot-wise sum. Only `largest_value` and `tolerance` of the precision matter.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sum {
    /// Bounds of the values.
    pub precision: Precision,
}

/// The slot-wise mean over all ciphertexts: the sum under a scale that is multiplied by their number, which divides every
/// slot exactly, without noise and without using up a prime.
#[derive(Debug, Clone, Copy, Default)]
pub struct Mean {
    /// Bounds of the values.
    pub precision: Precision,
}

/// The slot-wise sum of weight times ciphertext, one weight per ciphertext.
#[derive(Debug, Clone)]
pub struct WeightedSum {
    /// As many as there are ciphertexts.
    pub weights: Vec<f64>,
    /// Bounds of the values, and the weight scale.
    pub precision: Precision,
}

impl Job for Sum {
    fn name(&self) -> &'static str {
        "sum"
    }

    fn check_own(&self, workspace: &Workspace<'_>, inputs: &[Input<'_>]) -> Result<(), Error> {
        self.precision.check()?;
        let largest = self.precision.largest_value * inputs.len() as f64;
        check_sum(self.name(), workspace, inputs, (1.0, largest))
    }

    fn work(
        &self,
        workspace: &mut Workspace<'_>,
        inputs: &[Input<'_>],
    ) -> Result<Vec<Answer>, Error> {
        let mut sum = add_all(workspace, inputs, |_, ciphertext| Ok(Some(ciphertext)))?;
        let largest = self.precision.largest_value * inputs.len() as f64;
        shrink(
            workspace.evaluator,
            &mut sum,
            largest,
            self.precision.tolerance,
        )?;
        Ok(answer(sum, inputs))
    }
}

impl Job for Mean {
    fn name(&self) -> &'static str {
        "mean"
    }

    fn check_own(&self, workspace: &Workspace<'_>, inputs: &[Input<'_>]) -> Result<(), Error> {
        self.precision.check()?;
        check_sum(
            self.name(),
            workspace,
            inputs,
            (inputs.len() as f64, self.precision.largest_value),
        )
    }

    fn work(
        &self,
        workspace: &mut Workspace<'_>,
        inputs: &[Input<'_>],
    ) -> Result<Vec<Answer>, Error> {
        let mut mean = add_all(workspace, inputs, |_, ciphertext| Ok(Some(ciphertext)))?;
        workspace.evaluator.divide(&mut mean, inputs.len() as f64)?;
        shrink(
            workspace.evaluator,
            &mut mean,
            self.precision.largest_value,
            self.precision.tolerance,
        )?;
        Ok(answer(mean, inputs))
    }
}

impl Job for WeightedSum {
    fn name(&self) -> &'static str {
        "weighted sum"
    }

    fn check_own(&self, workspace: &Workspace<'_>, inputs: &[Input<'_>]) -> Result<(), Error> {
        self.precision.check()?;
        if inputs.len() != self.weights.len() {
            return Err(Error::InputCount {
                job: self.name(),
                weights: self.weights.len(),
                inputs: inputs.len(),
            });
        }
        self.precision.check_weights(self.name(), &self.weights)?;
        let growth = (
            self.precision.weight_scale(),
            self.precision.largest_product(&self.weights),
        );
        check_sum(self.name(), workspace, inputs, growth)
    }

    fn work(
        &self,
        workspace: &mut Workspace<'_>,
        inputs: &[Input<'_>],
    ) -> Result<Vec<Answer>, Error> {
        let (evaluator, scale) = (workspace.evaluator, self.precision.weight_scale());
        let mut sum = add_all(workspace, inputs, |index, mut ciphertext| {
            let weight = self.weights[index];
            if !self.precision.keeps(weight) {
                return Ok(None);
            }
            evaluator.multiply_constant(&mut ciphertext, weight, scale)?;
            Ok(Some(ciphertext))
        })?;
        let largest = self.precision.largest_product(&self.weights);
        shrink(evaluator, &mut sum, largest, self.precision.tolerance)?;
        Ok(answer(sum, inputs))
    }
}

/// All inputs are alike, and the result (scale times `growth.0`, values up to `growth.1`) fits.
fn check_sum(
    job: &'static str,
    workspace: &Workspace<'_>,
    inputs: &[Input<'_>],
    growth: (f64, f64),
) -> Result<(), Error> {
    let first = inputs[0].ciphertext;
    let alike = |input: &Input<'_>| {
        (input.ciphertext.primes(), input.ciphertext.scale()) == (first.primes(), first.scale())
    };
    if let Some(index) = inputs.iter().position(|input| !alike(input)) {
        return Err(Error::Unequal { index });
    }
    check_fit(
        job,
        workspace.parameters(),
        first.primes(),
        first.scale() * growth.0,
        growth.1,
    )
}

/// Adds what `term` makes of each ciphertext; a term may be left out, but not all.
pub(crate) fn add_all(
    workspace: &mut Workspace<'_>,
    inputs: &[Input<'_>],
    term: impl Fn(usize, Ciphertext) -> Result<Option<Ciphertext>, Error>,
) -> Result<Ciphertext, Error> {
    let mut sum: Option<Ciphertext> = None;
    for (index, input) in inputs.iter().enumerate() {
        if let Some(next) = term(index, input.ciphertext.clone())? {
            match sum.as_mut() {
                Some(sum) => workspace.evaluator.add(sum, &next)?,
                None => sum = Some(next),
            }
        }
        (workspace.progress)(index + 1, inputs.len());
    }
    sum.ok_or(Error::NoInputs { job: "sum" })
}

pub(crate) fn answer(ciphertext: Ciphertext, inputs: &[Input<'_>]) -> Vec<Answer> {
    let count = inputs.iter().map(|input| input.count).max().unwrap_or(0);
    vec![Answer {
        ciphertext,
        layout: Layout {
            first: 0,
            step: 1,
            count,
        },
    }]
}
