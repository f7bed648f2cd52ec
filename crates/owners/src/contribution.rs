//! A holder's contribution to an answer (`spec/owners.md`, section 3).

use isopod_linear::{Factors, Machine, Modulus, Ring};
use isopod_share::normal;
use isopod_wire::{EncryptedResult, Invitation};
use zeroize::Zeroizing;

use crate::circuit::Plan;
use crate::fraction::fractions;
use crate::mask::{add_mask, is_masked};
use crate::polynomial::Polynomial;
use crate::{OwnersError, Result};

/// The holders who answer: as many as the threshold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answering {
    numbers: Vec<u8>,
    /// Whether each two of them share a mask.
    is_masked: bool,
}

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
        Ok(Self {
            numbers,
            is_masked: is_masked(invitation),
        })
    }

    /// Their numbers, ascending.
    pub fn numbers(&self) -> &[u8] {
        &self.numbers
    }

    /// Numbers of those with whom a holder shares a mask, ascending.
    pub fn pairs(&self, holder: u8) -> Vec<u8> {
        let others = self.numbers.iter().copied();
        let is_pair = |&other: &u8| self.is_masked && other != holder;
        others.filter(is_pair).collect()
    }

    /// The factor of a holder's share in the value at a point: the product of (m - point) / (m - j) over the other numbers m.
    pub(crate) fn factor_at(&self, modulus: Modulus, holder: u8, point: u8) -> u64 {
        let others = self.numbers.iter().filter(|&&other| other != holder);
        let difference = |one: u8, other: u8| modulus.reduce(i64::from(one) - i64::from(other));
        others.fold(1, |factor, &other| {
            let inverse = modulus.invert(difference(other, holder));
            let quotient = modulus.multiply(difference(other, point), inverse);
            modulus.multiply(factor, quotient)
        })
    }
}

/// A holder who answers.
pub struct Contributor<'a> {
    /// All who answer.
    pub answering: &'a Answering,
    /// Number of this one.
    pub holder: u8,
    /// The share of the secret key.
    pub share: &'a Polynomial,
    /// Masks of this result with each of [`Answering::pairs`], by their numbers.
    pub masks: &'a [(u8, Polynomial)],
}

/// The values of a holder's contribution: n numbers of as many bits as the plan says. The noise is fresh. Drawing it takes a time
/// that depends on it: for a holder's own machine.
///
/// # Errors
/// [`OwnersError::Linear`] for a share of another ring, [`OwnersError::Share`] without entropy, [`OwnersError::Answering`] for
/// other masks than those of all pairs.
pub fn contribute(
    result: &EncryptedResult,
    plan: &Plan,
    contributor: &Contributor<'_>,
) -> Result<Vec<u128>> {
    let Contributor {
        answering,
        holder,
        share,
        masks,
    } = *contributor;
    check_masks(contributor)?;
    let ring = Ring::new(result.params, plan.primes, Machine::best())?;
    let noise = Zeroizing::new(normal(ring.degree())?);
    let mut partial = Zeroizing::new(share[..plan.primes].to_vec());
    let each = ring.moduli().iter().zip(ring.transforms());
    let each = each.zip(partial.iter_mut()).zip(&result.c1);
    for (prime, (((&modulus, transform), partial), c1)) in each.enumerate() {
        Factors::new(modulus, c1.clone(), Machine::best())?.multiply(partial)?;
        let factor = answering.factor_at(modulus, holder, 0) as i64;
        Factors::scalar(modulus, factor, Machine::best()).multiply(partial)?;
        for (other, mask) in masks {
            add_mask(modulus, (holder, *other), partial, &mask[prime]);
        }
        transform.inverse(partial)?;
        for (partial, &deviate) in partial.iter_mut().zip(noise.iter()) {
            let error = (plan.flood * deviate).round() as i64;
            *partial = modulus.add(*partial, modulus.reduce(error));
        }
    }
    Ok(fractions(&ring, &partial, plan.bits))
}

/// Refuses contributions that others could tell from a sum with those of their pairs.
fn check_masks(contributor: &Contributor<'_>) -> Result<()> {
    let found: Vec<u8> = contributor.masks.iter().map(|(other, _)| *other).collect();
    let wanted = contributor.answering.pairs(contributor.holder);
    match found == wanted {
        true => Ok(()),
        false => Err(OwnersError::Answering {
            problem: format!("masks with {found:?}; allowed are those with {wanted:?}"),
        }),
    }
}
