//! Refusals, each by the name of its field and what is allowed; nothing changes by it.
#![allow(clippy::unwrap_used)]

use crate::support::{header, name, server, Sender, Store, FORM, KEY_ID, SET};
use isopod_packet::PacketError;
use isopod_wire::{
    Context, FrameHeader, FrameId, Kind, Layout, Naming, PacketForm, Suite, WireError,
};

fn refusal(change: impl Fn(&mut FrameHeader, &mut PacketForm)) -> String {
    let (mut header, mut form) = (header(name(7, 1, 0)), FORM);
    change(&mut header, &mut form);
    Context::new(&header, 3, form).unwrap_err().to_string()
}

#[test]
fn contexts_that_no_packet_has() {
    for (problem, wanted) in [
        (
            refusal(|header, _| header.kind = Kind::PublicKey),
            "frame: 1",
        ),
        (
            refusal(|header, _| header.suite = Suite::Shake256),
            "suite: 2",
        ),
        (
            refusal(|header, _| header.id.device = 1 << 32),
            "device_bytes: 4",
        ),
        (refusal(|_, form| form.device_bytes = 3), "device_bytes: 3"),
        (refusal(|_, form| form.tag_bytes = 12), "tag_bytes: 12"),
        (refusal(|header, _| header.count = 1025), "count"),
        (
            refusal(|header, _| header.layout = Layout::Slots),
            "layout: 0",
        ),
    ] {
        assert!(
            problem.contains(wanted) && problem.contains("allowed"),
            "{problem}"
        );
    }
    let long = refusal(|header, _| {
        header.count = 800;
        header.claims.stride = 800;
        header.rounding.as_mut().unwrap().run = 800;
    });
    assert!(long.contains("1600 bytes at most"), "{long}");
    let message = Context::new(&header(name(7, 1, 0)), 64, FORM).unwrap_err();
    assert!(message.to_string().contains("number: 64"), "{message}");
}

#[test]
fn every_changed_byte_of_a_context_and_of_a_packet() {
    let sender = Sender::usual(name(7, 1, 0));
    let (item, packet) = (sender.item(), sender.packet(name(7, 1, 5)));
    let mut contexts = Store::new(server(SET, KEY_ID));
    for at in 0..item.len() {
        let mut changed = item.clone();
        changed[at] ^= 1 << (at % 8);
        assert!(contexts.register(&changed).is_err(), "byte {at}");
    }
    contexts.register(&item).unwrap();
    for at in 0..packet.len() {
        let mut changed = packet.clone();
        changed[at] ^= 1 << (at % 8);
        assert!(contexts.open(None, &changed).is_err(), "byte {at}");
    }
    assert_eq!(
        contexts.open(None, &packet).unwrap().header.id,
        name(7, 1, 5)
    );
    for cut in 0..item.len() {
        assert!(contexts.register(&item[..cut]).is_err());
    }
}

#[test]
fn packets_of_another_length_context_or_sender() {
    let keys = server(SET, KEY_ID);
    let sender = Sender::usual(name(7, 1, 0));
    let packet = sender.packet(name(7, 1, 5));
    let mut contexts = Store::new(keys);
    let unknown = PacketError::Wire(WireError::UnknownContext {
        device: 7,
        number: 3,
    });
    assert_eq!(contexts.open(None, &packet).unwrap_err(), unknown);
    contexts.register(&sender.item()).unwrap();
    let short = contexts
        .open(None, &packet[..packet.len() - 1])
        .unwrap_err();
    let long = contexts
        .open(None, &[&packet[..], &[0]].concat())
        .unwrap_err();
    for (error, bytes) in [(short, 41), (long, 43)] {
        let wanted = format!("packet: {bytes} bytes or elements; allowed is 42");
        assert_eq!(error.to_string(), wanted);
    }
    let other = contexts.open(Some(8), &packet).unwrap_err();
    assert_eq!(
        other,
        PacketError::OtherSender {
            found: 7,
            transport: 8
        }
    );
    assert!(contexts.open(None, &[]).is_err());
    assert!(contexts.open(None, &[0xff; 42]).is_err());
    let nobody = Sender::new(
        &header(name(7, 1, 0)),
        4,
        PacketForm {
            device_bytes: 0,
            ..FORM
        },
    );
    contexts.register(&nobody.item()).unwrap();
    let packet = nobody.packet(name(7, 1, 6));
    assert_eq!(
        contexts.open(None, &packet).unwrap_err(),
        PacketError::NoSender
    );
    assert_eq!(
        contexts.open(Some(7), &packet).unwrap().header.id,
        name(7, 1, 6)
    );
    assert!(contexts.open(Some(9), &packet).is_err());
}

#[test]
fn contexts_of_another_key_pair_and_of_a_number_that_is_taken() {
    let first = Sender::usual(name(7, 1, 0));
    let refused = Store::new(server(SET, [6; 16])).register(&first.item());
    assert_eq!(refused.unwrap_err(), PacketError::OtherKey);

    let keys = server(SET, KEY_ID);
    let mut contexts = Store::new(keys);
    contexts.register(&first.item()).unwrap();
    contexts.register(&first.item()).unwrap();
    let another = |epoch| {
        let mut header = header(name(7, epoch, 0));
        header.log2_scale = 17;
        Sender::new(&header, 3, FORM)
    };
    let taken = PacketError::Occupied {
        device: 7,
        number: 3,
        epoch: 1,
    };
    assert_eq!(contexts.register(&another(1).item()).unwrap_err(), taken);
    // A newer epoch takes the number; packets of the epoch before are still those of the old context.
    let second = another(2);
    contexts.register(&second.item()).unwrap();
    let old = contexts.open(None, &first.packet(name(7, 1, 9))).unwrap();
    assert_eq!((old.header.log2_scale, old.header.id.epoch), (18, 1));
    let new = contexts.open(None, &second.packet(name(7, 2, 0))).unwrap();
    assert_eq!((new.header.log2_scale, new.header.id.epoch), (17, 2));
    let mixed = contexts.open(None, &second.packet(name(7, 1, 10)));
    assert_eq!(mixed.unwrap_err(), PacketError::Wire(WireError::Tag));
}

#[test]
fn short_tags_cannot_be_guessed_for_ever() {
    let keys = server(SET, KEY_ID);
    let form = PacketForm {
        tag_bytes: 4,
        ..FORM
    };
    let sender = Sender::new(&header(name(7, 1, 0)), 3, form);
    let mut contexts = Store::new(keys);
    contexts.register(&sender.item()).unwrap();
    let mut forged = sender.packet(name(7, 1, 1));
    let last = forged.len() - 1;
    forged[last] ^= 1;
    for _ in 0..1 << 16 {
        let refused = contexts.open(None, &forged).unwrap_err();
        assert_eq!(refused, PacketError::Wire(WireError::Tag));
    }
    let good = sender.packet(name(7, 1, 1));
    let refused = contexts.open(None, &good).unwrap_err();
    assert_eq!(refused, PacketError::Guessed { device: 7 });
    // Whoever repeats an announcement changes nothing; only the device and its owner can make a newer one.
    contexts.register(&sender.item()).unwrap();
    assert!(contexts.open(None, &good).is_err());
    let newer = Sender::new(&header(name(7, 1, 1)), 3, form);
    contexts.register(&newer.item()).unwrap();
    contexts.open(None, &good).unwrap();
}

#[test]
fn random_counters_are_taken_in_any_order() {
    let form = PacketForm {
        naming: Naming::Random,
        ..FORM
    };
    let sender = Sender::new(&header(name(7, 1, 0)), 3, form);
    let mut contexts = Store::new(server(SET, KEY_ID));
    contexts.register(&sender.item()).unwrap();
    for counter in [u64::from(u32::MAX), 0, 1 << 20, 5] {
        let of = name(7, 1, FrameId::RANDOM | 3 << 32 | counter);
        let frame = contexts.open(None, &sender.packet(of)).unwrap();
        assert_eq!(frame.header.id, of);
        contexts.observe(of);
    }
}
