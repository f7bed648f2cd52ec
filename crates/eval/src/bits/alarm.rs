//! Whether any value crosses a threshold.

use isopod_tfhe::engine::Native;
use isopod_wire::ValueType;
use tfhe::integer::BooleanBlock;

use super::job::{in_range, numbers, Session};
use super::numbers::{bit, Column};
use super::{BitsError, BitsJob, Side};

/// One bit: whether any value is on that side of the threshold. With `each`, a bit per value after it.
#[derive(Debug, Clone, Copy)]
pub struct Alarm {
    /// Within the type of the values.
    pub threshold: i128,
    /// Which side raises the alarm.
    pub side: Side,
    /// Whether the answer names the values that raise it.
    pub each: bool,
}

impl BitsJob for Alarm {
    fn name(&self) -> &'static str {
        "alarm"
    }

    fn check(&self, types: &[ValueType]) -> Result<(), BitsError> {
        in_range("threshold", self.threshold, numbers(self.name(), types)?)
    }

    fn work(
        &self,
        session: &mut Session<'_>,
        inputs: Vec<Native>,
    ) -> Result<Vec<Native>, BitsError> {
        session.begin(inputs.len());
        let column = Column::new(inputs[0].value_type(), inputs);
        let bits = column.compared(session, self.side, self.threshold);
        let mut answer = vec![bit(any(session, bits.clone()))?];
        if self.each {
            answer.extend(bits.into_iter().map(bit).collect::<Result<Vec<_>, _>>()?);
        }
        Ok(answer)
    }
}

/// The disjunction of bits, of which there is at least one.
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
