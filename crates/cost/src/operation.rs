//! Names of operations, and which of them each scheme has.

use std::fmt;
use std::str::FromStr;

/// Degrees that are measured.
pub const DEGREES: [usize; 6] = [1024, 2048, 4096, 8192, 16384, 32768];

macro_rules! named {
    ($(#[$outer:meta])* $type:ident $field:literal { $($(#[$inner:meta])* $variant:ident $name:literal),+ $(,)? }) => {
        $(#[$outer])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum $type {
            $($(#[$inner])* $variant,)+
        }

        impl $type {
            /// All of them, in order.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The name.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str(self.name())
            }
        }

        impl FromStr for $type {
            type Err = String;

            fn from_str(text: &str) -> Result<Self, String> {
                Self::ALL.iter().copied().find(|one| one.name() == text).ok_or_else(|| {
                    let names: Vec<&str> = Self::ALL.iter().map(|one| one.name()).collect();
                    format!("{}: {text:?} is unknown; allowed are {}", $field, names.join(", "))
                })
            }
        }
    };
}

named! {
    /// A family of measurements.
    Scheme "scheme" {
        /// Integers.
        Bfv "bfv",
        /// Real numbers.
        Ckks "ckks",
        /// Bits and integers with comparisons.
        Tfhe "tfhe",
        /// Rounded coefficients, in few bytes.
        Air "air",
    }
}

named! {
    /// An operation: those of the low-SWaP report, and whole journeys from values to bytes and back.
    Operation "operation" {
        /// Values to a plaintext.
        Batch "batch",
        /// A plaintext to values.
        Unbatch "unbatch",
        /// A plaintext to a ciphertext, by public key.
        Encrypt "encrypt",
        /// A ciphertext to a plaintext.
        Decrypt "decrypt",
        /// Values to a ciphertext by public key, encoding included.
        FreshPublic "fresh-public",
        /// Values to a ciphertext by secret key, encoding included.
        FreshSecret "fresh-secret",
        /// A ciphertext at three primes or fewer, as results arrive, to values.
        Read "read",
        /// Values to the bytes that leave a device, by public key.
        SendPublic "send-public",
        /// Values to the bytes that leave a device, by secret key.
        SendSecret "send-secret",
        /// Bytes by secret key to a ciphertext that computes.
        Receive "receive",
        /// A ciphertext to bytes.
        Serialize "serialize",
        /// These bytes through a TCP connection of this machine, by the clock.
        Transport "transport",
        /// The sum of two ciphertexts.
        Add "add",
        /// The product of two ciphertexts.
        Multiply "multiply",
        /// The product with a plaintext.
        MultiplyPlain "multiply-plain",
        /// The square.
        Square "square",
        /// Three polynomials to two.
        Relinearize "relinearize",
        /// Division by a prime (CKKS).
        Rescale "rescale",
        /// A rotation by one step.
        RotateOne "rotate-one",
        /// A rotation by a random step, from keys of powers of two.
        RotateRandom "rotate-random",
        /// A swap of rows (BFV).
        RotateColumns "rotate-columns",
        /// A conjugation (CKKS).
        Conjugate "conjugate",
        /// A comparison with a number in the clear (TFHE).
        Compare "compare",
    }
}

impl Operation {
    /// Whether the operation is measured in a scheme at all.
    pub fn is_of(self, scheme: Scheme) -> bool {
        use Operation as O;
        match scheme {
            Scheme::Bfv => !matches!(self, O::Rescale | O::Conjugate | O::Compare),
            Scheme::Ckks => !matches!(self, O::RotateColumns | O::Compare),
            Scheme::Air => matches!(self, O::SendPublic | O::SendSecret),
            Scheme::Tfhe => matches!(
                self,
                O::SendPublic | O::SendSecret | O::Receive | O::Add | O::Multiply | O::Compare
            ),
        }
    }

    /// Whether it needs keys that only sets with a special prime have.
    pub fn switches_keys(self) -> bool {
        use Operation as O;
        matches!(
            self,
            O::Relinearize | O::RotateOne | O::RotateRandom | O::RotateColumns | O::Conjugate
        )
    }
}

/// Reads a degree.
///
/// # Errors
/// The text with the allowed degrees.
pub fn degree(text: &str) -> Result<usize, String> {
    let found = text.parse().ok().filter(|degree| DEGREES.contains(degree));
    found.ok_or_else(|| {
        let all: Vec<String> = DEGREES.iter().map(usize::to_string).collect();
        format!(
            "degree: {text:?} is not measured; allowed are {}",
            all.join(", ")
        )
    })
}

/// The parameter set of CKKS or BFV at a degree.
pub fn set_at(scheme: Scheme, degree: usize) -> Option<&'static str> {
    let at = DEGREES.iter().position(|&one| one == degree)?;
    match scheme {
        Scheme::Bfv => Some(BFV_SETS[at]),
        Scheme::Ckks => Some(CKKS_SETS[at]),
        Scheme::Tfhe | Scheme::Air => None,
    }
}

/// Sets by the degrees.
const BFV_SETS: [&str; DEGREES.len()] = [
    "bfv-1024x1-count",
    "bfv-2048x1-count",
    "bfv-4096x2w-seal-default",
    "bfv-8192x4w-seal-default",
    "bfv-16384x8w-seal-default",
    "bfv-32768x15w-seal-default",
];
const CKKS_SETS: [&str; DEGREES.len()] = [
    "ckks-1024x1-sum",
    "ckks-2048x1-sum",
    "ckks-4096x3-multiply",
    "ckks-8192x3w-multiply",
    "ckks-16384x13-multiply",
    "ckks-32768x14w-multiply",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_set_exists_at_its_degree() {
        for scheme in [Scheme::Bfv, Scheme::Ckks] {
            for degree in DEGREES {
                let set = set_at(scheme, degree).and_then(isopod_wire::by_name);
                assert_eq!(set.map(|set| set.ring_degree), Some(degree));
            }
        }
    }

    #[test]
    fn unknown_names_are_refused_with_the_allowed_ones() {
        assert!("divide"
            .parse::<Operation>()
            .is_err_and(|text| text.contains("multiply-plain")));
        assert!(degree("4095").is_err_and(|text| text.contains("1024, 2048")));
    }
}
