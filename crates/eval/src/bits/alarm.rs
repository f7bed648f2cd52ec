//! Alarms: whether any value crosses a threshold.

use isopod_tfhe::native::Native;
use isopod_wire::ValueType;
use tfhe::integer::BooleanBlock;

use super::job::BitsJob;
use super::job::{in_range, numbers, Session};
use super::numbers::{bit, Column};
use crate::threshold::Threshold;
use crate::Error;

/// Job with one bit as output: whether any value crosses the threshold. With `each`, one bit per value follows.
#[derive(Debug, Clone, Copy)]
pub struct Alarm {
    /// Threshold that raises the alarm.
    pub threshold: Threshold,
    /// Whether the output also tells which values raise it.
    pub each: bool,
}

impl BitsJob for Alarm {
    fn name(&self) -> &'static str {
        "alarm"
    }

    fn check(&self, types: &[ValueType]) -> Result<(), Error> {
        in_range(
            "threshold",
            self.threshold.value,
            numbers(self.name(), types)?,
        )
    }

    fn work(&self, session: &mut Session<'_>, inputs: Vec<Native>) -> Result<Vec<Native>, Error> {
        session.begin(inputs.len());
        let column = Column::new(inputs[0].value_type(), inputs);
        let bits = column.compared(session, self.threshold);
        let mut output = vec![bit(any(session, bits.clone()))?];
        if self.each {
            output.extend(bits.into_iter().map(bit).collect::<Result<Vec<_>, _>>()?);
        }
        Ok(output)
    }
}

/// Disjunction of bits, of which there is at least one.
fn any(session: &Session<'_>, mut bits: Vec<BooleanBlock>) -> BooleanBlock {
    let keys = session.keys();
    while bits.len() > 1 {
        let pair = |pair: &[BooleanBlock]| match pair {
            [one, other] => keys.boolean_bitor(one, other),
            rest => rest[0].clone(),
        };
        bits = bits.chunks(2).map(pair).collect();
    }
    bits.swap_remove(0)
}
