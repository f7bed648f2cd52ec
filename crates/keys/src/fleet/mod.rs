//! Devices that come and go: the owner's register of the numbers that were given, and the server's list of revoked ones.

mod numbers;
mod register;
mod revoked;

pub use numbers::{DeviceNumbers, Span};
pub use register::{Register, RegisterLock, REGISTER_FILE};
pub(crate) use revoked::enter_all;
pub use revoked::{Revocation, Revoked, REVOKED_FILE};
