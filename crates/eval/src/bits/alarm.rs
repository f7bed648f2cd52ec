//! Alarms: whether any value crosses a threshold.

use isopod_tfhe::native::Native;
use isopod_wire::ValueType;

use super::compare::Comparison;
use super::fold::{Fold, Kind};
use super::gather::Any;
use super::job::{in_range, numbers, BitsJob, Session, Values};
use super::value::boolean;
use crate::model::threshold::Threshold;
use crate::Error;

/// Values that one thread compares at a time.
const UNIT: usize = 32;

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
        let of = numbers(self, types)?;
        in_range("threshold", self.threshold.value, of)
    }

    fn most_values(&self) -> usize {
        match self.each {
            true => usize::from(u16::MAX),
            false => usize::MAX,
        }
    }

    fn fold(&self, of: ValueType) -> Option<Fold> {
        let comparison = Comparison::new(self.threshold, of, 1);
        (!self.each).then(|| Fold::new(of, Kind::Any(comparison, Any::default())))
    }

    fn in_order(
        &self,
        session: &mut Session<'_>,
        values: &Values<'_>,
        of: ValueType,
    ) -> Result<Vec<Native>, Error> {
        let (comparison, keys) = (Comparison::new(self.threshold, of, 1), session.keys);
        let bits = session.each(values, UNIT, &|range| {
            let values = values.of(range)?;
            comparison.bits(keys, &values.iter().collect::<Vec<_>>())
        })?;
        let bits = bits.concat();
        let mut any = Any::default();
        any.take(keys, bits.clone())?;
        let all = std::iter::once(any.finish(keys)?).chain(bits);
        all.map(boolean).collect()
    }
}
