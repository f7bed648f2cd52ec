//! Durations counted by class, for a histogram.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Upper bounds of the classes of [`Durations`], in microseconds.
const BOUNDS: [u64; 16] = [
    250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000,
    2_500_000, 5_000_000, 10_000_000, 60_000_000,
];

/// Durations counted by class, for a histogram.
#[derive(Debug, Default)]
pub struct Durations {
    classes: [AtomicU64; BOUNDS.len() + 1],
    microseconds: AtomicU64,
}

impl Durations {
    /// Counts one.
    pub fn add(&self, duration: Duration) {
        let microseconds = u64::try_from(duration.as_micros()).unwrap_or(u64::MAX);
        let class = BOUNDS.partition_point(|bound| *bound < microseconds);
        self.classes[class].fetch_add(1, Ordering::Relaxed);
        self.microseconds.fetch_add(microseconds, Ordering::Relaxed);
    }

    /// Upper bounds in seconds, each with the number of durations up to it; the last bound is infinite.
    pub fn cumulated(&self) -> Vec<(f64, u64)> {
        let bounds = BOUNDS.iter().map(|bound| *bound as f64 / 1e6);
        let classes = bounds.chain([f64::INFINITY]).zip(&self.classes);
        let mut sum = 0;
        classes
            .map(|(bound, count)| {
                sum += count.load(Ordering::Relaxed);
                (bound, sum)
            })
            .collect()
    }

    /// Sum of all, in seconds.
    pub fn seconds(&self) -> f64 {
        self.microseconds.load(Ordering::Relaxed) as f64 / 1e6
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_counted_up_to_each_bound() {
        let durations = Durations::default();
        for microseconds in [0, 250, 251, 60_000_000, 60_000_001, u64::MAX / 2] {
            durations.add(Duration::from_micros(microseconds));
        }
        let counts: Vec<u64> = durations
            .cumulated()
            .iter()
            .map(|(_, count)| *count)
            .collect();
        assert_eq!((counts[0], counts[1], counts[15], counts[16]), (2, 3, 4, 6));
        assert_eq!(counts.len(), 17);
        assert!(durations.seconds() > 9e12);
    }
}
