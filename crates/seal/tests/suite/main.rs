//! All tests of the crate from outside, as one program.

mod bad_input;
mod device_decrypts;
mod device_decrypts_integers;
mod device_shapes;
mod drop_primes;
mod evaluation;
mod every_profile;
mod every_set;
mod support;
