//! The noise of an answer, the noise that hides it, and the bits that are sent (`spec/owners.md`, section 4).

use isopod_share::Flooding;
use isopod_wire::{EncryptedResult, Invitation, ParameterSet, Scheme};

use crate::{OwnersError, Result};

/// Variance of the centred binomial error CBD(21).
const ERROR_VARIANCE: f64 = 10.5;
/// Variance of a uniform ternary coefficient.
const TERNARY_VARIANCE: f64 = 2.0 / 3.0;
/// Rounding of an encoded message, at most; it is the same in every frame of the same values.
const ROUNDING: f64 = 0.5;
/// Deviations that an error stays within.
const DEVIATIONS: f64 = 6.0;
/// Most bits of a value.
const MOST_BITS: u32 = 120;
/// Most primes that are read.
const MOST_PRIMES: usize = 3;
/// log2 of the widest flood: a Gaussian deviate is below 9, and noise is an integer of 63 bits.
const MOST_FLOOD: f64 = 59.0;
/// Bits of the largest modulus of CKKS.
const MODULUS_BITS: f64 = 126.0;

/// The sums that the invitation allows, with their noise. A frame with a weight counts as its square.
#[derive(Debug, Clone, Copy)]
pub struct Circuit {
    set: &'static ParameterSet,
    holders: usize,
    threshold: f64,
    /// Deviation of the noise in a coefficient of an answer, at most.
    noise: f64,
    /// Deviation of the noise that a holder adds.
    flood: f64,
}

/// How a result is opened.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plan {
    /// Primes that are used, the first ones.
    pub primes: usize,
    /// Bits of a value that a holder sends.
    pub bits: u32,
    /// Deviation of the noise that a holder adds.
    pub flood: f64,
    /// Error that values stay within; 0 in BFV.
    pub error: f64,
}

impl Circuit {
    /// The circuit of an invitation.
    ///
    /// # Errors
    /// [`OwnersError::Share`]; [`OwnersError::Field`] for noise that is too wide; [`OwnersError::NoRoom`] for a set of BFV whose
    /// modulus is too small.
    pub fn new(invitation: &Invitation) -> Result<Self> {
        let set = invitation.params;
        let holders = invitation.holders.len();
        let (n, of) = (set.ring_degree as f64, holders as f64);
        let fresh = ERROR_VARIANCE * (1.0 + 2.0 * of * TERNARY_VARIANCE * n);
        let frames = f64::from(invitation.frames);
        let noise = (frames * fresh).sqrt() + ROUNDING * frames;
        let flooding = Flooding::new(invitation.statistical_bits, invitation.queries)?;
        let circuit = Self {
            set,
            holders,
            threshold: invitation.threshold.into(),
            noise,
            flood: flooding.error(noise, set.ring_degree),
        };
        let most = set.data_primes.len();
        if most > MOST_PRIMES {
            return Err(OwnersError::Field {
                field: "set",
                problem: format!("{}; allowed are sets of at most 3 data primes", set.name),
            });
        }
        let flood = circuit.flood.log2();
        if flood > MOST_FLOOD {
            return Err(OwnersError::Field {
                field: "statistical_bits",
                problem: format!(
                    "the noise that hides shares would be 2^{flood:.1}; allowed is up to 2^{MOST_FLOOD}, so lower \
                     statistical_bits, queries or frames"
                ),
            });
        }
        if let Some(plain) = set.plain_modulus {
            circuit.exact_bits(most, plain)?;
        }
        Ok(circuit)
    }

    /// Deviation of the noise that a holder adds.
    pub(crate) fn flood(&self) -> f64 {
        self.flood
    }

    /// Bits of a value of all holders, if each of them might add the noise of a board for a flood of at least this circuit's:
    /// its variance is (1 + 1/24) times that of the Gaussian.
    pub(crate) fn board_bits(&self, flood: f64) -> Result<u32> {
        let flood = flood * (1.0f64 + 1.0 / 24.0).sqrt();
        let wider = Self { flood, ..*self };
        let plain = self.set.plain_modulus.unwrap_or(1);
        let bits = self.exact_bits(self.set.data_primes.len(), plain)?;
        match wider.exact_bits(self.set.data_primes.len(), plain)? {
            wanted if wanted == bits => Ok(bits),
            _ => Err(self
                .no_room((self.modulus(self.set.data_primes.len()) / plain as f64 / 4.0).log2())),
        }
    }

    /// Six deviations of the noise of an answer and of all contributions.
    fn width(&self) -> f64 {
        DEVIATIONS * (self.noise + self.threshold.sqrt() * self.flood)
    }

    /// How a result is opened.
    ///
    /// # Errors
    /// [`OwnersError::NoRoom`] if too few primes are left.
    pub fn plan(&self, result: &EncryptedResult) -> Result<Plan> {
        match self.set.plain_modulus {
            Some(plain) => self.exact(result.primes(), plain),
            None => self.approximate(result.primes(), result),
        }
    }

    /// Bits of a value in BFV.
    fn exact_bits(&self, primes: usize, plain: u64) -> Result<u32> {
        let modulus = self.modulus(primes);
        let share = plain as f64 * self.width() / modulus;
        if share > 0.25 {
            return Err(self.no_room((modulus / plain as f64 / 4.0).log2()));
        }
        let rounding = (self.threshold + 1.0) / 2.0;
        let bits = (plain as f64 * rounding / (0.375 - share)).log2().ceil();
        Ok(bits as u32)
    }

    fn exact(&self, primes: usize, plain: u64) -> Result<Plan> {
        Ok(Plan {
            primes,
            bits: self.exact_bits(primes, plain)?,
            flood: self.flood,
            error: 0.0,
        })
    }

    fn approximate(&self, most: usize, result: &EncryptedResult) -> Result<Plan> {
        let within = result.scale * (result.bound + result.error) + self.width();
        let needed = within.log2().ceil() + 2.0;
        let fits = |&primes: &usize| self.modulus(primes).log2() > needed;
        let primes = (1..=most.min(MOST_PRIMES)).find(fits);
        let Some(primes) = primes.filter(|&primes| self.modulus(primes).log2() < MODULUS_BITS)
        else {
            return Err(self.no_room(self.modulus(most.min(MOST_PRIMES)).log2()));
        };
        let modulus = self.modulus(primes);
        let wanted = (8.0 * modulus / self.flood).log2().ceil() as u32;
        let bits = wanted.clamp(1, MOST_BITS);
        let rounding = (self.threshold + 1.0) * modulus * (-1.0 - f64::from(bits)).exp2();
        let error = result.error + self.slot_error(rounding, result.scale);
        if error >= result.bound {
            let room = result.bound / self.slot_error(rounding, result.scale);
            return Err(self.no_room((room * self.width()).log2()));
        }
        Ok(Plan {
            primes,
            bits,
            flood: self.flood,
            error,
        })
    }

    /// Refuses sums of a magnitude that the set does not hold, in CKKS at its largest scale.
    ///
    /// # Errors
    /// [`OwnersError::Field`].
    pub fn check_bound(&self, bound: f64) -> Result<()> {
        let most = match self.set.plain_modulus {
            Some(plain) => (plain / 2) as f64,
            None => {
                let scale = f64::from(self.set.log2_scale.max).exp2();
                let modulus = self.modulus(self.set.data_primes.len());
                // The least power of two from scale and noise on is at most twice as large.
                (modulus.min(MODULUS_BITS.exp2()) / 8.0 - self.width()) / scale
            }
        };
        if bound <= most {
            return Ok(());
        }
        Err(OwnersError::Field {
            field: "bound",
            problem: format!(
                "sums of magnitude {bound}; allowed under {} are up to {most:.0}",
                self.set.name
            ),
        })
    }

    /// The error that flooding adds to a value of CKKS at the set's largest scale; 0 in BFV.
    pub fn least_error(&self) -> f64 {
        match self.set.scheme() {
            Scheme::Bfv => 0.0,
            Scheme::Ckks => self.slot_error(0.0, f64::from(self.set.log2_scale.max).exp2()),
        }
    }

    /// Error of a slot by all floods and this rounding of coefficients.
    fn slot_error(&self, rounding: f64, scale: f64) -> f64 {
        let slots = DEVIATIONS * (self.set.ring_degree as f64 / 2.0).sqrt();
        slots * (self.threshold.sqrt() * self.flood + rounding) / scale
    }

    fn modulus(&self, primes: usize) -> f64 {
        let primes = &self.set.data_primes[..primes];
        primes.iter().map(|&prime| prime as f64).product()
    }

    fn no_room(&self, room: f64) -> OwnersError {
        OwnersError::NoRoom {
            set: self.set.name,
            holders: self.holders,
            needed: self.width().log2(),
            room,
        }
    }
}
