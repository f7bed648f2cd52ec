//! Jobs on merged frames: which there are, and under which sets.

use isopod_eval::{Side, Threshold};
use isopod_lattigo::SIZES;
use isopod_wire::AnySet;

use crate::request::descriptor::JobName;
use crate::request::job::{Job, Request};
use crate::request::threshold::{RealThreshold, ThresholdValue};
use crate::{Error, Result};

impl JobName {
    /// Whether a server merges frames of the set for the job, and bootstraps them with keys of a large ring.
    pub fn takes_merged(self, set: AnySet) -> bool {
        let is_merged = |set: AnySet| SIZES.iter().any(|size| size.frames == set.name());
        matches!(self, Self::Count) && is_merged(set)
    }
}

impl Job {
    /// Counts values on that side of a number. An integer without a gap is for frames of TFHE and merged frames alike.
    pub fn count(value: ThresholdValue, side: Side, gap: Option<f64>) -> Self {
        match (value, gap) {
            (ThresholdValue::Integer(value), None) => Self::Count(Threshold { value, side }),
            (value, gap) => Self::CountReal(RealThreshold {
                value: value.real(),
                side,
                gap,
            }),
        }
    }

    /// Whether any value is on that side of a number, with `each` for each value.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a number that is no integer.
    pub fn alarm(value: ThresholdValue, side: Side, each: bool) -> Result<Self> {
        match value {
            ThresholdValue::Integer(value) => Ok(Self::Alarm(Threshold { value, side }, each)),
            ThresholdValue::Real(value) => {
                let problem = format!("{value}; allowed on integers is an integer");
                Err(Error::parameter("threshold", problem))
            }
        }
    }

    /// The threshold of a job on merged frames; None for other jobs.
    pub(crate) fn real_threshold(&self) -> Option<RealThreshold> {
        match self {
            Self::CountReal(threshold) => Some(*threshold),
            Self::Count(Threshold { value, side }) => Some(RealThreshold {
                value: *value as f64,
                side: *side,
                gap: None,
            }),
            _ => None,
        }
    }
}

impl Request {
    /// Whether its frames are merged.
    pub(crate) fn takes_merged(&self, set: AnySet) -> bool {
        self.job.name().takes_merged(set)
    }

    /// Refuses a number with a fraction, and a gap, on integers.
    pub(crate) fn check_threshold(&self, set: AnySet) -> Result<()> {
        let Job::CountReal(threshold) = &self.job else {
            return Ok(());
        };
        let problem = |found: String| {
            let set = set.name();
            format!("{found}; allowed under {set} is an integer without a gap")
        };
        let (field, found) = match threshold.gap {
            Some(gap) => ("gap", gap),
            None => ("threshold", threshold.value),
        };
        match self.takes_merged(set) {
            true => Ok(()),
            false => Err(Error::parameter(field, problem(found.to_string()))),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use isopod_wire::{by_name, AnySet, TFHE_SETS};

    /// A count above a number of this gap.
    fn request(value: ThresholdValue, gap: Option<f64>) -> Request {
        Request::new(Job::count(value, Side::Above, gap))
    }

    #[test]
    fn fractions_and_gaps_are_of_merged_frames() {
        let merged = AnySet::Rns(by_name("ckks-2048x1-air").unwrap());
        let integers = AnySet::Tfhe(&TFHE_SETS[0]);
        let (whole, fraction) = (ThresholdValue::Integer(75), ThresholdValue::Real(75.5));
        for (request, refusal) in [
            (request(whole, None), None),
            (
                request(fraction, None),
                Some("threshold: 75.5; allowed under"),
            ),
            (request(whole, Some(0.5)), Some("gap: 0.5; allowed under")),
        ] {
            assert!(request.check_threshold(merged).is_ok());
            let found = request.check_threshold(integers).err();
            let found = found.map(|error| error.to_string());
            assert_eq!(found.is_some(), refusal.is_some());
            assert!(found
                .unwrap_or_default()
                .starts_with(refusal.unwrap_or_default()));
        }
        let alarm = Job::alarm(fraction, Side::Below, true).unwrap_err();
        assert!(alarm
            .to_string()
            .contains("allowed on integers is an integer"));
    }

    #[test]
    fn requests_with_fractions_pass_through_their_file() {
        let set = AnySet::Rns(by_name("ckks-2048x1-air").unwrap());
        let mut digests = Vec::new();
        for (value, gap) in [
            (75.0, None),
            (75.5, None),
            (75.5, Some(0.5)),
            (75.5, Some(0.25)),
        ] {
            let value: ThresholdValue = f64::to_string(&value).parse().unwrap();
            let request = request(value, gap);
            let text = request.to_json(set, [7; 16]).unwrap();
            assert_eq!(Request::from_json(&text, set, [7; 16]).unwrap(), request);
            digests.push(request.digest(set));
        }
        digests.dedup();
        assert_eq!(digests.len(), 4);
    }
}
