//! Commands for owners.

pub mod decrypt;
pub mod describe;
pub mod keygen;
pub mod request;
pub mod rotate;
pub mod server_keys;
pub mod share;
