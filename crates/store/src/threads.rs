//! Threads, locks and channels: the system's, or with the feature `schedules` those of a scheduler that tests run in many orders.

#[cfg(feature = "schedules")]
pub(crate) use shuttle::{
    sync::{atomic, mpsc, Mutex, MutexGuard, RwLock, RwLockReadGuard},
    thread,
};
#[cfg(not(feature = "schedules"))]
pub(crate) use std::{
    sync::{atomic, mpsc, Mutex, MutexGuard, RwLock, RwLockReadGuard},
    thread,
};
