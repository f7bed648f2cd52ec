//! The clock of the server.

use std::time::SystemTime;

/// The time in milliseconds since 1970.
pub fn now() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.map_or(0, |since| since.as_millis() as u64)
}
