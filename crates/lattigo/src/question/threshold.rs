//! Questions that compare readings with numbers: counts, histograms and alarms, each within a gap.

use crate::inputs::{kept, Edge, Inputs, SIGN_ERROR};
use crate::question::plan::{each, Plan, Promise, Question};
use crate::question::table::{exact_alarm, exact_counts};
use crate::{Error, Result};
use isopod_linear::{Merged, Reduction};

/// Numbers of the questions in the protocol.
const COUNT: u8 = 1;
const HISTOGRAM: u8 = 2;
const ALARM: u8 = 3;
/// Largest error of the answer 0 or 1 to a reading by roundings: most of half of the way to the other one.
const ALARM_ROUNDING: f64 = 0.45;
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

/// How many readings are on one side of a threshold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Count {
    /// The threshold, in the unit of the readings.
    pub threshold: f64,
    /// Which readings are counted.
    pub side: Side,
    /// The gap that is asked for; None for whatever the bounds of the readings give. 0 is for readings that are integers, each of
    /// which is then taken exactly.
    pub gap: Option<f64>,
}

/// How many readings are below the first edge, between each two, and above the last one.
#[derive(Debug, Clone, PartialEq)]
pub struct Histogram {
    /// The edges in the unit of the readings, ascending.
    pub edges: Vec<f64>,
    /// The gap that is asked for; None for whatever the bounds of the readings give. 0 is for readings that are integers, each of
    /// which is then taken exactly; one that is an edge of a histogram counts above it.
    pub gap: Option<f64>,
}

/// Which readings are on one side of a threshold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Alarm {
    /// The threshold, in the unit of the readings.
    pub threshold: f64,
    /// Which readings raise the alarm.
    pub side: Side,
    /// The gap that is asked for; None for whatever the bounds of the readings give. 0 is for readings that are integers, each of
    /// which is then taken exactly.
    pub gap: Option<f64>,
}

impl Question for Count {
    fn plan(&self, merged: &[Merged]) -> Result<Plan> {
        let inputs = Inputs::of(merged)?;
        let edge = inputs.edge("threshold", self.threshold)?;
        if is_exact(self.gap) {
            let counts = |reading| self.side.has(reading, self.threshold);
            return exact_counts(&inputs, &[&counts]);
        }
        let mut parameters = vec![u8::from(self.side == Side::Below)];
        write(&mut parameters, &edge);
        Ok(Plan {
            readings: inputs.readings,
            gap: kept(self.gap, edge.gap)?,
            numbers: vec![promise(&inputs, 1.0)],
            each: None,
            factor: 1.0,
            question: COUNT,
            parameters,
        })
    }

    fn reduction(&self) -> Reduction {
        reduction(self.gap)
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
        if is_exact(self.gap) {
            self.check_distances(0.0)?;
            return self.exact(&inputs);
        }
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
            factor: 1.0,
            question: HISTOGRAM,
            parameters,
        })
    }

    fn reduction(&self) -> Reduction {
        reduction(self.gap)
    }
}

impl Question for Alarm {
    fn plan(&self, merged: &[Merged]) -> Result<Plan> {
        let inputs = Inputs::of(merged)?;
        let edge = inputs.edge("threshold", self.threshold)?;
        if is_exact(self.gap) {
            return exact_alarm(&inputs, &|reading| self.side.has(reading, self.threshold));
        }
        let (number, each) = each(&inputs, (ALARM_ROUNDING, SIGN_ERROR / 2.0), 1.0)?;
        let mut parameters = vec![u8::from(self.side == Side::Below)];
        write(&mut parameters, &edge);
        Ok(Plan {
            readings: inputs.readings,
            gap: kept(self.gap, edge.gap)?,
            numbers: vec![number],
            each: Some(each),
            factor: 1.0,
            question: ALARM,
            parameters,
        })
    }

    fn reduction(&self) -> Reduction {
        reduction(self.gap)
    }
}

/// A gap of 0 is for integers.
fn is_exact(gap: Option<f64>) -> bool {
    gap == Some(0.0)
}

fn reduction(gap: Option<f64>) -> Reduction {
    match is_exact(gap) {
        true => Reduction::Circle,
        false => Reduction::Sine,
    }
}

impl Side {
    /// Whether a reading is on this side of a threshold.
    fn has(self, reading: f64, threshold: f64) -> bool {
        match self {
            Self::Above => reading > threshold,
            Self::Below => reading < threshold,
        }
    }
}

impl Histogram {
    /// Bins of integers: from each edge on, and below the next one.
    fn exact(&self, inputs: &Inputs) -> Result<Plan> {
        let bin = |reading: f64| self.edges.iter().filter(|&&edge| reading >= edge).count();
        let bins = (0..=self.edges.len()).map(|number| move |reading: f64| bin(reading) == number);
        let bins: Vec<_> = bins.collect();
        let bins: Vec<&dyn Fn(f64) -> bool> = bins.iter().map(|bin| bin as _).collect();
        exact_counts(inputs, &bins)
    }

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

fn write(parameters: &mut Vec<u8>, edge: &Edge) {
    parameters.extend(edge.threshold.to_le_bytes());
    parameters.extend(edge.range.to_le_bytes());
}
