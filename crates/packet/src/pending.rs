//! Packets that wait for their context (`spec/packet.md`, section 6): bounded, as nobody knows yet whether they are authentic.

use std::collections::{BTreeMap, VecDeque};

/// Packets of one device.
const OF_DEVICE: usize = 64;
/// Packets of all devices.
const IN_ALL: usize = 65_536;
/// Bytes of the packets of all devices.
const BYTES_IN_ALL: usize = 16 << 20;
/// Seconds that a packet waits.
const SECONDS: u64 = 7 * 24 * 3600;

/// A packet as it came, and when.
struct Waiting {
    /// Order of arrival over all devices.
    arrival: u64,
    time: u64,
    context: u8,
    packet: Vec<u8>,
}

/// Packets of unknown contexts, the oldest of each device first.
#[derive(Default)]
pub struct PendingPackets {
    devices: BTreeMap<u64, VecDeque<Waiting>>,
    /// First arrival of each device, to its number: the oldest packet of all.
    oldest: BTreeMap<u64, u64>,
    arrivals: u64,
    count: usize,
    bytes: usize,
}

impl PendingPackets {
    /// Keeps a packet that came at a time, in seconds, unless it waits already. Where there are too many, the oldest ones go.
    pub fn keep(&mut self, device: u64, context: u8, time: u64, packet: &[u8]) {
        self.forget_before(time.saturating_sub(SECONDS));
        let mut waiting = self.devices.get(&device).into_iter().flatten();
        if waiting.any(|one| one.packet == packet) {
            return;
        }
        if self.devices.get(&device).map_or(0, VecDeque::len) >= OF_DEVICE {
            self.forget_first(device);
        }
        while self.count >= IN_ALL || self.count > 0 && self.bytes + packet.len() > BYTES_IN_ALL {
            self.forget_oldest();
        }
        let waiting = self.devices.entry(device).or_default();
        if waiting.is_empty() {
            self.oldest.insert(self.arrivals, device);
        }
        waiting.push_back(Waiting {
            arrival: self.arrivals,
            time,
            context,
            packet: packet.to_vec(),
        });
        self.arrivals += 1;
        self.count += 1;
        self.bytes += packet.len();
    }

    /// The packets of a context that has come, in the order of their arrival. They no longer wait.
    pub fn take(&mut self, device: u64, context: u8) -> Vec<Vec<u8>> {
        let Some(waiting) = self.devices.remove(&device) else {
            return Vec::new();
        };
        if let Some(first) = waiting.front() {
            self.oldest.remove(&first.arrival);
        }
        let (taken, rest): (VecDeque<_>, VecDeque<_>) =
            waiting.into_iter().partition(|one| one.context == context);
        self.count -= taken.len();
        self.bytes -= taken.iter().map(|one| one.packet.len()).sum::<usize>();
        self.put_back(device, rest);
        taken.into_iter().map(|one| one.packet).collect()
    }

    /// How many packets wait.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether none waits.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    fn put_back(&mut self, device: u64, waiting: VecDeque<Waiting>) {
        if let Some(first) = waiting.front() {
            self.oldest.insert(first.arrival, device);
            self.devices.insert(device, waiting);
        }
    }

    fn forget_first(&mut self, device: u64) {
        let Some(mut waiting) = self.devices.remove(&device) else {
            return;
        };
        if let Some(first) = waiting.pop_front() {
            self.oldest.remove(&first.arrival);
            self.count -= 1;
            self.bytes -= first.packet.len();
        }
        self.put_back(device, waiting);
    }

    fn forget_oldest(&mut self) {
        let oldest = self.oldest.first_key_value();
        if let Some(device) = oldest.map(|(_, device)| *device) {
            self.forget_first(device);
        }
    }

    fn forget_before(&mut self, time: u64) {
        while let Some(device) = self.oldest.first_key_value().map(|(_, device)| *device) {
            let first = self.devices.get(&device).and_then(VecDeque::front);
            if first.is_none_or(|first| first.time >= time) {
                return;
            }
            self.forget_first(device);
        }
    }
}
