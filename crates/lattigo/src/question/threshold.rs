//! Questions about merged ciphertexts: what is asked, within which gap, and how far the answer may be off.

use crate::inputs::{kept, Edge, Inputs, SIGN_ERROR};
use crate::{Error, Result};
use isopod_linear::Merged;

/// Numbers of the questions in the protocol.
const COUNT: u8 = 1;
const HISTOGRAM: u8 = 2;
const ALARM: u8 = 3;
/// Largest error of the answer 0 or 1 to a reading by roundings: half of the way to the other one.
const ALARM_ROUNDING: f64 = 0.25;
/// Bound on a coefficient whose slots hold numbers from -1 to 1 in both parts, with what signs and polynomials are beyond 1.
pub const COEFFICIENT: f64 = std::f64::consts::SQRT_2 * (1.0 + 1.0 / 256.0);
/// Most edges of one histogram: `deep/circuit/count.go`.
pub const MOST_EDGES: usize = 32;

/// Direction of a threshold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Readings above it.
    Above,
    /// Readings below it.
    Below,
}

/// A question about the readings of merged ciphertexts.
pub trait Question {
    /// Bounds what the answer will be.
    ///
    /// # Errors
    /// [`Error::Allowed`] for a threshold that no reading can reach, edges that are too near to each other, a gap that is not
    /// reached, ciphertexts that differ in a field of their headers, and for more or fewer than are computed on together.
    fn plan(&self, merged: &[Merged]) -> Result<Plan>;
}

/// How many readings are on one side of a threshold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Count {
    /// The threshold, in the unit of the readings.
    pub threshold: f64,
    /// Which readings are counted.
    pub side: Side,
    /// The gap that is asked for; None for whatever the bounds of the readings give.
    pub gap: Option<f64>,
}

/// How many readings are below the first edge, between each two, and above the last one.
#[derive(Debug, Clone, PartialEq)]
pub struct Histogram {
    /// The edges in the unit of the readings, ascending.
    pub edges: Vec<f64>,
    /// The gap that is asked for; None for whatever the bounds of the readings give.
    pub gap: Option<f64>,
}

/// Which readings are on one side of a threshold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Alarm {
    /// The threshold, in the unit of the readings.
    pub threshold: f64,
    /// Which readings raise the alarm.
    pub side: Side,
    /// The gap that is asked for; None for whatever the bounds of the readings give.
    pub gap: Option<f64>,
}

/// Promise of an answer, made before it is computed.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// Readings that are counted or not.
    pub readings: usize,
    /// Readings further from every threshold than this are counted right. Each that is nearer to one may be taken for one of its
    /// other side.
    pub gap: f64,
    /// Numbers of the answer, at least one; of values of readings, the coefficients of all their ciphertexts.
    pub numbers: Vec<Promise>,
    /// Promise of the value that each reading has; None for numbers of all readings.
    pub each: Option<Each>,
    /// Number of the question.
    pub(crate) question: u8,
    /// Its parameters, as the program takes them.
    pub(crate) parameters: Vec<u8>,
}

/// Promise of one number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Promise {
    /// Bound on its magnitude.
    pub bound: f64,
    /// Bound on its error, apart from readings within the gap.
    pub error: f64,
}

/// Values of readings from 0 to 1, times a factor, each in a slot of the large ring. Slots without a value hold the negative
/// factor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Each {
    /// Low bits dropped of coefficients of c0 and c1.
    pub dropped: [u8; 2],
    /// The factor.
    pub factor: f64,
    /// Bound on the error of a value, apart from readings within the gap.
    pub error: f64,
}

impl Plan {
    /// The largest error of all numbers, or that of each value.
    pub fn error(&self) -> f64 {
        if let Some(each) = &self.each {
            return each.error;
        }
        let errors = self.numbers.iter().map(|number| number.error);
        errors.fold(0.0, f64::max)
    }

    /// The body of the message that asks.
    pub(crate) fn message(&self, ciphertexts: usize) -> Vec<u8> {
        let mut body = vec![self.question];
        // Few: the plan has checked it.
        body.extend((ciphertexts as u32).to_le_bytes());
        body.extend(&self.parameters);
        body
    }
}

impl Question for Count {
    fn plan(&self, merged: &[Merged]) -> Result<Plan> {
        let inputs = Inputs::of(merged)?;
        let edge = inputs.edge("threshold", self.threshold)?;
        let mut parameters = vec![u8::from(self.side == Side::Below)];
        write(&mut parameters, &edge);
        Ok(Plan {
            readings: inputs.readings,
            gap: kept(self.gap, edge.gap)?,
            numbers: vec![promise(&inputs, 1.0)],
            each: None,
            question: COUNT,
            parameters,
        })
    }
}

impl Question for Histogram {
    fn plan(&self, merged: &[Merged]) -> Result<Plan> {
        let inputs = Inputs::of(merged)?;
        let count = self.edges.len();
        if !(1..=MOST_EDGES).contains(&count) {
            let allowed = format!("1 to {MOST_EDGES}");
            return Err(Error::allowed("edges", count, allowed));
        }
        let edges = self.edges.iter().map(|&edge| inputs.edge("edges", edge));
        let edges: Vec<Edge> = edges.collect::<Result<_>>()?;
        let gap = edges.iter().map(|edge| edge.gap).fold(0.0, f64::max);
        self.check_distances(gap)?;
        // A bin between two edges is half the difference of two signs.
        let signs = |bin| match bin {
            0 => 1.0,
            bin if bin == count => 1.0,
            _ => 2.0,
        };
        let numbers = (0..=count).map(|bin| promise(&inputs, signs(bin)));
        let mut parameters = vec![count as u8];
        edges.iter().for_each(|edge| write(&mut parameters, edge));
        Ok(Plan {
            readings: inputs.readings,
            gap: kept(self.gap, gap)?,
            numbers: numbers.collect(),
            each: None,
            question: HISTOGRAM,
            parameters,
        })
    }
}

impl Question for Alarm {
    fn plan(&self, merged: &[Merged]) -> Result<Plan> {
        let inputs = Inputs::of(merged)?;
        let edge = inputs.edge("threshold", self.threshold)?;
        let (number, each) = each(&inputs, (ALARM_ROUNDING, SIGN_ERROR / 2.0), 1.0)?;
        let mut parameters = vec![u8::from(self.side == Side::Below)];
        write(&mut parameters, &edge);
        Ok(Plan {
            readings: inputs.readings,
            gap: kept(self.gap, edge.gap)?,
            numbers: vec![number],
            each: Some(each),
            question: ALARM,
            parameters,
        })
    }
}

impl Histogram {
    /// Refuses edges of which a reading may be within the gap of two: it could be taken for one of any of three bins.
    fn check_distances(&self, gap: f64) -> Result<()> {
        let least = 2.0 * gap;
        let mut pairs = self.edges.windows(2);
        match pairs.find(|pair| pair[1] - pair[0] <= least) {
            None => Ok(()),
            Some(pair) => {
                let found = format!("{} and {}", pair[0], pair[1]);
                let allowed =
                    format!("ascending, more than {least:.3e} from each other, twice the gap");
                Err(Error::allowed("edges", found, allowed))
            }
        }
    }
}

fn promise(inputs: &Inputs, signs: f64) -> Promise {
    Promise {
        bound: inputs.readings as f64,
        error: inputs.count_error(signs),
    }
}

/// Promises of values of readings from 0 to 1 times a factor. Before it, roundings move them by at most this much, beside another
/// error.
pub(crate) fn each(
    inputs: &Inputs,
    (rounding, other): (f64, f64),
    factor: f64,
) -> Result<(Promise, Each)> {
    let rounded = inputs.rounded(rounding).ok_or_else(|| {
        let allowed = format!("a ring whose roundings move values by at most {rounding}");
        Error::allowed("ring", "a larger one", allowed)
    })?;
    let number = Promise {
        bound: COEFFICIENT * factor,
        error: rounded.error * factor,
    };
    let each = Each {
        dropped: rounded.dropped,
        factor,
        error: (rounded.value_error + other) * factor,
    };
    Ok((number, each))
}

fn write(parameters: &mut Vec<u8>, edge: &Edge) {
    parameters.extend(edge.threshold.to_le_bytes());
    parameters.extend(edge.range.to_le_bytes());
}
