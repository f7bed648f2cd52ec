//! Models of rows: a weighted sum with the sigmoid, or a network of one hidden layer.

use crate::inputs::Inputs;
use crate::question::plan::{each, Plan, Question};
use crate::question::polynomial::{Activation, Polynomial, MOST_RANGE};
use crate::{Error, Result};
use isopod_linear::Merged;

/// Number of the question in the protocol.
const NETWORK: u8 = 4;
/// Limits of `deep/circuit/network.go`.
const MOST_LOG_STRIDE: u32 = 10;
/// Most hidden units of a network.
pub const MOST_HIDDEN: usize = 256;
/// Most outputs of a network.
pub const MOST_OUTPUTS: usize = 64;
/// Most weights of a layer, so that a question fits its message.
pub(crate) const MOST_WEIGHTS: usize = 1 << 15;
/// Degrees of polynomials, each of which takes a level more than the one before; and the most levels of all polynomials.
const DEGREES: [usize; 6] = [15, 31, 63, 127, 255, 511];
const LEVELS: usize = 10;
/// Error of a polynomial, as a share of the function's largest magnitude, below which no larger degree is tried.
const PRECISE: f64 = 1e-4;
/// Largest error of a value by roundings, as a share of its range.
pub(crate) const ROUNDING: f64 = 1.0 / 512.0;
/// Error of sums and values by noise of the large ring, as a share of their ranges.
pub(crate) const NOISE: f64 = 1e-4;
/// Relative error of the reduction modulo q0: `spec/merge.md`, section 4.
pub(crate) const SINE: f64 = 1e-5;

/// A weighted sum and its constant.
#[derive(Debug, Clone, PartialEq)]
pub struct Unit {
    /// Weights, one for each column, or for each hidden unit.
    pub weights: Vec<f64>,
    /// The constant.
    pub bias: f64,
}

/// A hidden layer.
#[derive(Debug, Clone, PartialEq)]
pub struct Hidden {
    /// Its units.
    pub units: Vec<Unit>,
    /// The function of their sums.
    pub activation: Activation,
}

/// A network, which gives each row a value of output c in the place of column c.
#[derive(Debug, Clone, PartialEq)]
pub struct Network {
    /// The hidden layer; None where outputs are made of the readings.
    pub hidden: Option<Hidden>,
    /// The outputs.
    pub outputs: Vec<Unit>,
    /// The function of their sums; None for the sums themselves.
    pub link: Option<Activation>,
}

/// Sums of a layer: bounds on their magnitude and on their error.
#[derive(Debug, Clone, Copy)]
struct Sums {
    range: f64,
    error: f64,
}

/// Values of a layer likewise.
#[derive(Debug, Clone, Copy)]
struct Values {
    largest: f64,
    error: f64,
}

impl Question for Network {
    fn plan(&self, merged: &[Merged]) -> Result<Plan> {
        let inputs = Inputs::of(merged)?;
        let (columns, log_stride) = rows(merged)?;
        self.check(columns, 1 << log_stride)?;
        let readings = Values {
            largest: inputs.bound + inputs.noise / inputs.unit,
            error: inputs.noise / inputs.unit + SINE * inputs.bound,
        };
        let mut layers = Layers::new(columns, log_stride, inputs.unit);
        let hidden = self
            .hidden
            .as_ref()
            .map(|hidden| layers.hidden(hidden, readings, self.link));
        let inputs_of_outputs = hidden.transpose()?.unwrap_or(readings);
        let values = layers.outputs(self, inputs_of_outputs)?;
        let (number, each) = each(
            &inputs,
            (ROUNDING, values.error / layers.factor),
            layers.factor,
        )?;
        Ok(Plan {
            readings: inputs.readings / columns,
            gap: 0.0,
            numbers: vec![number],
            each: Some(each),
            factor: layers.factor,
            question: NETWORK,
            parameters: layers.message(self.outputs.len()),
        })
    }
}

impl Network {
    /// Refuses layers that do not fit each other, and more units than are computed.
    fn check(&self, columns: usize, stride: usize) -> Result<()> {
        let mut inputs = columns;
        if let Some(Hidden { units, .. }) = &self.hidden {
            check_layer("hidden", units, inputs, MOST_HIDDEN)?;
            inputs = units.len();
        }
        check_layer("outputs", &self.outputs, inputs, MOST_OUTPUTS.min(stride))
    }
}

fn check_layer(field: &'static str, units: &[Unit], inputs: usize, most: usize) -> Result<()> {
    let most = most.min(MOST_WEIGHTS / inputs);
    if !(1..=most).contains(&units.len()) {
        let allowed = format!("1 to {most} units of {inputs} weights");
        return Err(Error::allowed(field, units.len(), allowed));
    }
    for unit in units {
        if unit.weights.len() != inputs {
            return Err(Error::allowed("weights", unit.weights.len(), inputs));
        }
        let mut numbers = unit.weights.iter().chain([&unit.bias]);
        if let Some(number) = numbers.find(|number| !number.is_finite()) {
            return Err(Error::allowed("weights", number, "finite numbers"));
        }
    }
    Ok(())
}

/// Columns of the rows, and log2 of the distance between rows, in which all ciphertexts agree.
pub(crate) fn rows(merged: &[Merged]) -> Result<(usize, u32)> {
    // The header of each says so.
    let grid = merged[0].frames[0].grid;
    let log_stride = grid.stride.trailing_zeros();
    if !grid.stride.is_power_of_two() || log_stride > MOST_LOG_STRIDE {
        let allowed = format!(
            "a power of two up to {}, as by encrypt --fill-rows",
            1 << MOST_LOG_STRIDE
        );
        return Err(Error::allowed("stride", grid.stride, allowed));
    }
    Ok((grid.columns as usize, log_stride))
}

/// Layers as the program takes them, every sum divided by its range.
struct Layers {
    body: Vec<u8>,
    units: [Vec<u8>; 2],
    polynomials: [Vec<f64>; 2],
    hidden: usize,
    /// A reading of 1, in units of the frames' coefficients.
    unit: f64,
    levels: usize,
    /// Factor of values from 0 to 1.
    factor: f64,
}

impl Layers {
    fn new(columns: usize, log_stride: u32, unit: f64) -> Self {
        let mut body = vec![log_stride as u8];
        body.extend((columns as u16).to_le_bytes());
        Self {
            body,
            units: [Vec::new(), Vec::new()],
            polynomials: [Vec::new(), Vec::new()],
            hidden: 0,
            unit,
            levels: LEVELS,
            factor: 1.0,
        }
    }

    /// Plans the hidden layer. Its polynomial leaves four levels to a link.
    fn hidden(
        &mut self,
        hidden: &Hidden,
        readings: Values,
        link: Option<Activation>,
    ) -> Result<Values> {
        let sums = sums(&hidden.units, readings);
        let left = if link.is_some() { 4 } else { 0 };
        let polynomial = fitted("hidden", hidden.activation, sums, self.levels - left)?;
        self.levels -= depth(&polynomial);
        self.hidden = hidden.units.len();
        let slope = hidden.activation.slope();
        let values = Values {
            largest: hidden.activation.largest(sums.range) + polynomial.error,
            error: polynomial.error + slope * sums.error,
        };
        for unit in &hidden.units {
            write(&mut self.units[0], unit, (1.0 / sums.range, self.unit), 0.0);
        }
        self.polynomials[0] = polynomial.coefficients;
        Ok(values)
    }

    /// Plans the outputs: with a link their values are those of the function, from 0 to 1; otherwise half of the range is added
    /// to the sums.
    fn outputs(&mut self, network: &Network, inputs: Values) -> Result<Values> {
        let sums = sums(&network.outputs, inputs);
        let unit = match network.hidden {
            None => self.unit,
            Some(_) => 1.0,
        };
        let Some(link) = network.link else {
            self.factor = 2.0 * sums.range;
            for output in &network.outputs {
                write(&mut self.units[1], output, (1.0 / self.factor, unit), 0.5);
            }
            return Ok(Values {
                largest: sums.range,
                error: sums.error + NOISE * self.factor,
            });
        };
        let polynomial = fitted("outputs", link, sums, self.levels)?;
        for output in &network.outputs {
            write(&mut self.units[1], output, (1.0 / sums.range, unit), 0.0);
        }
        let error = polynomial.error + link.slope() * sums.error + NOISE;
        self.polynomials[1] = polynomial.coefficients;
        Ok(Values {
            largest: 1.0,
            error,
        })
    }

    /// Parameters of the question.
    fn message(self, outputs: usize) -> Vec<u8> {
        let mut body = self.body;
        let [activation, link] = &self.polynomials;
        for count in [self.hidden, outputs, activation.len(), link.len()] {
            // Far below 2^16.
            body.extend((count as u16).to_le_bytes());
        }
        for (units, polynomial) in self.units.iter().zip([activation, link]) {
            body.extend(units);
            body.extend(polynomial.iter().flat_map(|number| number.to_le_bytes()));
        }
        body
    }
}

/// Bounds on all sums of a layer.
fn sums(units: &[Unit], inputs: Values) -> Sums {
    let of = |unit: &Unit| {
        let weights: f64 = unit.weights.iter().map(|weight| weight.abs()).sum();
        (
            weights * inputs.largest + unit.bias.abs(),
            weights * inputs.error,
        )
    };
    let largest = units
        .iter()
        .map(of)
        .fold((0.0, 0.0), |(range, error), unit| {
            (unit.0.max(range), unit.1.max(error))
        });
    // Any range holds sums that are always zero.
    let range = largest.0.max(f64::MIN_POSITIVE.sqrt()) * (1.0 + 1.0 / 1024.0);
    Sums {
        range,
        error: largest.1 + NOISE * range,
    }
}

/// The polynomial of least degree that is precise, or the most precise one that the levels allow.
fn fitted(field: &'static str, of: Activation, sums: Sums, levels: usize) -> Result<Polynomial> {
    if sums.range > MOST_RANGE {
        let allowed = format!("weights and readings whose sums are at most {MOST_RANGE}");
        return Err(Error::allowed(
            field,
            format!("sums up to {:.1}", sums.range),
            allowed,
        ));
    }
    let enough = PRECISE * of.largest(sums.range);
    let mut best = of.polynomial(sums.range, DEGREES[0]);
    for degree in &DEGREES[1..] {
        if best.error <= enough || (degree + 1).ilog2() as usize > levels {
            break;
        }
        best = of.polynomial(sums.range, *degree);
    }
    Ok(best)
}

fn depth(polynomial: &Polynomial) -> usize {
    polynomial.coefficients.len().ilog2() as usize
}

/// Writes a unit whose weights and constant are multiplied by a factor. Weights are of inputs of that many units, and a number
/// joins the constant.
fn write(to: &mut Vec<u8>, unit: &Unit, (factor, inputs): (f64, f64), summand: f64) {
    let weights = unit.weights.iter().map(|weight| weight * factor / inputs);
    let numbers = weights.chain([unit.bias * factor + summand]);
    to.extend(numbers.flat_map(f64::to_le_bytes));
}
