//! Rotation steps and their Galois elements, the powers of 3 modulo 2n.

use crate::Error;

/// Galois element of a rotation by `step` slots (positive: to the left): 3^step mod 2n.
///
/// # Errors
/// [`Error::Step`] for zero and for |step| >= n/2.
pub fn galois_element(ring_degree: usize, step: i32) -> Result<u32, Error> {
    let slots = (ring_degree / 2) as i32;
    if step == 0 || step.unsigned_abs() >= slots as u32 {
        return Err(Error::Step {
            step,
            most: slots - 1,
        });
    }
    let mask = 2 * ring_degree as u64 - 1;
    let power = (0..step.rem_euclid(slots)).fold(1, |power: u64, _| (power * 3) & mask);
    Ok(power as u32)
}

/// Rotation from 1 to n/2 - 1 that a Galois element stands for; `None` for elements that are no rotation.
pub fn rotation_step(ring_degree: usize, element: u32) -> Option<i32> {
    let mask = 2 * ring_degree as u64 - 1;
    let mut power = 1;
    (1..(ring_degree / 2) as i32).find(|_| {
        power = (power * 3) & mask;
        power == u64::from(element)
    })
}

/// Checks a Galois element: odd and below 2n; 1 is the identity and has no key.
pub(crate) fn check_element(ring_degree: usize, element: u32) -> Result<(), Error> {
    let most = 2 * ring_degree as u32 - 1;
    if element % 2 == 1 && (3..=most).contains(&element) {
        Ok(())
    } else {
        Err(Error::GaloisElement { element, most })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail")]
mod tests {
    use super::{galois_element, rotation_step};
    use crate::Error;

    #[test]
    fn steps_and_elements_are_inverse() {
        for step in [1, 2, 31, 511] {
            assert_eq!(
                rotation_step(1024, galois_element(1024, step).unwrap()),
                Some(step)
            );
        }
        assert_eq!(galois_element(1024, -1), galois_element(1024, 511));
        assert_eq!(galois_element(1024, 1), Ok(3));
        assert_eq!(rotation_step(1024, 2047), None);
    }

    #[test]
    fn impossible_steps_are_refused() {
        for step in [0, 512, -512, i32::MIN] {
            assert_eq!(
                galois_element(1024, step),
                Err(Error::Step { step, most: 511 })
            );
        }
    }
}
