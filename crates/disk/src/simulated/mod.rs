//! A disk in memory that has, on demand, every fault that a real one may have.

mod disk;
mod file;
mod random;
mod state;

pub use disk::SimulatedDisk;
pub use random::Random;

/// Faults to come.
#[derive(Debug, Clone, Default)]
pub struct Faults {
    /// Operations that succeed before the power is lost; all others fail until the restart.
    pub power_after: Option<u64>,
    /// Flushes of bytes that succeed before one fails. It keeps any subset of what was to be flushed and forgets the rest, so
    /// that a later flush that succeeds does not bring it back.
    pub flush_fails_after: Option<u64>,
    /// Bytes of all files at which no room is left.
    pub room: Option<u64>,
}

/// Reason of a restart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loss {
    /// The process ended: all that it wrote is there.
    Process,
    /// The power was lost: what was flushed is there, and any subset of the rest.
    Power,
}
