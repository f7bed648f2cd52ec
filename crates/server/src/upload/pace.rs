//! The pace of a sender: silence and slowness both end.

use std::time::{Duration, Instant};

use axum::http::StatusCode;
use bytes::Bytes;
use futures_util::{Stream, StreamExt};

use crate::problem::{Answer, Problem};

/// Time of waiting for a sender after which its rate counts, anew each time.
const WINDOW: Duration = Duration::from_secs(30);
/// Least rate in bytes per second.
const LEAST_RATE: u64 = 256;

/// Waits for the bytes of one body.
pub struct Pace<S> {
    chunks: S,
    patience: Duration,
    waited: Duration,
    bytes: u64,
}

impl<S: Stream<Item = Result<Bytes, axum::Error>> + Unpin> Pace<S> {
    /// A body whose sender may be silent for so long.
    pub fn new(chunks: S, patience: Duration) -> Self {
        Self {
            chunks,
            patience,
            waited: Duration::ZERO,
            bytes: 0,
        }
    }

    /// The next bytes if they come within this time.
    ///
    /// # Errors
    /// Status 408 for a sender that is too slow, 400 for a body that breaks off.
    pub async fn soon(&mut self, within: Duration) -> Answer<Option<Option<Bytes>>> {
        let begun = Instant::now();
        let came = tokio::time::timeout(within, self.chunks.next()).await;
        self.waited += begun.elapsed();
        match came {
            Err(_) => Ok(None),
            Ok(None) => Ok(Some(None)),
            Ok(Some(Ok(chunk))) => {
                self.count(chunk.len() as u64)?;
                Ok(Some(Some(chunk)))
            }
            Ok(Some(Err(_))) => Err(Problem::malformed(
                "body",
                "body: broke off; send again what has no receipt",
            )),
        }
    }

    /// The next bytes; None at the end.
    ///
    /// # Errors
    /// As [`Pace::soon`], and status 408 for a sender that is silent for too long.
    pub async fn next(&mut self) -> Answer<Option<Bytes>> {
        self.soon(self.patience).await?.ok_or_else(slow)
    }

    fn count(&mut self, bytes: u64) -> Answer<()> {
        self.bytes += bytes;
        if self.waited < WINDOW {
            return Ok(());
        }
        if self.bytes < LEAST_RATE * self.waited.as_secs() {
            return Err(slow());
        }
        (self.waited, self.bytes) = (Duration::ZERO, 0);
        Ok(())
    }
}

fn slow() -> Problem {
    let detail = "body: came too slowly; send it again at once, or fewer frames";
    Problem::new(StatusCode::REQUEST_TIMEOUT, "body", detail)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_window_has_to_be_fast_enough() {
        let chunks = futures_util::stream::empty::<Result<Bytes, axum::Error>>();
        let mut pace = Pace::new(chunks, Duration::from_secs(1));
        // A fast begin pays for no slow end.
        assert!(pace.count(1 << 30).is_ok());
        pace.waited = WINDOW;
        assert!(pace.count(1).is_ok());
        pace.waited = WINDOW;
        assert!(pace.count(LEAST_RATE * WINDOW.as_secs() - 1).is_err());
    }
}
