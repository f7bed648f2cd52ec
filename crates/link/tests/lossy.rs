//! The C sender and this receiver over a channel that loses, repeats, swaps and damages.
#![allow(clippy::unwrap_used, unsafe_code)]

use ::isopod_link::{serial_bytes, LinkError, Receiver, SerialReader, Transfers};
use isopod_sys::{
    isopod_link as Link, isopod_link_acknowledge, isopod_link_begin, isopod_link_give,
    isopod_link_is_done, isopod_link_next, isopod_link_repeat, isopod_link_resend,
    isopod_link_room, ISOPOD_OK,
};
use proptest::prelude::*;

/// The sender with its memory.
struct Sender {
    link: Link,
    _memory: Vec<u8>,
}

impl Sender {
    fn new(packet_bytes: u16, slots: usize, transfer: u16) -> Self {
        let mut memory = vec![0; usize::from(packet_bytes) * slots];
        let mut link = Link::default();
        // SAFETY: the memory lives as long as the link and does not move.
        let status = unsafe {
            isopod_link_begin(
                &mut link,
                memory.as_mut_ptr().cast(),
                memory.len(),
                packet_bytes,
                transfer,
            )
        };
        assert_eq!(status, ISOPOD_OK);
        Self {
            link,
            _memory: memory,
        }
    }

    /// Hands over as many bytes as there is room for, and gives the rest.
    fn give<'a>(&mut self, mut bytes: &'a [u8], ended: &mut bool) -> &'a [u8] {
        while !*ended {
            let mut room = 0;
            // SAFETY: a link that has begun.
            let at = unsafe { isopod_link_room(&mut self.link, &mut room) };
            if at.is_null() {
                break;
            }
            let (now, later) = bytes.split_at(room.min(bytes.len()));
            *ended = later.is_empty();
            // SAFETY: `room` bytes may be written there.
            let status = unsafe {
                std::ptr::copy_nonoverlapping(now.as_ptr(), at, now.len());
                isopod_link_give(&mut self.link, now.len(), (*ended).into())
            };
            assert_eq!(status, ISOPOD_OK);
            bytes = later;
        }
        bytes
    }

    fn next(&mut self) -> Option<Vec<u8>> {
        let mut packet = std::ptr::null();
        // SAFETY: a link that has begun; the packet lies in its memory.
        unsafe {
            let length = isopod_link_next(&mut self.link, &mut packet);
            (length != 0).then(|| std::slice::from_raw_parts(packet, length).to_vec())
        }
    }

    /// All packets of bytes that fit into the memory; once more after the first time.
    fn all(packet_bytes: u16, transfer: u16, bytes: &[u8]) -> Vec<Vec<u8>> {
        let mut sender = Self::new(packet_bytes, 32, transfer);
        assert!(sender.give(bytes, &mut false).is_empty());
        let first: Vec<_> = std::iter::from_fn(|| sender.next()).collect();
        // SAFETY: a link that has begun.
        unsafe { isopod_link_resend(&mut sender.link) };
        let again: Vec<_> = std::iter::from_fn(|| sender.next()).collect();
        assert_eq!(first, again);
        first
    }

    fn answered(&mut self, packet: &[u8]) {
        // SAFETY: bytes of any content may be given.
        unsafe { isopod_link_acknowledge(&mut self.link, packet.as_ptr(), packet.len()) }
    }

    fn is_done(&self) -> bool {
        // SAFETY: a link that has begun.
        unsafe { isopod_link_is_done(&self.link) != 0 }
    }
}

/// The fate of the next packet on the channel: 0 to 5 of 16 lose, damage, repeat or hold it back.
fn pass(packet: Vec<u8>, fate: u8, late: &mut Vec<Vec<u8>>) -> Vec<Vec<u8>> {
    match fate {
        0 | 1 => vec![],
        2 => {
            let mut damaged = serial_bytes(&packet);
            let at = damaged.len() / 2;
            damaged[at] ^= 1;
            let mut reader = SerialReader::default();
            damaged
                .iter()
                .filter_map(|byte| reader.read(*byte))
                .collect()
        }
        3 => vec![packet.clone(), packet],
        4 => {
            late.push(packet);
            vec![]
        }
        5 => std::iter::once(packet).chain(late.drain(..)).collect(),
        _ => vec![packet],
    }
}

fn transfer(
    receiver: &mut Receiver,
    bytes: &[u8],
    mut sender: Sender,
    fates: &mut impl Iterator<Item = u8>,
) -> Vec<Vec<u8>> {
    let (mut left, mut ended, mut late, mut whole) = (bytes, false, Vec::new(), Vec::new());
    let mut rounds = 0;
    while !sender.is_done() {
        rounds += 1;
        assert!(rounds < 1_000_000, "the transfer ends");
        left = sender.give(left, &mut ended);
        let Some(packet) = sender.next() else {
            // SAFETY: a link that has begun.
            unsafe { isopod_link_repeat(&mut sender.link) };
            continue;
        };
        for arrived in pass(packet, fates.next().unwrap() % 16, &mut late) {
            let event = receiver.take(&arrived);
            whole.extend(event.whole);
            if let Some(answer) = event.answer.filter(|_| fates.next().unwrap() % 8 > 1) {
                sender.answered(&answer);
            }
        }
    }
    whole
}

/// Packets that a transfer takes where none is lost.
fn packets_of(bytes: &[u8], packet_bytes: u16) -> usize {
    let (mut sender, mut receiver) = (Sender::new(packet_bytes, 8, 1), Receiver::default());
    let (mut left, mut ended, mut count) = (bytes, false, 0);
    while !sender.is_done() {
        left = sender.give(left, &mut ended);
        count += 1;
        let event = receiver.take(&sender.next().expect("a packet"));
        if let Some(answer) = event.answer {
            sender.answered(&answer);
        }
    }
    count
}

/// Payloads of LoRaWAN at DR0, DR3 and DR4, there also without repeater, and of Bluetooth LE at ATT_MTU 23 and 247; the numbers
/// of packets are those of spec/link.md.
#[test]
fn payloads_of_lorawan_and_bluetooth_carry_a_frame() {
    let frame: Vec<u8> = (0..6745_u32)
        .map(|place| ((place * 31) >> 2) as u8)
        .collect();
    let payloads = [
        (51, 147),
        (115, 62),
        (222, 32),
        (242, 29),
        (20, 450),
        (244, 29),
    ];
    for (packet_bytes, packets) in payloads {
        assert_eq!(packets_of(&frame, packet_bytes), packets, "{packet_bytes}");
        let mut fates = (0..97_u8).map(|fate| fate.wrapping_mul(101)).cycle();
        let arrived = transfer(
            &mut Receiver::default(),
            &frame,
            Sender::new(packet_bytes, 8, 1),
            &mut fates,
        );
        assert_eq!(arrived, vec![frame.clone()], "{packet_bytes}");
    }
}

/// Packets of a transfer without answers in which every byte is its number.
fn numbered(transfer: u16, count: u16) -> Vec<Vec<u8>> {
    let bytes: Vec<u8> = (0..4 * count).map(|place| (place / 4) as u8).collect();
    Sender::all(9, transfer, &bytes)
}

#[test]
fn a_number_that_comes_again_begins_another_transfer() {
    let (long, short) = (numbered(7, 6), Sender::all(9, 7, &[9; 12]));
    for before in [&long[..5], &long[4..5], &long[..1], &short[1..]] {
        let mut transfers = Transfers::default();
        let mut take = |packet: &Vec<u8>| transfers.take((), packet, 0).unwrap();
        assert_eq!(before.iter().find_map(&mut take), None);
        let whole: Vec<_> = short.iter().chain(&short).filter_map(take).collect();
        assert_eq!(whole.last(), Some(&vec![9; 12]), "{before:?}");
    }
}

#[test]
fn bytes_that_are_no_packet_are_refused_and_change_nothing() {
    let packets = numbered(7, 3);
    let mut transfers = Transfers::default();
    let mut beyond = packets[1].clone();
    beyond[3] = 32;
    for (wrong, wanted) in [
        (&packets[0][..4], LinkError::Packet(4)),
        (&[0x80, 7, 0, 0, 0, 0, 0, 0, 0][..], LinkError::Packet(9)),
        (&beyond, LinkError::Number(32)),
    ] {
        assert_eq!(transfers.take((), wrong, 0), Err(wanted));
    }
    assert!(transfers.is_empty());
    assert!(LinkError::Number(32)
        .to_string()
        .starts_with("fragment: number 32; allowed are 0 to 31"));
}

#[test]
fn transfers_are_given_up_by_sender_by_memory_and_by_time() {
    let first = |sender: u32, transfer: u16, bytes: usize, time, into: &mut Transfers<u32>| {
        let packet = [
            &[0x10][..],
            &transfer.to_le_bytes(),
            &[0, 0],
            &vec![0; bytes],
        ]
        .concat();
        assert_eq!(into.take(sender, &packet, time), Ok(None));
    };
    let mut transfers = Transfers::default();
    for transfer in 0..9 {
        first(1, transfer, 10, 0, &mut transfers);
    }
    assert_eq!(transfers.len(), 4);
    first(2, 0, 10, 24 * 3_600_000, &mut transfers);
    assert_eq!(transfers.len(), 5);
    first(2, 0, 10, 24 * 3_600_000 + 1, &mut transfers);
    assert_eq!(transfers.len(), 1);
    for sender in 0..50_000 {
        first(sender, 0, 1600, 24 * 3_600_000 + 1, &mut transfers);
    }
    assert_eq!(transfers.len(), (64 << 20) / 1728);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Each packet comes at least once in some order, mixed with others of its sender and of other senders.
    #[test]
    fn what_comes_at_all_is_whole_without_answers(
        lengths in prop::collection::vec((0_u8..3, 0_usize..600), 1..4),
        packet_bytes in 30_u16..80,
        picks in prop::collection::vec(any::<prop::sample::Index>(), 300),
    ) {
        let contents: Vec<(u8, Vec<u8>)> = lengths.iter().enumerate()
            .map(|(number, (sender, length))| (*sender, (0..*length).map(|i| (i * 31 + number) as u8).collect()))
            .collect();
        let mut packets: Vec<(u8, Vec<u8>)> = Vec::new();
        for (number, (sender, bytes)) in contents.iter().enumerate() {
            packets.extend(Sender::all(packet_bytes, number as u16, bytes).into_iter().map(|packet| (*sender, packet)));
        }
        let mut order: Vec<usize> = picks.iter().take(100).map(|pick| pick.index(packets.len())).collect();
        order.extend(0..packets.len());
        for (place, pick) in picks.iter().enumerate() {
            let (one, two) = (place % order.len(), pick.index(order.len()));
            order.swap(one, two);
        }
        let mut transfers = Transfers::default();
        let mut whole: Vec<(u8, Vec<u8>)> = Vec::new();
        for at in order {
            let (sender, packet) = &packets[at];
            whole.extend(transfers.take(*sender, packet, at as u64).unwrap().map(|bytes| (*sender, bytes)));
        }
        for content in &contents {
            prop_assert!(whole.contains(content));
        }
        for found in &whole {
            prop_assert!(contents.contains(found));
        }
    }

    #[test]
    fn everything_arrives_once_and_in_order(
        lengths in prop::collection::vec(0_usize..4000, 1..4),
        packet_bytes in 9_u16..300,
        slots in 1_usize..40,
        fates in prop::collection::vec(any::<u8>(), 997),
    ) {
        let (mut receiver, mut fates) = (Receiver::default(), fates.into_iter().cycle());
        for (number, length) in lengths.into_iter().enumerate() {
            let bytes: Vec<u8> = (0..length).map(|i| (i * 31 + number) as u8).collect();
            let sender = Sender::new(packet_bytes, slots, number as u16);
            prop_assert_eq!(transfer(&mut receiver, &bytes, sender, &mut fates), vec![bytes]);
        }
        prop_assert_eq!(receiver.unfinished(), None);
    }

    #[test]
    fn packets_of_any_bytes_do_no_harm(packets in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 0..60)) {
        let (mut receiver, mut transfers) = (Receiver::default(), Transfers::default());
        for packet in &packets {
            receiver.take(packet);
            let _ = transfers.take(packet.len() % 2, packet, 0);
        }
    }

    #[test]
    fn streams_of_any_bytes_do_no_harm(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
        let mut reader = SerialReader::default();
        for byte in &bytes {
            reader.read(*byte);
        }
        let packet = vec![7; 300];
        let found: Vec<_> = serial_bytes(&packet).iter().filter_map(|byte| reader.read(*byte)).collect();
        prop_assert_eq!(found, vec![packet]);
    }

    #[test]
    fn one_lost_byte_costs_one_packet(
        packets in prop::collection::vec(prop::collection::vec(0_u8..3, 1..600), 1..6),
        place in any::<prop::sample::Index>(),
    ) {
        let mut stream: Vec<u8> = packets.iter().flat_map(|packet| serial_bytes(packet)).collect();
        stream.remove(place.index(stream.len()));
        let mut reader = SerialReader::default();
        let found = stream.iter().filter_map(|byte| reader.read(*byte)).count();
        prop_assert!(found + 1 >= packets.len());
    }
}
