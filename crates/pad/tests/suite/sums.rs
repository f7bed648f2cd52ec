//! Sums over devices, epochs, gaps, weights and widths; each is compared with the true one.

use isopod_keys::SecretKey;
use isopod_pad::{open_sum, FoldedSum, PadContext, PadError, PadReader, PadTree, Pads as _, Run};

use crate::support::{context, master, name, packet};

/// A device with all that it and its owner have.
fn device(context: PadContext, epoch: u32) -> (PadReader, PadTree) {
    let tree = PadTree::new(&context, &master().device(context.device), epoch).unwrap();
    (
        PadReader::new(context, &SecretKey::from_bytes(&[9; 32])),
        tree,
    )
}

/// Adds packets of these names, in this order, and returns the true sums.
fn add(
    device: &(PadReader, PadTree),
    sum: &mut FoldedSum,
    names: &[(u32, u64)],
    weight: i32,
) -> Vec<i64> {
    let (reader, tree) = device;
    let mut totals = vec![0; 3];
    for &(epoch, sequence) in names {
        let name = name(reader.context().device, epoch, sequence);
        let integers = [(sequence % 100) as i64, -((sequence % 7) as i64), 100];
        let bytes = packet(reader, tree, name, &integers);
        sum.add(name, weight, reader.read(name, &bytes).unwrap())
            .unwrap();
        for (total, integer) in totals.iter_mut().zip(integers) {
            *total += integer * i64::from(weight);
        }
    }
    totals
}

#[test]
fn sums_are_exact_for_every_width_in_any_order() {
    for width in 2..=4 {
        let device = device(context(7, width), 1);
        let mut sum = FoldedSum::new(device.0.context());
        let mut names: Vec<(u32, u64)> = (200..260)
            .filter(|&at| at != 222)
            .map(|at| (3, at))
            .collect();
        names.extend((0..5).map(|at| (4, at)));
        names
            .sort_by_key(|&(epoch, sequence)| sequence.wrapping_mul(2654435761) ^ u64::from(epoch));
        let first = add(&device, &mut sum, &names, 2);
        let second = add(&device, &mut sum, &[(3, 4_294_967_294), (3, 222)], -3);
        let wanted: Vec<i64> = first.iter().zip(&second).map(|(a, b)| a + b).collect();
        assert_eq!(open_sum(&sum, &device.1).unwrap(), wanted);
        let runs: Vec<(u64, u64, i32)> = sum
            .runs()
            .unwrap()
            .iter()
            .map(|run| (run.first, run.last, run.weight))
            .collect();
        assert_eq!(
            runs,
            [
                (200, 221, 2),
                (222, 222, -3),
                (223, 259, 2),
                (4_294_967_294, 4_294_967_294, -3),
                (0, 4, 2)
            ]
        );
    }
}

#[test]
fn a_ratchet_has_pads_of_one_epoch() {
    let ratchet = PadContext {
        ratchet: true,
        ..context(7, 2)
    };
    let device = device(ratchet.clone(), 3);
    let mut sum = FoldedSum::new(&ratchet);
    let wanted = add(&device, &mut sum, &[(3, 1), (3, 2)], 1);
    assert_eq!(open_sum(&sum, &device.1).unwrap(), wanted);
    assert!(device.1.pad(4, 1).is_err());
    for epoch in [0, 65536] {
        assert!(PadTree::new(&ratchet, &master().device(7), epoch).is_err());
    }
}

#[test]
fn a_sum_that_may_overflow_or_has_a_packet_twice_is_refused() {
    let device = device(context(7, 2), 1);
    let mut sum = FoldedSum::new(device.0.context());
    let names: Vec<(u32, u64)> = (0..327).map(|at| (1, at)).collect();
    add(&device, &mut sum, &names, 1);
    assert!(open_sum(&sum, &device.1).is_ok());
    add(&device, &mut sum, &[(1, 327)], 1);
    assert_eq!(
        open_sum(&sum, &device.1),
        Err(PadError::Overflow {
            most: 32_800,
            bound: 32_768
        })
    );
    let mut twice = FoldedSum::new(device.0.context());
    add(&device, &mut twice, &[(1, 5), (1, 6), (1, 5)], 1);
    assert_eq!(
        twice.runs(),
        Err(PadError::Repeated {
            epoch: 1,
            sequence: 5
        })
    );
    assert_eq!(twice.total().len(), 3);
}

#[test]
fn runs_join_where_weights_agree() {
    let device = device(context(7, 2), 1);
    let mut sum = FoldedSum::new(device.0.context());
    add(&device, &mut sum, &[(1, 2), (1, 1), (1, 3)], 1);
    assert_eq!(
        sum.runs().unwrap(),
        [Run {
            epoch: 1,
            first: 1,
            last: 3,
            weight: 1
        }]
    );
}
