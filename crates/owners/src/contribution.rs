//! A holder's contribution to an answer (`spec/owners.md`, section 3).

use isopod_linear::{Factors, Machine, Modulus, Ring};
use isopod_share::normal;
use isopod_wire::{EncryptedResult, Invitation};
use zeroize::Zeroizing;

use crate::circuit::Plan;
use crate::fraction::fractions;
use crate::polynomial::Polynomial;
use crate::{OwnersError, Result};

/// The holders who answer: as many as the threshold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answering(Vec<u8>);

impl Answering {
    /// Takes the numbers of the holders, in any order.
    ///
    /// # Errors
    /// [`OwnersError::Answering`] for a number that is not invited or occurs twice, and for another count than the threshold.
    pub fn new(invitation: &Invitation, mut numbers: Vec<u8>) -> Result<Self> {
        numbers.sort_unstable();
        let refuse = |problem| Err(OwnersError::Answering { problem });
        let wanted = usize::from(invitation.threshold);
        if let Some(pair) = numbers.windows(2).find(|pair| pair[0] == pair[1]) {
            let name = invitation.name(pair[0]);
            return refuse(format!("{name} occurs twice; allowed is each holder once"));
        }
        let unknown = |&number: &u8| invitation.name(number).is_empty();
        if let Some(number) = numbers.iter().copied().find(unknown) {
            let most = invitation.holders.len();
            return refuse(format!("number {number}; allowed are 1 to {most}"));
        }
        if numbers.len() != wanted {
            let found = numbers.len();
            return refuse(format!(
                "{found} answer; allowed are exactly {wanted} of {}",
                invitation.holders.join(", ")
            ));
        }
        Ok(Self(numbers))
    }

    /// Their numbers, ascending.
    pub fn numbers(&self) -> &[u8] {
        &self.0
    }

    /// The factor of a holder's share in the value at a point: the product of (m - point) / (m - j) over the other numbers m.
    pub(crate) fn factor_at(&self, modulus: Modulus, holder: u8, point: u8) -> u64 {
        let others = self.0.iter().filter(|&&other| other != holder);
        let difference = |one: u8, other: u8| modulus.reduce(i64::from(one) - i64::from(other));
        others.fold(1, |factor, &other| {
            let inverse = modulus.invert(difference(other, holder));
            let quotient = modulus.multiply(difference(other, point), inverse);
            modulus.multiply(factor, quotient)
        })
    }
}

/// The values of a holder's contribution: n numbers of as many bits as the plan says. The noise is fresh. Drawing it takes a time
/// that depends on it: for a holder's own machine.
///
/// # Errors
/// [`OwnersError::Linear`] for a share of another ring, [`OwnersError::Share`] without entropy.
pub fn contribute(
    result: &EncryptedResult,
    plan: &Plan,
    share: &Polynomial,
    (answering, holder): (&Answering, u8),
) -> Result<Vec<u128>> {
    let ring = Ring::new(result.params, plan.primes, Machine::best())?;
    let noise = Zeroizing::new(normal(ring.degree())?);
    let mut partial = Zeroizing::new(share[..plan.primes].to_vec());
    let each = ring.moduli().iter().zip(ring.transforms());
    for (((&modulus, transform), partial), c1) in each.zip(partial.iter_mut()).zip(&result.c1) {
        Factors::new(modulus, c1.clone(), Machine::best())?.multiply(partial)?;
        let factor = answering.factor_at(modulus, holder, 0) as i64;
        Factors::scalar(modulus, factor, Machine::best()).multiply(partial)?;
        transform.inverse(partial)?;
        for (partial, &deviate) in partial.iter_mut().zip(noise.iter()) {
            let error = (plan.flood * deviate).round() as i64;
            *partial = modulus.add(*partial, modulus.reduce(error));
        }
    }
    Ok(fractions(&ring, &partial, plan.bits))
}
