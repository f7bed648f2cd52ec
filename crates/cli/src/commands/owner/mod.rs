//! Commands for owners.

pub mod decrypt;
pub mod describe;
pub mod encrypt_pads;
pub mod grant;
pub mod holders;
pub mod keygen;
pub mod pads;
pub mod request;
pub mod rotate;
pub mod server_keys;
pub mod share;
