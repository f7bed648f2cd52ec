#![doc = include_str!("../README.md")]

mod accumulator;
mod arch;
mod coefficients;
mod error;
mod factors;
mod loops;
mod machine;
mod merge;
mod modulus;
mod ntt;
mod packing;
mod ring;
mod rounding;
mod sum;

pub use accumulator::{Accumulator, Slice};
pub use coefficients::Weights;
pub use error::{Error, Result};
pub use factors::Factors;
pub use machine::Machine;
pub use merge::{values_of_slots, LargeRing, Merge, Merged, MergedFrame, Reading, Reduction};
pub use modulus::Modulus;
pub use ntt::Ntt;
pub use packing::Packing;
pub use ring::Ring;
pub use rounding::{drop_bits, restore_bits};
pub use sum::{Proof, RowMask, Sum};
