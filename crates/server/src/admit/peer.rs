//! The other end of a connection.

use std::net::IpAddr;

/// The other end of a connection.
#[derive(Clone, Copy)]
pub struct Peer {
    /// Number of the connection.
    pub connection: u64,
    /// Its address.
    pub address: IpAddr,
    /// Number of the device by whose certificate it came.
    pub device: Option<u64>,
}
