//! Sums over devices, epochs, gaps, weights and widths; each is compared with the true one.

use isopod_pad::{open_sum, PadAccumulator, PadError, Pads as _};
use isopod_wire::{PadDescription, PadFrame, PadSum, WireError};

use crate::support::{frame, header, name, pads, place, small};

/// Adds packets of these names, in this order, and returns the true sums.
fn add(
    description: PadDescription,
    sum: &mut PadAccumulator,
    names: &[(u64, u32, u64)],
    weight: i32,
) -> Vec<i64> {
    let mut totals = vec![0; 3];
    for &(device, epoch, sequence) in names {
        let integers = [(sequence % 100) as i64, -((sequence % 7) as i64), 100];
        let header = header(description, name(device, epoch, sequence));
        sum.add(&frame(&header, &integers), weight).unwrap();
        for (total, integer) in totals.iter_mut().zip(integers) {
            *total += integer * i64::from(weight);
        }
    }
    totals
}

fn plus(one: &[i64], other: &[i64]) -> Vec<i64> {
    one.iter()
        .zip(other)
        .map(|(one, other)| one + other)
        .collect()
}

#[test]
fn sums_are_exact_for_every_width_in_any_order_over_devices() {
    for width in 2..=4 {
        let mut names: Vec<(u64, u32, u64)> = (200..230)
            .filter(|&at| at != 222)
            .map(|at| (7, 3, at))
            .collect();
        names.extend((0..5).flat_map(|at| [(7, 4, at), (8, 4, at)]));
        names.sort_by_key(|&(device, epoch, at)| {
            at.wrapping_mul(2_654_435_761) ^ u64::from(epoch) ^ device
        });
        let (mut sum, mut part) = (PadAccumulator::default(), PadAccumulator::default());
        let first = add(small(width), &mut sum, &names, 2);
        let late = [(7, 3, 4_294_967_294), (7, 3, 222)];
        let second = add(small(width), &mut part, &late, -3);
        sum.merge(&part).unwrap();
        assert_eq!(sum.packets(), 41);
        let sum = sum.finish().unwrap().unwrap();
        let opened = open_sum(&sum, &mut pads()).unwrap();
        assert_eq!(opened, plus(&first, &second));
        let runs: Vec<_> = sum
            .runs
            .iter()
            .map(|run| (run.device, run.first, run.last, run.weight))
            .collect();
        let wanted = [
            (7, 200, 221, 2),
            (7, 222, 222, -3),
            (7, 223, 229, 2),
            (7, 4_294_967_294, 4_294_967_294, -3),
            (7, 0, 4, 2),
            (8, 0, 4, 2),
        ];
        assert_eq!(runs, wanted);
    }
}

#[test]
fn contexts_of_one_shape_are_added_and_others_refused() {
    let narrow = PadDescription {
        number: 2,
        bound: 110,
        ..small(2)
    };
    let mut sum = PadAccumulator::default();
    let first = add(small(2), &mut sum, &[(7, 1, 1), (7, 1, 3)], 1);
    let second = add(narrow, &mut sum, &[(7, 1, 2), (9, 1, 2)], 1);
    for other in [
        small(3),
        PadDescription {
            columns: 2,
            ..small(2)
        },
        PadDescription {
            packing: Some([1; 16]),
            ..small(2)
        },
    ] {
        let integers = vec![1; other.columns.into()];
        let frame = frame(&header(other, name(7, 1, 9)), &integers);
        assert!(matches!(sum.add(&frame, 1), Err(PadError::Field { .. })));
    }
    let sum = sum.finish().unwrap().unwrap();
    assert_eq!(sum.contexts, [narrow, small(2)]);
    assert_eq!(sum.runs.len(), 4);
    let opened = open_sum(&sum, &mut pads()).unwrap();
    assert_eq!(opened, plus(&first, &second));
}

/// Whoever has a device can register contexts that differ in nothing but their bounds.
#[test]
fn no_more_contexts_enter_than_a_result_holds() {
    let mut sum = PadAccumulator::default();
    let add = |sum: &mut PadAccumulator, at: u32| {
        let other = PadDescription {
            bound: at + 1,
            ..small(4)
        };
        let id = name(7, 1, at.into());
        let integers = vec![0; 3];
        let header = header(other, id);
        sum.add(&PadFrame { header, integers }, 1)
    };
    for at in 0..PadSum::CONTEXTS as u32 {
        add(&mut sum, at).unwrap();
    }
    let refused = add(&mut sum, PadSum::CONTEXTS as u32);
    assert!(matches!(
        refused,
        Err(PadError::Field {
            field: "context",
            ..
        })
    ));
    assert_eq!(sum.packets(), PadSum::CONTEXTS as u64);
    let mut sum = sum.finish().unwrap().unwrap();
    assert!(sum.check_size().is_ok());
    sum.contexts.push(small(4));
    assert!(sum.check_size().is_err());
}

#[test]
fn a_ratchet_has_pads_of_one_epoch() {
    let ratchet = PadDescription {
        ratchet: true,
        ..small(2)
    };
    let mut sum = PadAccumulator::default();
    let wanted = add(ratchet, &mut sum, &[(7, 3, 1), (7, 3, 2), (7, 4, 0)], 1);
    let sum = sum.finish().unwrap().unwrap();
    assert_eq!(open_sum(&sum, &mut pads()).unwrap(), wanted);
    let mut tree = pads().tree(&place(&ratchet, name(7, 3, 0))).unwrap();
    assert!(tree.pad(&place(&ratchet, name(7, 4, 1))).is_err());
    for epoch in [0, 65536] {
        assert!(pads().tree(&place(&ratchet, name(7, epoch, 0))).is_err());
    }
}

#[test]
fn a_sum_that_may_overflow_or_has_a_packet_twice_is_refused() {
    let names: Vec<_> = (0..328).map(|at| (7, 1, at)).collect();
    let mut sum = PadAccumulator::default();
    add(small(2), &mut sum, &names[..327], 1);
    let fits = sum.clone().finish().unwrap().unwrap();
    assert!(open_sum(&fits, &mut pads()).is_ok());
    add(small(2), &mut sum, &names[327..], 1);
    let overflow = PadError::Overflow {
        most: 32_800,
        half: 32_768,
    };
    assert_eq!(sum.finish(), Err(overflow.clone()));
    let mut beyond = fits;
    beyond.runs[0].last = 327;
    assert_eq!(open_sum(&beyond, &mut pads()), Err(overflow));
    let mut twice = PadAccumulator::default();
    add(small(2), &mut twice, &[(7, 1, 5), (7, 1, 6), (7, 1, 5)], 1);
    let overlap = WireError::Overlap {
        device: 7,
        epoch: 1,
        first: 5,
        last: 5,
    };
    assert_eq!(twice.finish(), Err(overlap.into()));
    assert_eq!(PadAccumulator::default().finish(), Ok(None));
}
