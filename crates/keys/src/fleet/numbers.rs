//! Sets of device numbers as spans, so that a fleet that is numbered one by one takes one, however large it is.

use std::collections::BTreeMap;

use crate::record::Numbers;

/// Consecutive device numbers, first and last.
pub type Span = (u64, u64);

/// A set of device numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeviceNumbers(BTreeMap<u64, u64>);

impl DeviceNumbers {
    /// Whether the number is in the set.
    pub fn contains(&self, device: u64) -> bool {
        let span = self.0.range(..=device).next_back();
        span.is_some_and(|(_, &last)| device <= last)
    }

    /// Adds a number; false if it was there.
    pub fn insert(&mut self, device: u64) -> bool {
        if self.contains(device) {
            return false;
        }
        let before = self.0.range(..device).next_back();
        let before = before.filter(|(_, &last)| last.checked_add(1) == Some(device));
        let first = before.map_or(device, |(&first, _)| first);
        let after = device.checked_add(1).and_then(|next| self.0.remove(&next));
        self.0.insert(first, after.unwrap_or(device));
        true
    }

    /// The numbers as spans, ascending and maximal.
    pub fn spans(&self) -> impl Iterator<Item = Span> + '_ {
        self.0.iter().map(|(&first, &last)| (first, last))
    }

    /// The numbers, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u64> + '_ {
        self.spans().flat_map(|(first, last)| first..=last)
    }

    /// Whether there is no number.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many spans there are.
    pub fn span_count(&self) -> usize {
        self.0.len()
    }

    /// How many numbers there are.
    pub fn count(&self) -> u128 {
        let sizes = self.spans().map(|(first, last)| u128::from(last - first));
        sizes.map(|size| size + 1).sum()
    }

    /// Appends what [`DeviceNumbers::parse`] reads.
    pub(crate) fn write(&self, bytes: &mut Vec<u8>) {
        bytes.extend((self.0.len() as u64).to_le_bytes());
        for (first, last) in self.spans() {
            bytes.extend(first.to_le_bytes());
            bytes.extend(last.to_le_bytes());
        }
    }

    /// A set from its bytes; None for spans that are out of order or that are one.
    pub(crate) fn parse(numbers: &mut Numbers<'_>) -> Option<Self> {
        let mut set = Self::default();
        let mut least = Some(0);
        for _ in 0..numbers.u64()? {
            let (first, last) = (numbers.u64()?, numbers.u64()?);
            if first < least? || last < first {
                return None;
            }
            set.0.insert(first, last);
            least = last.checked_add(2);
        }
        Some(set)
    }
}

impl Extend<u64> for DeviceNumbers {
    fn extend<T: IntoIterator<Item = u64>>(&mut self, devices: T) {
        devices.into_iter().for_each(|device| {
            self.insert(device);
        });
    }
}

impl std::fmt::Display for DeviceNumbers {
    /// `1-20, 23`, at most the first eight spans.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        const SHOWN: usize = 8;
        let text = |(first, last): Span| match first == last {
            true => first.to_string(),
            false => format!("{first}-{last}"),
        };
        let shown: Vec<String> = self.spans().take(SHOWN).map(text).collect();
        let more = if self.0.len() > SHOWN { ", ..." } else { "" };
        write!(formatter, "{}{more}", shown.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::DeviceNumbers;
    use crate::record::Numbers;

    proptest! {
        #[test]
        fn spans_are_a_set(
            devices in prop::collection::vec(0u64..40, 0..60),
            offset in prop::sample::select(vec![0, u64::MAX - 39]),
        ) {
            let (mut spans, mut set) = (DeviceNumbers::default(), BTreeSet::new());
            for device in devices.into_iter().map(|device| device + offset) {
                prop_assert_eq!(spans.insert(device), set.insert(device));
            }
            prop_assert!(spans.iter().eq(set.iter().copied()));
            prop_assert_eq!(spans.count(), set.len() as u128);
            let mut bytes = Vec::new();
            spans.write(&mut bytes);
            let mut numbers = Numbers(&bytes);
            prop_assert_eq!(DeviceNumbers::parse(&mut numbers), Some(spans));
            prop_assert!(numbers.0.is_empty());
        }
    }

    #[test]
    fn spans_out_of_order_are_refused() {
        let read = |spans: &[u64]| {
            let mut bytes = ((spans.len() / 2) as u64).to_le_bytes().to_vec();
            bytes.extend(spans.iter().flat_map(|number| number.to_le_bytes()));
            DeviceNumbers::parse(&mut Numbers(&bytes))
        };
        assert!(read(&[0, 1, 3, 3]).is_some());
        for other in [
            &[0, 1, 2, 3][..],
            &[3, 3, 0, 1],
            &[2, 1],
            &[0, u64::MAX, 4, 5],
        ] {
            assert_eq!(read(other), None);
        }
        assert_eq!(
            read(&[0, 1, 3, 3]).map_or(String::new(), |set| set.to_string()),
            "0-1, 3"
        );
    }
}
