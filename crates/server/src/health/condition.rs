//! Conditions that one part of the server finds and another one tells.

use std::sync::{Mutex, PoisonError};

/// A condition that lasts until it is found to be over.
#[derive(Default)]
pub struct Condition(Mutex<Option<String>>);

impl Condition {
    /// Sets the problem, or none.
    pub fn set(&self, problem: Option<String>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = problem;
    }

    /// The problem.
    pub fn get(&self) -> Option<String> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}
