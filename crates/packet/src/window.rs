//! Where the sequences of a device are (`spec/packet.md`, section 5).

use isopod_wire::codes::limit::PACKET_REORDER;

/// Values of a packet's counter.
const COUNTERS: u64 = 1 << 16;

/// The largest sequence of an epoch that the server knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// The epoch.
    pub epoch: u32,
    /// Its next sequence: one behind the largest known one, or 0.
    pub next: u64,
}

impl Window {
    /// The only sequence of the window with these low 16 bits; None at the end of all sequences.
    pub fn restore(self, counter: u16) -> Option<u64> {
        let begin = self.next.saturating_sub(PACKET_REORDER as u64);
        let ahead = u64::from(counter).wrapping_sub(begin) % COUNTERS;
        begin.checked_add(ahead)
    }
}

/// Windows of the newest epoch of a device and of the one before.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Windows {
    newest: Option<Window>,
    before: Option<Window>,
}

impl Windows {
    /// The windows in which a packet may be, the newest first.
    pub fn each(self) -> impl Iterator<Item = Window> {
        [self.newest, self.before].into_iter().flatten()
    }

    /// Learns that sequences of an epoch below `next` were used. What is older changes nothing.
    pub fn raise(&mut self, epoch: u32, next: u64) {
        let found = Window { epoch, next };
        match self.newest {
            Some(newest) if newest.epoch == epoch => {
                self.newest = Some(Window {
                    next: next.max(newest.next),
                    ..newest
                });
            }
            Some(newest) if newest.epoch > epoch => self.raise_before(found),
            newest => {
                self.before = newest;
                self.newest = Some(found);
            }
        }
    }

    /// A frame of the epoch before may still come.
    fn raise_before(&mut self, found: Window) {
        match &mut self.before {
            Some(before) if before.epoch == found.epoch => {
                before.next = before.next.max(found.next);
            }
            _ => {}
        }
    }
}
