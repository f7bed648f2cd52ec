//! The aggregates of SQL on merged frames: counts, alarms, histograms and variances, by a program that bootstraps.

use isopod_workflow::{Job, Side, ThresholdValue};

/// The gap of a question about integers, each of which is taken exactly.
const EXACT: Option<f64> = Some(0.0);

/// An aggregate on merged frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum MergedFunction {
    CountAbove,
    CountBelow,
    AlarmsAbove,
    AlarmsBelow,
    Histogram,
    ExactCountAbove,
    ExactCountBelow,
    ExactAlarmsAbove,
    ExactAlarmsBelow,
    ExactHistogram,
    Variance,
    Minimum,
    Maximum,
}

impl MergedFunction {
    pub const ALL: [Self; 13] = [
        Self::CountAbove,
        Self::CountBelow,
        Self::AlarmsAbove,
        Self::AlarmsBelow,
        Self::Histogram,
        Self::ExactCountAbove,
        Self::ExactCountBelow,
        Self::ExactAlarmsAbove,
        Self::ExactAlarmsBelow,
        Self::ExactHistogram,
        Self::Variance,
        Self::Minimum,
        Self::Maximum,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::CountAbove => "he_count_above",
            Self::CountBelow => "he_count_below",
            Self::AlarmsAbove => "he_alarms_above",
            Self::AlarmsBelow => "he_alarms_below",
            Self::Histogram => "he_histogram",
            Self::ExactCountAbove => "he_exact_count_above",
            Self::ExactCountBelow => "he_exact_count_below",
            Self::ExactAlarmsAbove => "he_exact_alarms_above",
            Self::ExactAlarmsBelow => "he_exact_alarms_below",
            Self::ExactHistogram => "he_exact_histogram",
            Self::Variance => "he_variance",
            Self::Minimum => "he_minimum",
            Self::Maximum => "he_maximum",
        }
    }

    pub fn arguments(self) -> &'static str {
        match self {
            Self::Histogram | Self::ExactHistogram => "frame, edge, edge, ... with ascending edges",
            Self::Variance => "frame, column, column, ... with numbers of columns from 0 on",
            Self::Minimum | Self::Maximum => "frame",
            _ => "frame, threshold",
        }
    }

    /// Whether it takes so many arguments.
    pub fn takes(self, arguments: usize) -> bool {
        match self {
            Self::Histogram | Self::ExactHistogram | Self::Variance => arguments >= 2,
            Self::Minimum | Self::Maximum => arguments == 1,
            _ => arguments == 2,
        }
    }

    /// The job of these numbers behind the frame; None for numbers of columns that are none.
    pub fn job(self, numbers: &[f64]) -> Option<Job> {
        let first = ThresholdValue::of(numbers.first().copied().unwrap_or(f64::NAN));
        let edges = || numbers.iter().map(|&number| ThresholdValue::of(number));
        Some(match self {
            Self::CountAbove => Job::count(first, Side::Above, None),
            Self::CountBelow => Job::count(first, Side::Below, None),
            Self::AlarmsAbove => Job::alarm(first, Side::Above, true, None),
            Self::AlarmsBelow => Job::alarm(first, Side::Below, true, None),
            Self::Histogram => Job::histogram(edges().collect(), None),
            Self::ExactCountAbove => Job::count(first, Side::Above, EXACT),
            Self::ExactCountBelow => Job::count(first, Side::Below, EXACT),
            Self::ExactAlarmsAbove => Job::alarm(first, Side::Above, true, EXACT),
            Self::ExactAlarmsBelow => Job::alarm(first, Side::Below, true, EXACT),
            Self::ExactHistogram => Job::histogram(edges().collect(), EXACT),
            Self::Variance => {
                let columns = numbers.iter().map(|&number| column(number));
                Job::Variance(columns.collect::<Option<_>>()?)
            }
            Self::Minimum => Job::Minimum,
            Self::Maximum => Job::Maximum,
        })
    }
}

fn column(number: f64) -> Option<u32> {
    let is_number = number.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&number);
    is_number.then_some(number as u32)
}
