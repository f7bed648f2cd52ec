//! Partitions of a topic, and the one that a device has.

use std::fmt;

/// A partition of a topic.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Partition {
    /// Name of the topic.
    pub topic: String,
    /// Number of the partition.
    pub number: i32,
}

impl Partition {
    /// Key of a device's records: its number, the highest byte first.
    pub fn key_of_device(device: u64) -> [u8; 8] {
        device.to_be_bytes()
    }

    /// Number of the partition that has a device's records, of so many: that of Kafka's default partitioner for the key.
    pub fn of_device(device: u64, partitions: i32) -> i32 {
        let hash = murmur2(&Self::key_of_device(device)) & 0x7fff_ffff;
        // At least one partition, and a hash below 2^31.
        (hash % partitions.max(1) as u32) as i32
    }

    /// Name of the partition as a writer of tables.
    pub(crate) fn writer(&self) -> String {
        self.to_string()
    }

    /// Name of the partition's folder.
    pub(crate) fn folder(&self) -> String {
        format!("{}-{}", self.topic, self.number)
    }
}

impl fmt::Display for Partition {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.topic, self.number)
    }
}

/// MurmurHash2 of Kafka's partitioner: 32 bits, seed 0x9747b28c.
fn murmur2(bytes: &[u8]) -> u32 {
    const M: u32 = 0x5bd1_e995;
    let mix = |word: u32| {
        let word = word.wrapping_mul(M);
        (word ^ (word >> 24)).wrapping_mul(M)
    };
    let mut hash = 0x9747_b28c ^ bytes.len() as u32;
    let mut words = bytes.chunks_exact(4);
    for word in words.by_ref() {
        let word = u32::from_le_bytes([word[0], word[1], word[2], word[3]]);
        hash = hash.wrapping_mul(M) ^ mix(word);
    }
    let rest = words.remainder();
    if !rest.is_empty() {
        let shifted = rest.iter().enumerate();
        let tail = shifted.fold(0, |tail, (at, byte)| tail | u32::from(*byte) << (8 * at));
        hash = (hash ^ tail).wrapping_mul(M);
    }
    hash ^= hash >> 13;
    hash = hash.wrapping_mul(M);
    hash ^ (hash >> 15)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_that_of_kafka() {
        // The values of the tests of Kafka's own clients.
        for (text, hash) in [
            ("21", -973_932_308_i32),
            ("foobar", -790_332_482),
            ("a-little-bit-long-string", -985_981_536),
            ("a-little-bit-longer-string", -1_486_304_829),
            (
                "lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8",
                -58_897_971,
            ),
            ("abc", 479_470_107),
        ] {
            assert_eq!(murmur2(text.as_bytes()) as i32, hash, "{text}");
        }
    }

    #[test]
    fn devices_spread_over_all_partitions() {
        let mut counts = [0u32; 12];
        for device in 0..12_000 {
            counts[Partition::of_device(device, 12) as usize] += 1;
        }
        assert!(
            counts.iter().all(|count| (800..1200).contains(count)),
            "{counts:?}"
        );
        assert_eq!(Partition::of_device(u64::MAX, 1), 0);
    }
}
