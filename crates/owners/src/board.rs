//! The noise of a holder on a board, and the bits that it sends (`spec/owners.md`, section 4).

use isopod_wire::Invitation;

use crate::{is_masked, Circuit, OwnersError, Result};

/// Deviation of the discrete Gaussian whose masses straight lines join.
const DEVIATION: f64 = 2.0;
/// Most bits of a value.
const MOST_BITS: u32 = 28;
/// Primes of a set that a board answers for.
const PRIMES: usize = 3;
/// Most bits of such a prime.
const PRIME_BITS: u32 = 30;

/// How a board contributes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BoardNoise {
    /// Bits of a value.
    pub bits: u32,
    /// m: the step of the Gaussian is 2^m.
    pub shift: u32,
}

impl BoardNoise {
    /// The least step with which the noise hides as much as the invitation demands.
    ///
    /// # Errors
    /// Those of [`Circuit::new`]; [`OwnersError::Field`] for a threshold that needs masks, and for a set other than of BFV with
    /// three 32-bit primes;
    /// [`OwnersError::NoRoom`] if the noise, which is up to 2.05 times as wide as a Gaussian of the flood, does not fit.
    pub fn new(invitation: &Invitation) -> Result<Self> {
        if is_masked(invitation) {
            let (threshold, holders) = (invitation.threshold, invitation.holders.len());
            return Err(OwnersError::Field {
                field: "threshold",
                problem: format!(
                    "{threshold} of {holders}; allowed on a board are 2 and {holders}, since it has no masks to share with \
                     others who answer"
                ),
            });
        }
        let set = invitation.params;
        let circuit = Circuit::new(invitation)?;
        let fits = |&prime: &u64| prime >> PRIME_BITS == 0;
        let is_served = set.plain_modulus.is_some() && set.data_primes.iter().all(fits);
        if !is_served || set.data_primes.len() != PRIMES {
            return Err(OwnersError::Field {
                field: "set",
                problem: format!(
                    "{}; allowed on a board are sets of BFV with three 32-bit primes",
                    set.name
                ),
            });
        }
        let shift = (circuit.flood() / DEVIATION).log2().ceil() as u32;
        let bits = circuit.board_bits(f64::from(shift).exp2() * DEVIATION)?;
        if bits > MOST_BITS {
            return Err(OwnersError::Field {
                field: "set",
                problem: format!("{bits} bits of a value; allowed on a board are {MOST_BITS}"),
            });
        }
        Ok(Self { bits, shift })
    }
}
