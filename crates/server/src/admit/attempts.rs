//! Wrong tokens of an address, counted in a table of fixed size.
//!
//! An address with too many is told to wait. A right token is let in all the same: it has 256 random bits, so that guesses are
//! hopeless at any rate, and one client of a proxy cannot lock out the others.

use std::hash::{BuildHasher, RandomState};
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::LazyLock;
use std::time::Instant;

/// Addresses that are told apart, about.
const ENTRIES: usize = 4096;
/// Milliseconds that each wrong token costs.
const COST: u64 = 6_000;
/// Wrong tokens at once.
const AT_ONCE: u64 = 10;

/// Times, in milliseconds since the first one, at which the wrong tokens of addresses are paid off.
pub struct Attempts {
    paid_off: Vec<AtomicU64>,
    hashes: RandomState,
}

impl Default for Attempts {
    fn default() -> Self {
        Self {
            paid_off: (0..ENTRIES).map(|_| AtomicU64::default()).collect(),
            hashes: RandomState::new(),
        }
    }
}

impl Attempts {
    /// Counts a wrong token.
    ///
    /// # Errors
    /// Seconds to wait.
    pub fn fail(&self, address: IpAddr) -> Result<(), u32> {
        self.fail_at(address, now())
    }

    fn fail_at(&self, address: IpAddr, now: u64) -> Result<(), u32> {
        let entry = &self.paid_off[self.hashes.hash_one(network(address)) as usize % ENTRIES];
        let counted = entry.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |paid_off| {
            let paid_off = paid_off.max(now) + COST;
            (paid_off <= now + AT_ONCE * COST).then_some(paid_off)
        });
        match counted {
            Ok(_) => Ok(()),
            Err(paid_off) => {
                let wait = (paid_off + COST).saturating_sub(now + AT_ONCE * COST);
                Err(wait.div_ceil(1000).max(1) as u32)
            }
        }
    }
}

/// Milliseconds since the first call, by the clock that does not jump.
fn now() -> u64 {
    static BEGUN: LazyLock<Instant> = LazyLock::new(Instant::now);
    u64::try_from(BEGUN.elapsed().as_millis()).unwrap_or(u64::MAX)
}

/// The part of an address that one customer of a provider has: all of IPv4, half of IPv6.
fn network(address: IpAddr) -> [u8; 8] {
    match address.to_canonical() {
        IpAddr::V4(address) => u64::from(address.to_bits()).to_be_bytes(),
        IpAddr::V6(address) => ((address.to_bits() >> 64) as u64).to_be_bytes(),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn an_address_waits_and_goes_on_and_no_other_waits_with_it() {
        let attempts = Attempts::default();
        let fail = |address: &str, now| attempts.fail_at(address.parse().unwrap(), now);
        for _ in 0..AT_ONCE {
            assert_eq!(fail("10.0.0.1", 1_000_000), Ok(()));
        }
        for _ in 0..1000 {
            assert_eq!(fail("10.0.0.1", 1_000_000), Err(6));
        }
        assert_eq!(fail("::ffff:10.0.0.1", 1_005_999), Err(1));
        assert_eq!(fail("10.0.0.2", 1_000_000), Ok(()));
        assert_eq!(fail("10.0.0.1", 1_006_000), Ok(()));
        assert_eq!(fail("10.0.0.1", 1_006_000), Err(6));
        assert_eq!(fail("10.0.0.1", 2_000_000), Ok(()));
    }

    #[test]
    fn a_customers_network_counts_as_one() {
        let [one, two, other] = ["2001:db8::1", "2001:db8::2", "2001:db8:0:1::1"];
        let network = |text: &str| network(text.parse().unwrap());
        assert_eq!(network(one), network(two));
        assert_ne!(network(one), network(other));
    }
}
