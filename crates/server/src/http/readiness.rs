//! Readiness: whether requests are taken, the reasons why not, and what an operator should look at all the same.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::Json;
use isopod_store::Log;
use serde::Serialize;
use utoipa::ToSchema;

use crate::service::Service;

/// A reason why the server is not ready, or a warning.
#[derive(Debug, Serialize, ToSchema)]
pub struct Reason {
    /// Part of the server: `server`, `storage`, `broker`, `clock`, `retention`, `tables` or `log`.
    pub field: &'static str,
    /// The problem, and what to do.
    pub detail: String,
}

/// Whether requests are taken.
#[derive(Debug, Serialize, ToSchema)]
pub struct Readiness {
    /// They are.
    pub ready: bool,
    /// Why not.
    pub reasons: Vec<Reason>,
    /// Conditions under which the server works, and which an operator should look at.
    pub warnings: Vec<Reason>,
}

/// Stretches of a log that cannot be read and count.
#[derive(Debug, Default, Clone, Copy)]
pub struct Damaged {
    /// Number of them.
    pub stretches: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// Damage that the log knows of.
pub fn damaged(log: &Log) -> Damaged {
    let mut found = Damaged::default();
    for damage in log.damage() {
        if damage.concerns(|_| true) {
            found.stretches += 1;
            found.bytes += damage.bytes;
        }
    }
    found
}

impl Readiness {
    /// Readiness of a server at this moment.
    pub fn of(service: &Service) -> Self {
        let reasons = reasons(service);
        Self {
            ready: reasons.is_empty(),
            reasons,
            warnings: warnings(service),
        }
    }
}

fn reasons(service: &Service) -> Vec<Reason> {
    let server = service.store().err().map(|problem| problem.detail);
    let is_broken = service.opened().is_some_and(|store| store.log.is_broken());
    let broken = is_broken
        .then(|| "a flush to the disk failed: the server ends, and must start again".to_owned());
    let lost = service
        .broker
        .lost_for()
        .filter(|lost| *lost >= service.limits.broker_patience);
    let lost = lost.map(|lost| format!("the broker has been lost for {} seconds", lost.as_secs()));
    let brokers = service.topic.lost_for();
    let brokers = brokers.filter(|lost| *lost >= service.limits.broker_patience);
    let brokers = brokers.map(|lost| {
        format!(
            "the brokers of the topic have been lost for {} seconds",
            lost.as_secs()
        )
    });
    listed([
        ("server", server),
        ("storage", broken),
        ("storage", service.disk.problem()),
        ("broker", lost),
        ("kafka", brokers),
        ("kafka", service.stream_problem.get()),
    ])
}

fn warnings(service: &Service) -> Vec<Reason> {
    let damage = service
        .opened()
        .map(|store| damaged(&store.log))
        .unwrap_or_default();
    let damaged = (damage.stretches > 0).then(|| {
        let Damaged { stretches, bytes } = damage;
        format!("{stretches} stretches of {bytes} bytes are damaged; GET /v1/damage names them")
    });
    listed([
        ("clock", service.clock.doubt()),
        ("retention", service.retention_problem.get()),
        ("tables", service.tables_problem.get()),
        ("log", damaged),
        ("kafka", service.records_removed.get()),
    ])
}

fn listed<const N: usize>(all: [(&'static str, Option<String>); N]) -> Vec<Reason> {
    let found = all.into_iter().filter_map(|(field, detail)| {
        Some(Reason {
            field,
            detail: detail?,
        })
    });
    found.collect()
}

/// Whether requests are taken, with the reasons why not, and warnings.
#[utoipa::path(get, path = "/readyz", tag = "state", responses(
    (status = 200, description = "They are", body = Readiness),
    (status = 503, description = "They are not, or should not be sent here", body = Readiness)))]
pub async fn readyz(State(service): State<Arc<Service>>) -> (StatusCode, Json<Readiness>) {
    let readiness = Readiness::of(&service);
    let status = match readiness.ready {
        true => StatusCode::OK,
        false => StatusCode::SERVICE_UNAVAILABLE,
    };
    (status, Json(readiness))
}
