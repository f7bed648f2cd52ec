//! Packets with counters of 16 bits: which sequence a server takes for a counter, and what replays do.

use isopod_keys::Seen;
use isopod_packet::Windows;
use isopod_wire::FrameId;
use stateright::{Model, Property};

/// Epochs of the device.
const EPOCHS: u8 = 2;
/// Sequences that are sent, at the edges of the replay window, of the window of counters, and of its first turn. All others were
/// lost.
const SEQUENCES: [u64; 6] = [0, 1023, 4096, 61_439, 65_536, 69_632];

/// A set of packets: a bit for each epoch and sequence.
type Packets = u16;

/// A mistake with packets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PacketFault {
    /// The tag covers the counter, and not the sequence.
    TagOfCounter,
    /// A restart sets the counter back in the same epoch.
    CounterSetBack,
}

/// Packets of one device, with a fault or none.
#[derive(Debug, Clone)]
pub struct PacketProtocol(pub Option<PacketFault>);

/// A packet: epoch, and place among the sequences.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Packet {
    epoch: u8,
    place: u8,
}

/// A step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PacketAction {
    /// The device sends the packet at a place, from its next one on.
    Send(u8),
    /// The device restarts, in a new epoch.
    Restart,
    /// The network delivers a packet that was sent at any time.
    Deliver(Packet),
    /// The network delivers the announcement of an epoch that began.
    Announce(u8),
    /// A server that lost its state takes what it knows from the frames that it stored.
    Recover,
}

/// A state of device, network and server.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct PacketState {
    epoch: u8,
    next: u8,
    sent: Packets,
    /// Packets that were stored under their own name.
    stored: Packets,
    /// Packets that were stored under another name.
    misnamed: Packets,
    /// Epochs whose announcement the server has.
    announced: u8,
    has_repeated: bool,
}

impl Packet {
    fn bit(self) -> Packets {
        1 << (usize::from(self.epoch) * SEQUENCES.len() + usize::from(self.place))
    }

    fn id(self) -> FrameId {
        FrameId {
            device: 1,
            epoch: self.epoch.into(),
            sequence: SEQUENCES[usize::from(self.place)],
        }
    }
}

fn packets(set: Packets) -> impl Iterator<Item = Packet> {
    let all = (0..EPOCHS)
        .flat_map(|epoch| (0..SEQUENCES.len() as u8).map(move |place| Packet { epoch, place }));
    all.filter(move |packet| set & packet.bit() != 0)
}

impl PacketProtocol {
    fn deliver(&self, state: &mut PacketState, packet: Packet) {
        let mut seen = Seen::default();
        for other in packets(state.stored) {
            seen.insert(other.id().epoch, other.id().sequence);
        }
        let mut windows = Windows::from(&seen);
        for epoch in (0..EPOCHS).filter(|epoch| state.announced & 1 << epoch != 0) {
            windows.raise(epoch.into(), 0);
        }
        let counter = packet.id().sequence as u16;
        let candidates = windows.each().filter_map(|window| {
            let sequence = window.restore(counter)?;
            Some(FrameId {
                device: 1,
                epoch: window.epoch,
                sequence,
            })
        });
        let is_any = self.0 == Some(PacketFault::TagOfCounter);
        let Some(name) = candidates
            .into_iter()
            .find(|&name| is_any || name == packet.id())
        else {
            return;
        };
        match seen.is_new(name) {
            Ok(true) if name == packet.id() => state.stored |= packet.bit(),
            Ok(true) => state.misnamed |= packet.bit(),
            _ => {}
        }
    }
}

impl Model for PacketProtocol {
    type State = PacketState;
    type Action = PacketAction;

    fn init_states(&self) -> Vec<PacketState> {
        // The context announces the first epoch.
        let announced = 1;
        vec![PacketState {
            announced,
            ..PacketState::default()
        }]
    }

    fn actions(&self, state: &PacketState, actions: &mut Vec<PacketAction>) {
        actions.extend((state.next..SEQUENCES.len() as u8).map(PacketAction::Send));
        if state.epoch + 1 < EPOCHS {
            actions.push(PacketAction::Restart);
        }
        actions.extend(packets(state.sent).map(PacketAction::Deliver));
        actions.extend((0..=state.epoch).map(PacketAction::Announce));
        actions.push(PacketAction::Recover);
    }

    fn next_state(&self, before: &PacketState, action: PacketAction) -> Option<PacketState> {
        let mut state = *before;
        match action {
            PacketAction::Send(place) => {
                let packet = Packet {
                    epoch: state.epoch,
                    place,
                };
                state.has_repeated |= state.sent & packet.bit() != 0;
                state.sent |= packet.bit();
                state.next = place + 1;
            }
            PacketAction::Restart => {
                if self.0 != Some(PacketFault::CounterSetBack) {
                    state.epoch += 1;
                }
                state.next = 0;
            }
            PacketAction::Deliver(packet) => self.deliver(&mut state, packet),
            PacketAction::Announce(epoch) => state.announced |= 1 << epoch,
            PacketAction::Recover => state.announced = 1,
        }
        Some(state).filter(|state| state != before)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(
                "no packet is stored under another name",
                |_, state: &PacketState| state.misnamed == 0,
            ),
            Property::always("no name repeats", |_, state: &PacketState| {
                !state.has_repeated
            }),
            Property::always(
                "nothing is stored that was not sent",
                |_, state: &PacketState| state.stored & !state.sent == 0,
            ),
            Property::sometimes(
                "every sequence of an epoch is stored",
                |_, state: &PacketState| state.stored.trailing_ones() >= SEQUENCES.len() as u32,
            ),
        ]
    }
}
