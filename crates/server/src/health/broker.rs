//! The connection to the broker, as operators see it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// State of the connection.
#[derive(Debug, Default, Clone, Copy)]
enum State {
    /// None is wanted.
    #[default]
    None,
    Up,
    /// Since then.
    Lost(Instant),
}

/// The connection to the broker.
#[derive(Debug, Default)]
pub struct Broker {
    state: Mutex<State>,
    connections: AtomicU64,
}

impl Broker {
    /// Notes that there is no connection, and that there should be one.
    pub fn lose(&self) {
        let mut state = self.state();
        if !matches!(*state, State::Lost(_)) {
            *state = State::Lost(Instant::now());
        }
    }

    /// Notes that the connection is made.
    pub fn connect(&self) {
        *self.state() = State::Up;
        self.connections.fetch_add(1, Ordering::Relaxed);
    }

    /// Time since the connection was lost; none while it is up, or if none is wanted.
    pub fn lost_for(&self) -> Option<Duration> {
        match *self.state() {
            State::Lost(since) => Some(since.elapsed()),
            _ => None,
        }
    }

    /// Whether the connection is up; None if none is wanted.
    pub fn is_up(&self) -> Option<bool> {
        match *self.state() {
            State::None => None,
            State::Up => Some(true),
            State::Lost(_) => Some(false),
        }
    }

    /// Connections that were made after the first one.
    pub fn reconnects(&self) -> u64 {
        self.connections.load(Ordering::Relaxed).saturating_sub(1)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_loss_counts_from_its_begin_and_a_connection_ends_it() {
        let broker = Broker::default();
        assert_eq!((broker.is_up(), broker.lost_for()), (None, None));
        broker.lose();
        std::thread::sleep(Duration::from_millis(20));
        broker.lose();
        assert!(broker.lost_for().unwrap() >= Duration::from_millis(20));
        broker.connect();
        assert_eq!(
            (broker.is_up(), broker.lost_for(), broker.reconnects()),
            (Some(true), None, 0)
        );
        broker.lose();
        broker.connect();
        assert_eq!(broker.reconnects(), 1);
    }
}
