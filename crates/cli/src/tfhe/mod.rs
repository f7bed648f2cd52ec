//! TFHE behind the same commands.

pub mod inspect;
