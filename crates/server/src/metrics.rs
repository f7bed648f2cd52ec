//! Counters in the text format of Prometheus.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

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
            .all(|one| one.is_ascii_alphanumeric() || "_-".contains(one));
        let fits = plain && (refused.len() < MOST_FIELDS || refused.contains_key(field));
        *refused
            .entry(if fits { field } else { "other" }.to_owned())
            .or_default() += 1;
    }

    /// Counts an answer by its status.
    pub fn respond(&self, status: u16) {
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

    fn counters(&self) -> [(&'static str, &'static str, &AtomicU64); 8] {
        [
            ("frames_stored_total", "Frames stored", &self.stored),
            ("stored_bytes_total", "Their bytes", &self.stored_bytes),
            ("frames_known_total", "Frames that came again", &self.known),
            ("uploads", "Uploads being read", &self.uploads),
            ("connections", "Connections open", &self.connections),
            (
                "connections_refused_total",
                "Connections too many",
                &self.connections_refused,
            ),
            ("jobs_done_total", "Jobs answered", &self.jobs_done),
            (
                "jobs_failed_total",
                "Jobs without answer",
                &self.jobs_failed,
            ),
        ]
    }

    /// The page, with further gauges.
    pub fn page(&self, gauges: &[(&str, &str, u64)]) -> String {
        let mut page = String::new();
        for (name, help, counter) in self.counters() {
            let kind = if name.ends_with("_total") {
                "counter"
            } else {
                "gauge"
            };
            let number = counter.load(Ordering::Relaxed);
            sample(&mut page, name, help, kind, &[("", number)]);
        }
        for (name, help, number) in gauges {
            sample(&mut page, name, help, "gauge", &[("", *number)]);
        }
        let refused: Vec<(String, u64)> = self
            .refused()
            .into_iter()
            .map(|(field, number)| (format!("{{field=\"{field}\"}}"), number))
            .collect();
        sample(
            &mut page,
            "items_refused_total",
            "Items refused, by field",
            "counter",
            &refused,
        );
        let responses = self
            .responses
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let responses: Vec<(String, u64)> = responses
            .iter()
            .map(|(status, number)| (format!("{{status=\"{status}\"}}"), *number))
            .collect();
        sample(
            &mut page,
            "responses_total",
            "Answers, by status",
            "counter",
            &responses,
        );
        page
    }
}

fn sample(
    page: &mut String,
    name: &str,
    help: &str,
    kind: &str,
    values: &[(impl AsRef<str>, u64)],
) {
    let _ = writeln!(
        page,
        "# HELP isopod_{name} {help}.\n# TYPE isopod_{name} {kind}"
    );
    for (labels, number) in values {
        let _ = writeln!(page, "isopod_{name}{} {number}", labels.as_ref());
    }
}
