//! What of a decrypted CKKS result may leave its owner.
//!
//! An approximate decryption is the value plus the ciphertext's noise, and the noise tells of the secret key (ePrint
//! 2020/1533). [`Private`] therefore holds raw decryptions; [`Flooding`] adds a Gaussian so much wider than the noise of
//! the declared [`Circuit`] that `queries` published values together change what anybody can learn by at most
//! 2^-`statistical_bits`: its standard deviation is sqrt(12 * queries) * 2^(statistical_bits / 2) times the circuit's (as
//! OpenFHE's NOISE_FLOODING_DECRYPT). The guarantee holds for results of the declared circuit only (ePrint 2024/203),
//! which is why the owner declares it and the server is not asked.
#![forbid(unsafe_code)]

mod circuit;
mod error;
mod flooding;
mod gaussian;
mod private;

pub use circuit::{Circuit, Encryption};
pub use error::ShareError;
pub use flooding::{Flooding, Published};
pub use private::Private;

/// What this crate returns.
pub type Result<T> = std::result::Result<T, ShareError>;
