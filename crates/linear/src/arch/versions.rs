//! Portable loops, compiled once more for each instruction set, whose vectors the compiler finds by itself. NEON needs no version
//! of its own: every aarch64 target has it.
#![allow(unsafe_code, reason = "instructions that the machine has")]

use crate::loops::butterflies::{self, Tables};
use crate::loops::pointwise::{self, Pointwise};
use crate::machine::{Instructions, Machine};
use crate::modulus::Modulus;

macro_rules! versions {
    ($($name:ident($($argument:ident: $type:ty),*) = $body:path;)*) => {$(
        pub(crate) fn $name(machine: Machine, $($argument: $type),*) {
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2")]
            fn avx2($($argument: $type),*) {
                $body($($argument),*)
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx512f,avx512bw")]
            fn avx512($($argument: $type),*) {
                $body($($argument),*)
            }
            match machine.0 {
                Instructions::Portable => $body($($argument),*),
                // SAFETY: a machine names what the processor has.
                #[cfg(target_arch = "x86_64")]
                Instructions::Avx2 => unsafe { avx2($($argument),*) },
                // SAFETY: a machine names what the processor has.
                #[cfg(target_arch = "x86_64")]
                Instructions::Avx512 => unsafe { avx512($($argument),*) },
                #[cfg(target_arch = "aarch64")]
                Instructions::Neon => $body($($argument),*),
            }
        }
    )*};
}

versions! {
    reduce(modulus: Modulus, words: &mut [u64]) = crate::modulus::reduce;
    multiply_narrow(words: &mut [u64], by: Pointwise<'_>) = pointwise::multiply::<pointwise::Narrow>;
    multiply_wide(words: &mut [u64], by: Pointwise<'_>) = pointwise::multiply::<pointwise::Wide>;
    forward_narrow(words: &mut [u64], tables: &Tables) = butterflies::forward::<pointwise::Narrow>;
    forward_wide(words: &mut [u64], tables: &Tables) = butterflies::forward::<pointwise::Wide>;
    inverse_narrow(words: &mut [u64], tables: &Tables) = butterflies::inverse::<pointwise::Narrow>;
    inverse_wide(words: &mut [u64], tables: &Tables) = butterflies::inverse::<pointwise::Wide>;
}
