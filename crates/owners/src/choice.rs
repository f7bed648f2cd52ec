//! The parameter set for what a key of several owners will be asked.

use isopod_wire::{sets, Invitation, Label, ParameterSet, Scheme};

use crate::circuit::Circuit;
use crate::{OwnersError, Result};

/// Values that a key will open, beside what the invitation says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wishes {
    /// Largest magnitude of an opened value.
    pub bound: f64,
    /// Error that flooding may add to real numbers; None for integers, which are exact.
    pub error: Option<f64>,
}

/// The set labelled 128 with the shortest frames under which the noise of the invitation leaves room for the values. The set that
/// the invitation names is not looked at.
///
/// # Errors
/// [`OwnersError::Field`] if there is none, with what the set says that comes last.
pub fn least_set(invitation: &Invitation, wishes: &Wishes) -> Result<&'static ParameterSet> {
    let scheme = match wishes.error {
        Some(_) => Scheme::Ckks,
        None => Scheme::Bfv,
    };
    let mut all: Vec<_> = sets()
        .filter(|set| set.scheme() == scheme && set.label == Label::Bits128)
        .filter(|set| set.data_primes.len() <= 3 && !set.name.ends_with("-air"))
        .collect();
    all.sort_by(|one, other| frame_bits(one).total_cmp(&frame_bits(other)));
    let mut refusal = None;
    for params in all {
        let named = Invitation {
            params,
            ..invitation.clone()
        };
        match fits(&named, wishes) {
            Ok(()) => return Ok(params),
            Err(error) => refusal = Some(error),
        }
    }
    let last = refusal.map_or_else(String::new, |error| format!(": {error}"));
    Err(OwnersError::Field {
        field: "set",
        problem: format!(
            "none opens such values for several owners; allowed are fewer or smaller readings, fewer queries or bits{last}"
        ),
    })
}

/// Bits of the two polynomials of a frame.
fn frame_bits(set: &ParameterSet) -> f64 {
    let bits = set.data_primes.iter().map(|&prime| (prime as f64).log2());
    2.0 * set.ring_degree as f64 * bits.sum::<f64>()
}

fn fits(invitation: &Invitation, wishes: &Wishes) -> Result<()> {
    let circuit = Circuit::new(invitation)?;
    circuit.check_bound(wishes.bound)?;
    let found = circuit.least_error();
    match wishes.error {
        Some(most) if found > most => Err(OwnersError::Field {
            field: "error",
            problem: format!(
                "flooding adds {found:.3} to a value under {}; allowed is an error from there on",
                invitation.params.name
            ),
        }),
        _ => Ok(()),
    }
}
