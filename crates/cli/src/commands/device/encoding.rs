//! How the values of `isopod encrypt` are encoded.

use clap::{Args, ValueEnum};
use isopod_wire::{Layout, ParameterSet, ValueType};
use isopod_workflow::{AnySuite, PadChoice};

/// How values are encoded and encrypted.
#[derive(Debug, Clone, Default, Args)]
pub struct EncodingChoice {
    /// log2 of the scale [default: the set's]
    #[arg(long)]
    pub scale_bits: Option<u8>,
    /// log2 of the bound on values
    #[arg(long, default_value_t = 4, allow_hyphen_values = true)]
    pub bound_bits: i8,
    /// How randomness is expanded
    #[arg(long, default_value = "chacha20")]
    pub suite: SuiteName,
    /// Encrypt with the secret key, if the device has it: half the bytes
    #[arg(long)]
    pub by_secret_key: bool,
    /// Primes to encrypt under, the first ones of the set: fewer make smaller frames for smaller jobs [default: 0, all]
    #[arg(long, default_value_t = 0)]
    pub level: u8,
    /// Layout of values [default: rounded under sets that end with -air, otherwise slots]
    #[arg(long, value_enum)]
    pub layout: Option<LayoutName>,
    /// Error that each value may have, in layout rounded: the larger, the fewer bytes [default: as precise as noise allows]
    #[arg(long, value_name = "ERROR")]
    pub precision: Option<f64>,
    /// Give frames of integers a second linear tag of 8 bytes, which proves sums of columns and histograms; in a folder that has
    /// linear.key
    #[arg(long)]
    pub column_tag: bool,
    /// Readings are multiples of 2^BITS, as a converter gives them, under a set of CKKS in layout rounded. Frames of devices with
    /// keys of tags then have linear tags, which `isopod decrypt --grid-bits` verifies
    #[arg(long, value_name = "BITS", allow_hyphen_values = true, value_parser = clap::value_parser!(i8).range(-31..=31))]
    pub grid_bits: Option<i8>,
}

/// Layout of the values of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LayoutName {
    /// Into the first slots
    Slots,
    /// Into all slots, over and over; one value fills every slot; their number is a power of two
    Repeated,
    /// Into the first coefficients; jobs do not take these frames
    Coefficients,
    /// Into coefficients that travel rounded, in the fewest bytes: for sums, scores by public weights and filters
    Rounded,
}

impl LayoutName {
    /// The chosen layout, or that of the set.
    pub fn of(chosen: Option<Self>, set: &ParameterSet) -> Self {
        chosen.unwrap_or(match set.name.ends_with("-air") {
            true => Self::Rounded,
            false => Self::Slots,
        })
    }
}

impl From<LayoutName> for Layout {
    fn from(name: LayoutName) -> Self {
        match name {
            LayoutName::Slots => Self::Slots,
            LayoutName::Repeated => Self::SlotsRepeated,
            LayoutName::Coefficients => Self::Coefficients,
            LayoutName::Rounded => Self::CoefficientsRounded,
        }
    }
}

/// A randomness suite.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum SuiteName {
    /// The fastest
    #[default]
    Chacha20,
    /// Keccak only
    Shake256,
    /// The mask as SEAL makes it
    SealShake256,
    /// The mask as tfhe-rs makes it
    Aes128,
}

impl From<SuiteName> for AnySuite {
    fn from(name: SuiteName) -> Self {
        match name {
            SuiteName::Chacha20 => Self::Chacha20,
            SuiteName::Shake256 => Self::Shake256,
            SuiteName::SealShake256 => Self::SealShake256,
            SuiteName::Aes128 => Self::Aes128,
        }
    }
}

/// How whole numbers are encrypted, under a TFHE set.
#[derive(Debug, Clone, Default, Args)]
pub struct IntegerChoice {
    /// Type of the values under a TFHE set: bool, u8, u16, u32, u64, i8, i16, i32 or i64 [default: u8]
    #[arg(long = "type", value_name = "TYPE", value_parser = value_type)]
    pub of: Option<ValueType>,
    /// Send bodies whole under a TFHE set: twice the bytes, less noise than a bootstrap can use
    #[arg(long)]
    pub whole_bodies: bool,
}

fn value_type(name: &str) -> Result<ValueType, String> {
    let names = ValueType::ALL.map(ValueType::name).join(", ");
    ValueType::from_name(name).ok_or_else(|| format!("allowed is one of {names}"))
}

/// How integers lie in packets of pads.
#[derive(Debug, Clone, Args)]
pub struct PadArguments {
    /// Pads: bytes of an integer, 2 to 4; sums stay below half of what they hold
    #[arg(long, value_name = "BYTES", default_value_t = PadChoice::USUAL.width)]
    pub pad_bytes: u8,
    /// Pads: each epoch has keys of its own, so that a device forgets those of the epochs before
    #[arg(long)]
    pub ratchet: bool,
}

impl Default for PadArguments {
    fn default() -> Self {
        let PadChoice { width, ratchet } = PadChoice::USUAL;
        Self {
            pad_bytes: width,
            ratchet,
        }
    }
}

impl From<&PadArguments> for PadChoice {
    fn from(arguments: &PadArguments) -> Self {
        Self {
            width: arguments.pad_bytes,
            ratchet: arguments.ratchet,
        }
    }
}
