//! Contributions, and the answers that they open.

use isopod_owners::{
    combine, contribute, least_set, Answering, BoardNoise, Circuit, Contributor, OwnersError,
    Wishes,
};
use isopod_wire::Contribution;
use proptest::prelude::*;

use crate::support::{holders, Holders};

fn opened(holders: &Holders, message: &[i64], numbers: &[u8]) -> Vec<i64> {
    let result = holders.result(message, 1.0);
    let contributions = holders.contributions(&result, numbers);
    let contributions: Vec<&Contribution> = contributions.iter().collect();
    let combined = combine(&result, &holders.plan(&result), &contributions).expect("an answer");
    holders.integers(&combined)
}

#[test]
fn every_pair_of_three_opens_sums_exactly() {
    let holders = holders("bfv-4096x3-sum", 3, 2);
    let most = 1_032_193 / 2;
    let message: Vec<i64> = (0..4096).map(|at| (at * 252) - most).collect();
    for pair in [[1, 2], [1, 3], [2, 3]] {
        assert_eq!(opened(&holders, &message, &pair), message);
    }
}

#[test]
fn all_of_all_and_seven_of_ten_open() {
    for (count, threshold) in [(2, 2), (10, 10), (10, 7)] {
        let holders = holders("bfv-4096x3-sum", count, threshold);
        let message: Vec<i64> = (0..4096).map(|at| at % 2 * 500_000).collect();
        let numbers: Vec<u8> = (count - threshold + 1..=count).collect();
        assert_eq!(opened(&holders, &message, &numbers), message);
    }
}

#[test]
fn real_numbers_open_within_the_stated_error() {
    let holders = holders("ckks-8192x3w-sum", 3, 2);
    let scale = 2f64.powi(50);
    let message: Vec<i64> = (0..8192).map(|at| (at - 4096) << 40).collect();
    let mut result = holders.result(&message, scale);
    result.bound = 1024.0;
    let plan = holders.plan(&result);
    let contributions = holders.contributions(&result, &[1, 3]);
    let contributions: Vec<&Contribution> = contributions.iter().collect();
    let opened = combine(&result, &plan, &contributions).expect("an answer");
    let most = opened.error * scale / (8192f64 / 2.0).sqrt();
    let errors = holders.phase(&opened).into_iter().zip(message);
    let largest = errors.map(|(found, wanted)| found.abs_diff(wanted)).max();
    let largest = largest.expect("errors") as f64;
    assert!(largest <= most, "{largest:e} of at most {most:e}");
    assert!(
        largest >= most / 20.0,
        "the error is {largest:e}, far below {most:e}"
    );
}

#[test]
fn fewer_others_or_changed_contributions_do_not_open() {
    let holders = holders("bfv-4096x3-sum", 3, 2);
    let message = vec![1000; 4096];
    let result = holders.result(&message, 1.0);
    let plan = holders.plan(&result);
    let good = holders.contributions(&result, &[1, 2]);
    let other = holders.contributions(&result, &[1, 3]);
    let mut changed = good[1].clone();
    changed.values.rotate_left(1);
    let foreign = holders.contributions(&holders.result(&[3; 4096], 1.0), &[1, 2]);
    let sets: [&[&Contribution]; 5] = [
        &[&good[0]],
        &[&good[0], &good[0]],
        &[&good[0], &other[1]],
        &[&good[0], &changed],
        &[],
    ];
    for set in sets {
        let refused = combine(&result, &plan, set);
        assert!(matches!(refused, Err(OwnersError::Unopened { index: 0 })));
    }
    // The second result has the same mask, so that its contributions fit; they hold nothing of the values.
    assert!(combine(&result, &plan, &[&foreign[0], &foreign[1]]).is_ok());
    for change in [
        |one: &mut Contribution| one.bits += 1,
        |one: &mut Contribution| one.primes -= 1,
        |one: &mut Contribution| one.values.truncate(4095),
    ] {
        let mut changed = good[0].clone();
        change(&mut changed);
        let refused = combine(&result, &plan, &[&changed, &good[1]]);
        assert!(matches!(
            refused,
            Err(OwnersError::Contribution { holder: 1, .. })
        ));
    }
}

/// Colluding holders who answer and others who do not know the shares of the honest ones up to the secret, hence the difference
/// of two honest contributions up to noise. The masks hide it.
#[test]
fn contributions_of_several_honest_holders_are_uniform_but_for_their_sum() {
    let holders = holders("bfv-4096x3-sum", 4, 3);
    let result = holders.result(&[5; 4096], 1.0);
    let plan = holders.plan(&result);
    let answering = Answering::new(&holders.invitation, vec![1, 2, 4]).expect("a set");
    let values = |holder: u8, masks: &[_]| {
        let share = &holders.shares[usize::from(holder) - 1];
        let contributor = Contributor {
            answering: &answering,
            holder,
            share,
            masks,
        };
        contribute(&result, &plan, &contributor)
    };
    let masks = |holder| holders.masks(&answering, holder);
    // Every single mask is needed, and none of another holder.
    for wrong in [&[][..], &masks(1)[..1], &masks(2)] {
        let refused = values(1, wrong).expect_err("refused").to_string();
        assert!(
            refused.contains("allowed are those with [2, 4]"),
            "{refused}"
        );
    }
    let most = 1u128 << plan.bits;
    let distance = |one: &[u128], other: &[u128]| {
        let each = one.iter().zip(other).map(|(&one, &other)| {
            let difference = (one + most - other) % most;
            difference.min(most - difference) as f64 / most as f64
        });
        each.sum::<f64>() / 4096.0
    };
    // The mean distance of two uniform fractions of a circle is a quarter, with a deviation of 1/444.
    let (one, other) = (values(1, &masks(1)), values(2, &masks(2)));
    let (one, other) = (one.expect("values"), other.expect("values"));
    assert!((distance(&one, &other) - 0.25).abs() < 0.02);
    // A contribution that is made anew has the same mask: it differs by noise alone, which the flood bounds.
    let again = values(1, &masks(1)).expect("values");
    assert!(distance(&one, &again) < 0.02);
}

#[test]
fn contributions_carry_the_declared_flood() {
    let holders = holders("bfv-4096x3-sum", 2, 2);
    let result = holders.result(&[0; 4096], 1.0);
    let mut plan = holders.plan(&result);
    plan.bits = 120;
    let answering = Answering::new(&holders.invitation, vec![1, 2]).expect("a set");
    let contributed = || {
        let contributor = Contributor {
            answering: &answering,
            holder: 1,
            share: &holders.shares[0],
            masks: &[],
        };
        contribute(&result, &plan, &contributor).expect("a contribution")
    };
    let modulus: f64 = holders
        .ring
        .moduli()
        .iter()
        .map(|one| one.prime() as f64)
        .product();
    let unit = modulus * 2f64.powi(-120);
    let (one, other) = (contributed(), contributed());
    let squares: f64 = one
        .iter()
        .zip(&other)
        .map(|(&one, &other)| ((one.wrapping_sub(other) << 8) as i128 >> 8) as f64 * unit)
        .map(|difference| difference * difference)
        .sum();
    // The variance of a difference is twice the flood's; its estimate from 4,096 is within a ninth.
    let ratio = (squares / 4096.0 / 2.0).sqrt() / plan.flood;
    assert!((0.9..1.1).contains(&ratio), "{ratio} of the flood");
}

#[test]
fn sets_without_room_and_wrong_sets_of_holders_are_refused() {
    let mut invitation = holders("bfv-4096x3-sum", 3, 2).invitation;
    let answering = |numbers: &[u8]| Answering::new(&invitation, numbers.to_vec());
    for (numbers, text) in [
        (
            &[1][..],
            "1 answer; allowed are exactly 2 of holder-1, holder-2, holder-3",
        ),
        (&[1, 2, 3], "3 answer"),
        (&[2, 2], "holder-2 occurs twice"),
        (&[0, 2], "number 0; allowed are 1 to 3"),
        (&[1, 4], "number 4"),
    ] {
        let refused = answering(numbers).expect_err("refused").to_string();
        assert!(refused.contains(text), "{refused}");
    }
    for (set, text) in [
        ("bfv-2048x2-air", "no room for the noise of 3 owners"),
        ("bfv-4096x2-linear", "no room"),
        (
            "bfv-8192x6-multiply",
            "allowed are sets of at most 3 data primes",
        ),
    ] {
        invitation.params = isopod_wire::by_name(set).expect("a set");
        let refused = Circuit::new(&invitation).expect_err("refused").to_string();
        assert!(refused.contains(text), "{refused}");
    }
}

/// A wider one would be cut to the largest integer of 63 bits, which hides nothing.
#[test]
fn a_flood_wider_than_its_integers_is_refused() {
    let mut invitation = holders("bfv-4096x3-sum", 3, 2).invitation;
    (invitation.statistical_bits, invitation.queries) = (64, 1 << 8);
    assert!(Circuit::new(&invitation).is_ok());
    invitation.queries = 1 << 12;
    let refused = Circuit::new(&invitation).expect_err("refused").to_string();
    assert!(
        refused.starts_with("statistical_bits: the noise that hides shares would be 2^60.0;"),
        "{refused}"
    );
}

/// The largest sums, with six deviations of the noise of 1,000 frames in every coefficient.
#[test]
fn the_largest_sums_open_with_the_widest_noise() {
    let holders = holders("bfv-4096x3-owners", 3, 2);
    let most = 8_380_417 / 2;
    let message: Vec<i64> = (0..4096).map(|at| [most, -most, 0, 1][at % 4]).collect();
    let deviation = (1000.0 * 10.5 * (1.0 + 4.0 * 4096f64)).sqrt() + 500.0;
    let mut result = holders.result(&message, 1.0);
    let each = holders.ring.moduli().iter().zip(holders.ring.transforms());
    for ((modulus, transform), c0) in each.zip(&mut result.c0) {
        let noise = (0..4096).map(|at| (6.0 * deviation) as i64 * (1 - 2 * (at % 2)));
        let mut noise: Vec<u64> = noise.map(|one| modulus.reduce(one)).collect();
        transform.forward(&mut noise).expect("a transform");
        for (c0, noise) in c0.iter_mut().zip(noise) {
            *c0 = modulus.add(*c0, noise);
        }
    }
    let contributions = holders.contributions(&result, &[2, 3]);
    let contributions: Vec<&Contribution> = contributions.iter().collect();
    let opened = combine(&result, &holders.plan(&result), &contributions).expect("an answer");
    assert_eq!(holders.integers(&opened), message);
}

/// Sums of 1,000 readings of 12 bits of three owners by public key: 4.8 bits of room are left beside six deviations.
#[test]
fn the_shortest_frames_with_room_are_picked() {
    let mut invitation = holders("ckks-8192x3w-sum", 3, 2).invitation;
    let sums = |bound, error| Wishes { bound, error };
    let picked = |invitation: &_, wishes| least_set(invitation, &wishes).map(|set| set.name);
    let name = picked(&invitation, sums(4_096_000.0, None)).expect("a set");
    assert_eq!(name, "bfv-4096x3-owners");
    let refused = picked(&invitation, sums(4_190_209.0, None)).expect_err("refused");
    let text = "set: none opens such values for several owners";
    assert!(refused.to_string().starts_with(text), "{refused}");
    assert_eq!(
        picked(&invitation, sums(1000.0, Some(50.0))).expect("a set"),
        "ckks-8192x3w-multiply"
    );
    assert!(picked(&invitation, sums(1000.0, Some(1e-6))).is_err());
    invitation.params = isopod_wire::by_name("bfv-4096x3-owners").expect("a set");
    // 256 times as many frames have room, 1,024 times as many have not.
    for (frames, is_allowed) in [(1000 << 8, true), (1000 << 10, false)] {
        invitation.frames = frames;
        assert_eq!(
            Circuit::new(&invitation).is_ok(),
            is_allowed,
            "{frames} frames"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn any_values_open(seed in any::<u64>(), count in 2u8..=5, extra in 0u8..4) {
        let threshold = 2 + extra % (count - 1);
        let holders = holders("bfv-4096x3-sum", count, threshold);
        let most = 1_032_193i64;
        let message: Vec<i64> = (0..4096u64)
            .map(|at| (seed.rotate_left(at as u32 % 64).wrapping_mul(at | 1) % most as u64) as i64 - most / 2)
            .collect();
        let numbers: Vec<u8> = (1..=threshold).collect();
        prop_assert_eq!(opened(&holders, &message, &numbers), message);
    }
}

#[test]
fn boards_hide_at_least_as_much_with_equal_bits() {
    let mut invitation = holders("bfv-4096x3-sum", 3, 2).invitation;
    let noise = BoardNoise::new(&invitation).expect("noise");
    // The flood is just above 2^45, and the deviation of the Gaussian is two steps.
    assert_eq!((noise.bits, noise.shift), (22, 45));
    (invitation.frames, invitation.queries) = (1, 1);
    assert!(BoardNoise::new(&invitation).expect("noise").shift < 40);
    (invitation.statistical_bits, invitation.queries) = (64, 1 << 32);
    for frames in (0..30).map(|power| 1 << power) {
        invitation.frames = frames;
        match (Circuit::new(&invitation), BoardNoise::new(&invitation)) {
            (Ok(_), Ok(noise)) => assert!(noise.shift <= 58, "{frames}: {noise:?}"),
            (Ok(_), Err(error)) => assert!(error.to_string().contains("no room"), "{error}"),
            (Err(_), found) => assert!(found.is_err()),
        }
    }
    let refused = BoardNoise::new(&holders("bfv-4096x3-sum", 4, 3).invitation);
    let refused = refused.expect_err("refused").to_string();
    let text = "threshold: 3 of 4; allowed on a board are 2 and 4, since it has no masks";
    assert!(refused.starts_with(text), "{refused}");
    let invitation = holders("ckks-8192x3w-sum", 3, 2).invitation;
    let refused = BoardNoise::new(&invitation)
        .expect_err("refused")
        .to_string();
    assert!(refused.contains("three 32-bit primes"), "{refused}");
}
