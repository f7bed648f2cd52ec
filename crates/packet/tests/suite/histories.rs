//! A hostile network: packets are lost, repeated, reordered, forged and replayed, and devices restart. Whatever happens, a packet
//! is taken for the one that its device sent, or refused.
#![allow(clippy::unwrap_used)]

use crate::support::{name, server, Sender, Store, KEY_ID, SET};
use isopod_packet::Window;
use isopod_wire::FrameId;
use proptest::prelude::*;
use std::collections::BTreeSet;

proptest! {
    #[test]
    fn sixteen_bits_stand_for_one_sequence_of_the_window(next: u64, ahead in 0u64..65_536) {
        let begin = next.saturating_sub(4096);
        let window = Window { epoch: 1, next };
        let wanted = begin.checked_add(ahead);
        if let Some(sequence) = wanted {
            let counted = Some(sequence).filter(|&sequence| sequence < FrameId::RANDOM);
            prop_assert_eq!(window.restore(sequence as u16), counted);
        }
    }
}

/// One event.
#[derive(Debug, Clone)]
enum Step {
    /// The device sends a packet, after it skipped some sequences, and the network keeps it.
    Send(u16),
    /// The network delivers a packet that it has, perhaps not for the first time.
    Deliver(prop::sample::Index),
    /// The network delivers a packet with a changed byte.
    Forge(prop::sample::Index, prop::sample::Index, u8),
    /// The device restarts with a new epoch; its announcement arrives or not.
    Restart(bool),
    /// Somebody repeats an old announcement.
    Repeat(prop::sample::Index),
}

fn step() -> impl Strategy<Value = Step> {
    let skips = prop_oneof![8 => Just(0u16), 1 => 0u16..4096, 1 => any::<u16>()];
    prop_oneof![
        6 => skips.prop_map(Step::Send),
        6 => any::<prop::sample::Index>().prop_map(Step::Deliver),
        2 => any::<(prop::sample::Index, prop::sample::Index, u8)>().prop_map(|(at, byte, by)| Step::Forge(at, byte, by)),
        1 => any::<bool>().prop_map(Step::Restart),
        1 => any::<prop::sample::Index>().prop_map(Step::Repeat),
    ]
}

/// A device, what it sent, and what the server learned.
struct World {
    sent: Vec<(FrameId, Vec<u8>)>,
    items: Vec<Vec<u8>>,
    sender: Sender,
    next: FrameId,
    /// Newest epoch of which the server heard, and its next sequence.
    known: (u32, u64),
    taken: BTreeSet<FrameId>,
}

impl World {
    fn new() -> Self {
        let sender = Sender::usual(name(7, 1, 0));
        Self {
            sent: Vec::new(),
            items: vec![sender.item()],
            sender,
            next: name(7, 1, 0),
            known: (1, 0),
            taken: BTreeSet::new(),
        }
    }

    fn learn(&mut self, epoch: u32, next: u64) {
        self.known = self.known.max((epoch, next));
    }

    /// Whether the server must take a packet: of the newest epoch that it knows, and in its window.
    fn must_take(&self, name: FrameId) -> bool {
        let (epoch, next) = self.known;
        let begin = next.saturating_sub(4096);
        name.epoch == epoch && (begin..begin + 65_536).contains(&name.sequence)
    }
}

fn run(steps: Vec<Step>) -> Result<usize, TestCaseError> {
    let keys = server(SET, KEY_ID);
    let mut contexts = Store::new(keys);
    let mut world = World::new();
    contexts.register(&world.items[0]).unwrap();
    for step in steps {
        match step {
            Step::Send(skipped) => {
                world.next.sequence += u64::from(skipped);
                let packet = world.sender.packet(world.next);
                world.sent.push((world.next, packet));
                world.next.sequence += 1;
            }
            Step::Deliver(at) if !world.sent.is_empty() => {
                let (name, packet) = at.get(&world.sent).clone();
                match contexts.open(None, &packet) {
                    Ok(frame) => {
                        prop_assert_eq!(frame.header.id, name);
                        contexts.observe(name);
                        world.learn(name.epoch, name.sequence + 1);
                        world.taken.insert(name);
                    }
                    Err(error) => prop_assert!(!world.must_take(name), "{name:?}: {error}"),
                }
            }
            Step::Forge(at, byte, by) if !world.sent.is_empty() && by != 0 => {
                let (_, mut packet) = at.get(&world.sent).clone();
                let byte = byte.index(packet.len());
                packet[byte] ^= by;
                prop_assert!(contexts.open(None, &packet).is_err());
            }
            Step::Restart(arrives) => {
                world.next = name(7, world.next.epoch + 1, 0);
                world.sender = Sender::usual(world.next);
                world.items.push(world.sender.item());
                if arrives {
                    contexts.register(&world.sender.item()).unwrap();
                    world.learn(world.next.epoch, 0);
                }
            }
            Step::Repeat(at) => {
                let at = at.index(world.items.len());
                let before = world.known;
                contexts.register(&world.items[at]).unwrap();
                world.learn(at as u32 + 1, 0);
                prop_assert!(world.known >= before);
            }
            Step::Deliver(_) | Step::Forge(..) => {}
        }
    }
    Ok(world.taken.len())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_packet_is_taken_for_what_it_is_or_refused(steps in prop::collection::vec(step(), 1..120)) {
        run(steps)?;
    }
}

#[test]
fn a_quiet_network_delivers_everything() {
    let deliver = |_| Step::Deliver(any_index());
    let steps = (0..50)
        .flat_map(|at| [Step::Send(0), deliver(at)])
        .collect();
    assert!(run(steps).unwrap() > 10);
}

fn any_index() -> prop::sample::Index {
    let mut runner = proptest::test_runner::TestRunner::default();
    let tree = any::<prop::sample::Index>().new_tree(&mut runner).unwrap();
    proptest::strategy::ValueTree::current(&tree)
}
