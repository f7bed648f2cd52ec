//! Questions that compare readings with numbers: counts, histograms and alarms, each within a gap.

use crate::inputs::{kept, Edge, Inputs, SIGN_ERROR};
use crate::question::plan::{each, Plan, Promise, Question};
use crate::{Error, Result};
use isopod_linear::Merged;

/// Numbers of the questions in the protocol.
const COUNT: u8 = 1;
const HISTOGRAM: u8 = 2;
const ALARM: u8 = 3;
/// Largest error of the answer 0 or 1 to a reading by roundings: half of the way to the other one.
const ALARM_ROUNDING: f64 = 0.25;
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
            factor: 1.0,
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
            factor: 1.0,
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
            factor: 1.0,
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

fn write(parameters: &mut Vec<u8>, edge: &Edge) {
    parameters.extend(edge.threshold.to_le_bytes());
    parameters.extend(edge.range.to_le_bytes());
}
