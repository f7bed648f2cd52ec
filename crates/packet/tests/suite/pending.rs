//! Packets that wait for their context are bounded, whoever sends them.
#![allow(clippy::unwrap_used)]

use isopod_packet::PendingPackets;
use proptest::prelude::*;

#[test]
fn the_oldest_of_a_device_go_first() {
    let mut pending = PendingPackets::default();
    for at in 0..100u8 {
        pending.keep(7, at % 2, at.into(), &[at]);
    }
    pending.keep(8, 0, 100, &[1, 2]);
    assert_eq!(pending.len(), 65);
    let even: Vec<Vec<u8>> = (36..100).step_by(2).map(|at| vec![at]).collect();
    assert_eq!(pending.take(7, 0), even);
    assert_eq!(pending.take(7, 0), Vec::<Vec<u8>>::new());
    assert_eq!(pending.len(), 33);
    assert_eq!(pending.take(8, 0), [vec![1, 2]]);
}

#[test]
fn the_oldest_of_all_go_first() {
    let mut pending = PendingPackets::default();
    for device in 0..70_000 {
        pending.keep(device, 0, 1, &[0]);
    }
    assert_eq!(pending.len(), 65_536);
    assert!(pending.take(4463, 0).is_empty());
    assert_eq!(pending.take(4464, 0).len(), 1);
}

#[test]
fn a_packet_that_comes_again_waits_once() {
    let mut pending = PendingPackets::default();
    for _ in 0..100 {
        pending.keep(7, 0, 1, &[1, 2, 3]);
    }
    assert_eq!(pending.len(), 1);
}

#[test]
fn long_packets_are_bounded_by_their_bytes() {
    let mut pending = PendingPackets::default();
    for device in 0..20_000u64 {
        let mut packet = vec![0; 1600];
        packet[..8].copy_from_slice(&device.to_le_bytes());
        pending.keep(device, 0, 1, &packet);
    }
    assert_eq!(pending.len(), (16 << 20) / 1600);
    assert!(pending.take(0, 0).is_empty());
    assert_eq!(pending.take(19_999, 0).len(), 1);
}

#[test]
fn a_week_is_the_longest() {
    let mut pending = PendingPackets::default();
    pending.keep(1, 0, 0, &[1]);
    pending.keep(2, 0, 7 * 24 * 3600, &[2]);
    assert_eq!(pending.len(), 2);
    pending.keep(3, 0, 7 * 24 * 3600 + 1, &[3]);
    assert!(pending.take(1, 0).is_empty() && pending.len() == 2);
}

proptest! {
    /// Whatever comes in whatever order, the packets that are given back are the last 64 of their device.
    #[test]
    fn what_waits_is_what_came_last(steps in prop::collection::vec((0u64..3, 0u8..2, any::<bool>()), 0..400)) {
        let (mut pending, mut model) = (PendingPackets::default(), [const { Vec::<(u8, Vec<u8>)>::new() }; 3]);
        for (time, (device, context, takes)) in steps.into_iter().enumerate() {
            let waiting = &mut model[device as usize];
            if takes && time % 7 == 0 {
                let wanted: Vec<Vec<u8>> = waiting.iter().filter(|one| one.0 == context).map(|one| one.1.clone()).collect();
                waiting.retain(|one| one.0 != context);
                prop_assert_eq!(pending.take(device, context), wanted);
            } else {
                let packet = time.to_le_bytes().to_vec();
                pending.keep(device, context, time as u64, &packet);
                waiting.push((context, packet));
                let gone = waiting.len().saturating_sub(64);
                waiting.drain(..gone);
            }
            prop_assert_eq!(pending.len(), model.iter().map(Vec::len).sum::<usize>());
        }
    }
}
