//! Counters of requests and frames.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use isopod_store::Durations;

use crate::health::exposition::Page;

/// Fields by which refused items are counted apart; a message from outside cannot make more.
const MOST_FIELDS: usize = 64;

/// Counters since the start.
#[derive(Default)]
pub struct Metrics {
    /// Frames that were stored.
    pub stored: AtomicU64,
    /// Bytes of them.
    pub stored_bytes: AtomicU64,
    /// Frames that came again.
    pub known: AtomicU64,
    /// Uploads that are read now.
    pub uploads: AtomicU64,
    /// Connections that are open now.
    pub connections: AtomicU64,
    /// Connections refused since as many were open as may be.
    pub connections_refused: AtomicU64,
    /// Jobs that ended with an answer.
    pub jobs_done: AtomicU64,
    /// Jobs that were refused while they ran.
    pub jobs_failed: AtomicU64,
    refused: Mutex<BTreeMap<String, u64>>,
    responses: Mutex<BTreeMap<u16, u64>>,
    /// By route and first digit of the status.
    requests: Mutex<BTreeMap<(String, u16), Durations>>,
}

/// Counts an upload as long as it is read.
pub struct Counted<'a>(&'a AtomicU64);

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Metrics {
    /// An upload from now on.
    pub fn upload(&self) -> Counted<'_> {
        self.uploads.fetch_add(1, Ordering::Relaxed);
        Counted(&self.uploads)
    }

    /// Counts an item that was refused for this field.
    pub fn refuse(&self, field: &str) {
        let mut refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        let plain = field
            .chars()
            .all(|one| one.is_ascii_alphanumeric() || "_-.".contains(one));
        let fits = plain && (refused.len() < MOST_FIELDS || refused.contains_key(field));
        *refused
            .entry(if fits { field } else { "other" }.to_owned())
            .or_default() += 1;
    }

    /// Counts an answer by its status, and its time by the route too. Routes are those of the server, not of the request.
    pub fn respond(&self, route: &str, status: u16, duration: Duration) {
        let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        requests
            .entry((route.to_owned(), status / 100))
            .or_default()
            .add(duration);
        drop(requests);
        let mut responses = self
            .responses
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        *responses.entry(status).or_default() += 1;
    }

    /// Items that were refused, by field.
    pub fn refused(&self) -> BTreeMap<String, u64> {
        self.refused
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Adds all counters to a page.
    pub fn expose(&self, page: &mut Page) {
        let number = |counter: &AtomicU64| counter.load(Ordering::Relaxed) as f64;
        page.counter(
            "isopod_frames_stored_total",
            "Frames stored",
            number(&self.stored),
        );
        page.counter(
            "isopod_stored_bytes_total",
            "Bytes of frames stored",
            number(&self.stored_bytes),
        );
        page.counter(
            "isopod_frames_known_total",
            "Frames that came again",
            number(&self.known),
        );
        page.gauge(
            "isopod_uploads",
            "Uploads being read",
            number(&self.uploads),
        );
        page.gauge(
            "isopod_connections",
            "Connections open",
            number(&self.connections),
        );
        let refused = number(&self.connections_refused);
        page.counter(
            "isopod_connections_refused_total",
            "Connections beyond those allowed",
            refused,
        );
        page.counter(
            "isopod_jobs_done_total",
            "Jobs answered",
            number(&self.jobs_done),
        );
        page.counter(
            "isopod_jobs_failed_total",
            "Jobs without answer",
            number(&self.jobs_failed),
        );
        let refused = self.refused().into_iter();
        let refused =
            refused.map(|(field, number)| (format!("{{field=\"{field}\"}}"), number as f64));
        page.family(
            "isopod_items_refused_total",
            "Items refused, by field",
            "counter",
            refused,
        );
        self.expose_requests(page);
    }

    fn expose_requests(&self, page: &mut Page) {
        let responses = self
            .responses
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let by_status = responses.iter();
        let by_status =
            by_status.map(|(status, number)| (format!("{{status=\"{status}\"}}"), *number as f64));
        page.family(
            "isopod_responses_total",
            "Answers, by status",
            "counter",
            by_status,
        );
        let requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        let by_route = requests.iter().map(|((route, class), durations)| {
            (format!("route=\"{route}\",status=\"{class}xx\""), durations)
        });
        page.histogram(
            "isopod_request_duration_seconds",
            "Time until the answer began, by route and status",
            by_route,
        );
    }
}
