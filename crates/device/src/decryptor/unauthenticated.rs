//! Packed residues that nobody checked.

use super::{Decoded, Decryptor, LEVEL};
use crate::{ffi, ffi_decrypt, Result};

impl Decryptor {
    /// Decrypts packed residues of CKKS whose origin nobody checked: `sides` are c0 and c1, each of the same number of
    /// primes, the first of the set. Gives all slots, which are within 2^log2_bound. Whoever sees what becomes of
    /// ciphertexts of his own making learns the key: for what was received there is [`Decryptor::decrypt_sealed`].
    ///
    /// Errors: [`crate::DeviceError::ResultLevel`] for lengths of no number of primes; those of [`Decryptor::decrypt`].
    pub fn decrypt_unauthenticated(
        &mut self,
        sides: [&[u8]; 2],
        scale: f64,
        log2_bound: i8,
    ) -> Result<Vec<f64>> {
        self.run_unauthenticated(sides, scale, log2_bound)
    }

    /// The same of BFV: every slot, from -(t-1)/2 to (t-1)/2.
    ///
    /// Errors: as there; those of [`Decryptor::decrypt_integers`].
    pub fn decrypt_integers_unauthenticated(&mut self, sides: [&[u8]; 2]) -> Result<Vec<i32>> {
        self.run_unauthenticated(sides, 1.0, 0)
    }

    #[allow(unsafe_code)]
    fn run_unauthenticated<T: Decoded>(
        &mut self,
        sides: [&[u8]; 2],
        scale: f64,
        log2_bound: i8,
    ) -> Result<Vec<T>> {
        let answer = ffi_decrypt::Answer {
            scale: scale.to_bits(),
            first: 0,
            step: 1,
            count: self.set.slots() as u32,
            primes: self.primes_of(sides, log2_bound)?,
        };
        self.run(log2_bound, answer.count, |context, config, out| {
            // SAFETY: everything outlives the calls, and each side is as long as is said.
            unsafe {
                let mut status =
                    ffi_decrypt::isopod_decrypt_unauthenticated_begin(context, config, &answer);
                for side in sides {
                    if status == ffi::OK {
                        status = ffi_decrypt::isopod_decrypt_unauthenticated_feed(
                            context,
                            side.as_ptr(),
                            side.len(),
                        );
                    }
                }
                match status {
                    ffi::OK => ffi_decrypt::isopod_decrypt_unauthenticated_finish(context, out),
                    other => other,
                }
            }
        })
    }

    fn primes_of(&self, sides: [&[u8]; 2], log2_bound: i8) -> Result<u8> {
        let mut bytes = 0;
        let last = self.set.data_primes.iter().position(|prime| {
            bytes += self.set.ring_degree / 8 * (64 - prime.leading_zeros()) as usize;
            sides.iter().all(|side| side.len() == bytes)
        });
        last.map(|index| index as u8 + 1)
            .ok_or_else(|| self.error(LEVEL, log2_bound))
    }
}
