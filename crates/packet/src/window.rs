//! Where the sequences of a device are (`spec/packet.md`, section 5).

use isopod_keys::Seen;
use isopod_wire::codes::limit::PACKET_REORDER;
use isopod_wire::FrameId;

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
    /// The only sequence of the window with these low 16 bits; None at the end of all sequences that are counted.
    pub fn restore(self, counter: u16) -> Option<u64> {
        let begin = self.next.saturating_sub(PACKET_REORDER as u64);
        let ahead = u64::from(counter).wrapping_sub(begin) % COUNTERS;
        let sequence = begin.checked_add(ahead);
        sequence.filter(|&sequence| sequence < FrameId::RANDOM)
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

    /// The windows that follow from both.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        // The older one first: what comes before the newest is kept.
        for window in [other.before, other.newest].into_iter().flatten() {
            self.raise(window.epoch, window.next);
        }
        self
    }

    /// Whether an announcement of this name is newer than all before it.
    pub fn is_raised_by(self, announced: FrameId) -> bool {
        let newest = self.newest.map(|newest| (newest.epoch, newest.next));
        newest < Some((announced.epoch, announced.sequence))
    }

    fn raise_before(&mut self, found: Window) {
        match &mut self.before {
            Some(before) if before.epoch == found.epoch => {
                before.next = before.next.max(found.next);
            }
            Some(before) if before.epoch > found.epoch => {}
            before => *before = Some(found),
        }
    }
}

impl From<&Seen> for Windows {
    /// The windows of a device whose frames were seen.
    fn from(seen: &Seen) -> Self {
        let mut windows = Self::default();
        for (epoch, last) in seen.epochs().take(2) {
            windows.raise(epoch, last.map_or(0, |last| last.saturating_add(1)));
        }
        windows
    }
}
