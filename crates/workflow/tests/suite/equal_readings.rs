//! Sums of equal readings, each alone in its frame: what an encoding rounds, it rounds alike in every frame, and the printed
//! error must count it so.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use crate::support::{answer, open, quiet, real, Place, CHOICES};
use isopod_keys::{NewFolder, Protection};
use isopod_wire::AnySet;
use isopod_workflow::{Choices, Contents, Device, Job, Message, NewDevice, NewKeys, Request};

/// A sum of equal readings by secret key, one in each frame.
struct Equal {
    set: &'static str,
    bound_bits: i8,
    frames: usize,
    reading: f64,
}

impl Equal {
    /// The sum as the owner reads it, and its printed error; so many of the frames are rounded to the nearest.
    fn sum(&self, to_nearest: usize) -> (f64, f64) {
        let place = place(self.set);
        let device = Device::open(&place.path("keys/device-1"), true).unwrap();
        let choices = Choices {
            bound_bits: self.bound_bits,
            ..CHOICES
        };
        let message = Message::Real(vec![self.reading]);
        let mut frames = Vec::new();
        for (from, to, nearest) in [(0, to_nearest, true), (to_nearest, self.frames, false)] {
            let name = (1, from as u64);
            let mut sender = device
                .sender(&choices, &Contents::default(), name.0, name.1)
                .unwrap();
            if nearest {
                sender = sender.with_rounding_to_nearest();
            }
            (from..to).for_each(|_| frames.extend(sender.frame(&message).unwrap().concat()));
        }
        let answer = answer(&place.server(), &Request::new(Job::Sum), &frames).unwrap();
        let opened = open(&place.owner(), &answer).remove(0);
        let error = opened.error;
        (real(opened)[0], error)
    }

    fn clear(&self) -> f64 {
        self.frames as f64 * self.reading
    }

    fn error_of(&self, to_nearest: usize) -> f64 {
        let (found, error) = self.sum(to_nearest);
        let clear = self.clear();
        assert!(
            (found - clear).abs() <= error,
            "{found} +- {error}, {clear} is true"
        );
        error
    }

    /// Frames that are rounded to the nearest miss the sum by `missed`, frames with a dither by less than `precise`, and a sum of
    /// both kinds may miss it by a share.
    fn check(&self, missed: f64, precise: f64) {
        let (found, _) = self.sum(self.frames);
        assert!((found - self.clear()).abs() > 0.9 * missed, "{found}");
        let errors = [0, self.frames / 2, self.frames].map(|nearest| self.error_of(nearest));
        assert!(errors[0] < precise && errors[2] > missed, "{errors:?}");
        assert!(errors[0] < errors[1] && errors[1] < errors[2], "{errors:?}");
    }
}

/// Keys of a set for a device that has the secret key.
fn place(set: &str) -> Place {
    let place = Place::empty();
    let keys = NewKeys {
        set: AnySet::by_name(set).unwrap(),
        seeded_public_key: false,
        devices: vec![NewDevice {
            number: 1,
            secret_key: true,
        }],
        evaluation: None,
    };
    let new = NewFolder::new(&place.path("keys")).unwrap();
    let made = keys.write(&new, &Protection::InsecurePlaintext, &mut quiet);
    made.unwrap();
    new.publish().unwrap();
    place
}

/// It printed 0.0007 +- 0.029.
#[test]
fn a_sum_of_300_readings_of_0_0009_is_within_its_error() {
    let equal = Equal {
        set: "ckks-1024x1-sum",
        bound_bits: -3,
        frames: 300,
        reading: 0.0009,
    };
    equal.check(0.26, 0.05);
}

/// It printed -1.5e-5 +- 1.1e-4.
#[test]
fn a_sum_of_300_readings_of_0_000007_is_within_its_error() {
    let equal = Equal {
        set: "ckks-4096x2-linear",
        bound_bits: 4,
        frames: 300,
        reading: 0.000_007,
    };
    equal.check(0.0020, 3e-4);
}

/// It printed 1.076 +- 0.038.
#[test]
fn a_sum_of_500_readings_of_0_00195_is_within_its_error() {
    let equal = Equal {
        set: "ckks-1024x1-sum",
        bound_bits: -3,
        frames: 500,
        reading: 0.00195,
    };
    equal.check(0.08, 0.06);
}
