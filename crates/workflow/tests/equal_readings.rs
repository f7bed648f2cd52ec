//! Sums of equal readings, each alone in its frame: what an encoding rounds, it rounds alike in every frame, and the printed
//! error must count it so.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod support;

use isopod_eval::{Claims, Job as _, Key, Sum};
use isopod_keys::{NewFolder, Protection};
use isopod_seal::Parameters;
use isopod_wire::{by_name, AnySet};
use isopod_workflow::{Choices, Contents, Device, Job, Message, NewDevice, NewKeys, Request};
use support::{answer, open, quiet, real, Place, CHOICES};

/// A sum of equal readings by secret key, one in each frame.
struct Equal {
    set: &'static str,
    bound_bits: i8,
    frames: usize,
    reading: f64,
}

impl Equal {
    /// The sum as the owner reads it, and its printed error.
    fn sum(&self) -> (f64, f64) {
        let place = Place::empty();
        let keys = NewKeys {
            set: AnySet::by_name(self.set).unwrap(),
            seeded_public_key: false,
            devices: vec![NewDevice {
                number: 1,
                secret_key: true,
            }],
            evaluation: None,
        };
        let new = NewFolder::new(&place.path("keys")).unwrap();
        keys.write(&new, &Protection::InsecurePlaintext, &mut quiet)
            .unwrap();
        new.publish().unwrap();
        let device = Device::open(&place.path("keys/device-1"), true).unwrap();
        let choices = Choices {
            bound_bits: self.bound_bits,
            ..CHOICES
        };
        let mut sender = device
            .sender(&choices, &Contents::default(), (1, 0))
            .unwrap();
        let message = Message::Real(vec![self.reading]);
        let frames = (0..self.frames).flat_map(|_| sender.frame(&message).unwrap().concat());
        let frames: Vec<u8> = frames.collect();
        let answer = answer(&place.server(), &Request::new(Job::Sum), &frames).unwrap();
        let opened = open(&place.owner(), &answer).remove(0);
        let error = opened.error;
        (real(opened)[0], error)
    }

    fn clear(&self) -> f64 {
        self.frames as f64 * self.reading
    }

    /// The error of frames that round to the nearest, in all and in step.
    fn nearest(&self) -> [f64; 2] {
        let set = by_name(self.set).unwrap();
        let claims = Claims {
            bound: f64::from(self.bound_bits).exp2(),
            scale: f64::from(set.log2_scale.default).exp2(),
            primes: set.data_primes.len(),
            key: Key::Secret,
            dithered: false,
            rows: 1,
            columns: 1,
            stride: 1,
            buckets: 1,
            frames: self.frames as u64,
        };
        let plan = Sum.plan(&Parameters::from(set), &[claims]).unwrap()[0];
        [plan.error, plan.in_step]
    }

    /// Compares with the clear; a sum of frames that round to the nearest may miss by `missed`, which the estimate must count.
    fn check(&self, missed: f64) {
        let (found, error) = self.sum();
        assert!(
            (found - self.clear()).abs() <= error,
            "{found} +- {error}, {} is true",
            self.clear()
        );
        let [nearest, in_step] = self.nearest();
        assert!(in_step >= missed, "{in_step} in step");
        assert!(
            nearest > in_step && nearest < self.frames as f64,
            "{nearest}"
        );
    }
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
    equal.check(0.27);
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
    equal.check(0.0021);
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
    equal.check(0.1);
}
