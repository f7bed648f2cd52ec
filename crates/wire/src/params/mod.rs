//! Parameter sets as data, by name and by identity; the numbers are generated from `spec/params.toml`.

mod generated;
pub(crate) mod layout;
mod set;
pub mod tfhe;
mod tfhe_generated;
mod tfhe_set;

pub use generated::{BFV_SETS, CKKS_SETS, SETS64};
pub(crate) use set::prime_bits;
pub use set::{Label, ParameterSet, ScaleRange, Scheme};

/// The set of that name, if any.
pub fn by_name(name: &str) -> Option<&'static ParameterSet> {
    sets().find(|set| set.name == name)
}

/// The set of that identity, if any.
pub fn by_id(id: &[u8; 8]) -> Option<&'static ParameterSet> {
    sets().find(|set| &set.set_id == id)
}

/// Every set of both schemes, those of 64-bit primes last.
pub fn sets() -> impl Iterator<Item = &'static ParameterSet> {
    CKKS_SETS.iter().chain(BFV_SETS).chain(SETS64)
}
