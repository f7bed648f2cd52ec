#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod damage;
mod durations;
mod error;
mod index;
mod log;
mod quarantine;
mod reader;
mod record;
mod repair;
mod retention;
mod segments;
mod shared;
mod writer;

/// Threads, locks and channels: the system's, or with the feature `schedules` those of a scheduler that tests run in many orders.
mod threads {
    #[cfg(feature = "schedules")]
    pub use shuttle::{
        sync::{atomic, mpsc, Mutex, MutexGuard, RwLock, RwLockReadGuard},
        thread,
    };
    #[cfg(not(feature = "schedules"))]
    pub use std::{
        sync::{atomic, mpsc, Mutex, MutexGuard, RwLock, RwLockReadGuard},
        thread,
    };
}

pub use damage::{Damage, DamageState};
pub use durations::Durations;
pub use error::{Result, StoreError};
pub use index::{DeviceState, Totals};
pub use log::{Log, Recovered};
pub use quarantine::{Quarantine, Refused};
pub use reader::{Frames, Stored};
pub use record::Head;
pub use repair::Around;
pub use segments::recovery::TornTail;
pub use shared::Options;
#[cfg(feature = "acknowledge-early")]
pub use writer::early;
pub use writer::{AppendOutcome, Done, NewFrame};

/// Position of a record: bytes of all records and headers before it, since the log began.
pub type Position = u64;
