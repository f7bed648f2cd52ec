//! Noise flooding: the figures of its derivation, its distribution, and every refusal.
#![allow(clippy::unwrap_used)]

use isopod_share::{Circuit, Encryption, Flooding, Private, ShareError};
use isopod_wire::{by_name, ParameterSet};

const SUM: Circuit = Circuit {
    encryption: Encryption::SecretKey,
    log2_scale: 25,
    frames: 1,
    stride: 1,
    largest_weight: None,
};

fn set(name: &str) -> &'static ParameterSet {
    by_name(name).unwrap()
}

/// Error of one published value.
fn flooded(circuit: Circuit, name: &str, queries: u64) -> f64 {
    // Scale so large that switching moduli adds nothing.
    let slot_error = circuit.slot_error(set(name), 1e60).unwrap();
    Flooding::new(30, queries).unwrap().error(slot_error, 1)
}

fn near(found: f64, wanted: f64) {
    assert!((found / wanted - 1.0).abs() < 0.15, "{found} / {wanted}");
}

#[test]
fn a_scale_of_25_bits_leaves_nothing() {
    let public = Circuit {
        encryption: Encryption::PublicKey,
        ..SUM
    };
    near(flooded(SUM, "ckks-4096x3-sum", 1), 0.7);
    near(flooded(SUM, "ckks-4096x3-sum", 1024), 22.6);
    near(flooded(public, "ckks-4096x3-sum", 1), 52.0);
}

#[test]
fn a_scale_of_40_bits_leaves_precision() {
    let fine = Circuit {
        log2_scale: 40,
        ..SUM
    };
    let public = Circuit {
        encryption: Encryption::PublicKey,
        ..fine
    };
    near(flooded(fine, "ckks-8192x6-multiply", 1), 3e-5);
    near(flooded(fine, "ckks-8192x6-multiply", 1024), 9.6e-4);
    near(flooded(public, "ckks-8192x6-multiply", 1), 3.1e-3);
    near(flooded(public, "ckks-8192x6-multiply", 1024), 0.1);
}

/// With the noise of one slot for a result of 2048, the advantage over the life of a key was 2^-12.6 at 30 bits.
#[test]
fn noise_grows_with_the_number_of_published_slots() {
    let (bits, queries, slots) = (30, 1024, 2048);
    let flooding = Flooding::new(bits, queries).unwrap();
    assert!(
        (flooding.error(1.0, slots) / flooding.error(1.0, 1) - (slots as f64).sqrt()).abs() < 1e-9
    );
    let divergence = slots as f64 / (2.0 * flooding.error(1.0, slots).powi(2));
    let advantage = (queries as f64 * divergence / 2.0).sqrt();
    assert!(advantage.log2() < -18.2, "{}", advantage.log2());
    assert!((2.0 * advantage.log2()).abs() >= f64::from(bits));
}

#[test]
fn larger_circuits_need_more_noise() {
    let error = |circuit: Circuit| {
        circuit
            .slot_error(set("ckks-8192x6-multiply"), 1e13)
            .unwrap()
    };
    let fine = Circuit {
        log2_scale: 40,
        ..SUM
    };
    for larger in [
        Circuit { frames: 10, ..fine },
        Circuit { stride: 2, ..fine },
        Circuit {
            largest_weight: Some(8.0),
            ..fine
        },
        Circuit {
            log2_scale: 39,
            ..fine
        },
        Circuit {
            encryption: Encryption::PublicKey,
            ..fine
        },
    ] {
        assert!(error(larger) > 1.3 * error(fine), "{larger:?}");
    }
    let weighted = Circuit {
        largest_weight: Some(1.0),
        ..fine
    };
    let set = set("ckks-8192x6-multiply");
    assert!(weighted.slot_error(set, 1e6).unwrap() > 1e3 * weighted.slot_error(set, 1e13).unwrap());
}

#[test]
fn published_errors_are_gaussian_of_the_stated_width() {
    let flooding = Flooding::new(30, 4).unwrap();
    let raw = vec![1000.0; 200_000];
    let published = flooding.publish(&Private::new(raw), 1e-6, 1e3).unwrap();
    let wanted = (24.0 * 4.0 * 200_000.0_f64).sqrt() * 32768.0 * 1e-6;
    assert!((published.error / wanted - 1.0).abs() < 1e-12);
    let errors = || {
        published
            .values
            .iter()
            .map(|value| (value - 1000.0) / wanted)
    };
    let count = published.values.len() as f64;
    let mean = errors().sum::<f64>() / count;
    let variance = errors().map(|error| error * error).sum::<f64>() / count;
    let fourth = errors().map(|error| error.powi(4)).sum::<f64>() / count;
    // Six standard deviations of each estimate; the grid adds 1/12 of 2^-6 at most.
    assert!(mean.abs() < 6.0 / count.sqrt(), "{mean}");
    assert!(
        (variance - 1.0).abs() < 6.0 * (2.0 / count).sqrt() + 0.002,
        "{variance}"
    );
    assert!(
        (fourth - 3.0).abs() < 6.0 * (96.0 / count).sqrt() + 0.02,
        "{fourth}"
    );
}

#[test]
fn published_values_are_rounded_and_differ_each_time() {
    let flooding = Flooding::new(30, 1).unwrap();
    let raw = Private::new(vec![std::f64::consts::PI; 8]);
    let one = flooding.publish(&raw, 1e-6, 1.0).unwrap();
    let other = flooding.publish(&raw, 1e-6, 1.0).unwrap();
    assert_ne!(one.values, other.values);
    let grid = 2.0_f64.powi(one.error.log2().floor() as i32 - 3);
    assert!(one.values.iter().all(|value| (value / grid).fract() == 0.0));
    assert_eq!(raw.for_owner_only()[0], std::f64::consts::PI);
    assert_eq!(raw.into_owner_only().len(), 8);
}

#[test]
fn too_little_precision_is_refused() {
    let flooding = Flooding::new(30, 1024).unwrap();
    let refused = flooding.publish(&Private::new(vec![0.0]), 1e-6, 1e-3);
    let error = refused.unwrap_err();
    assert!(matches!(error, ShareError::Precision { .. }), "{error}");
    assert!(error.to_string().contains("allowed is 1.000e-3"), "{error}");
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let refused = flooding.publish(&Private::new(vec![0.0]), 1e-9, bad);
        assert!(matches!(
            refused,
            Err(ShareError::OutOfRange {
                field: "largest_error",
                ..
            })
        ));
    }
    assert!(matches!(
        flooding.check(f64::NAN, 1.0, 1),
        Err(ShareError::Precision { .. })
    ));
}

#[test]
fn parameters_outside_of_their_ranges_are_named() {
    for (bits, queries, wanted) in [
        (29, 1, "statistical_bits"),
        (65, 1, "statistical_bits"),
        (30, 0, "queries"),
        (30, (1 << 32) + 1, "queries"),
    ] {
        let error = Flooding::new(bits, queries).unwrap_err().to_string();
        assert!(
            error.starts_with(wanted) && error.contains("allowed is"),
            "{error}"
        );
    }
    let cases = [
        (
            Circuit {
                log2_scale: 41,
                ..SUM
            },
            1e9,
            "log2_scale",
        ),
        (Circuit { frames: 0, ..SUM }, 1e9, "frames"),
        (Circuit { stride: 3, ..SUM }, 1e9, "stride"),
        (
            Circuit {
                stride: 4096,
                ..SUM
            },
            1e9,
            "stride",
        ),
        (
            Circuit {
                largest_weight: Some(f64::NAN),
                ..SUM
            },
            1e9,
            "largest_weight",
        ),
        (SUM, 0.5, "scale"),
    ];
    for (circuit, scale, wanted) in cases {
        let error = circuit
            .slot_error(set("ckks-4096x3-sum"), scale)
            .unwrap_err();
        assert!(error.to_string().starts_with(wanted), "{error}");
    }
}
