//! The page of metrics.

use std::sync::Arc;

use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum::Extension;
use isopod_store::Quarantine;

use crate::admit::access::Caller;
use crate::health::exposition::Page;
use crate::health::process;
use crate::http::readiness::{damaged, Readiness};
use crate::problem::{Answer, Problem};
use crate::service::{Service, Store};

/// Type of the page, with the version of its format.
const TEXT: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Metrics in the text format of Prometheus. Those of log and tables are left out until the log is recovered.
#[utoipa::path(get, path = "/metrics", tag = "state", responses(
    (status = 200, description = "The page", body = String, content_type = "text/plain"),
    (status = 401, description = "No token", body = Problem, content_type = "application/problem+json"),
    (status = 403, description = "May not read this", body = Problem, content_type = "application/problem+json")))]
pub async fn metrics(
    State(service): State<Arc<Service>>,
    Extension(caller): Extension<Caller>,
) -> Answer<Response> {
    caller.may_monitor()?;
    let mut page = Page::default();
    let version = [(
        format!("{{version=\"{}\"}}", env!("CARGO_PKG_VERSION")),
        1.0,
    )];
    page.family(
        "isopod_build_info",
        "Version of the program",
        "gauge",
        version,
    );
    service.metrics.expose(&mut page);
    expose_state(&service, &mut page);
    if let Some(store) = service.opened() {
        expose_log(&service, store, &mut page);
        expose_writes(&service, store, &mut page);
        expose_tables(store, &mut page);
    }
    process::expose(&mut page);
    Ok(([(header::CONTENT_TYPE, TEXT)], page.text()).into_response())
}

fn flag(condition: bool) -> f64 {
    f64::from(u8::from(condition))
}

fn expose_state(service: &Service, page: &mut Page) {
    let readiness = Readiness::of(service);
    page.gauge(
        "isopod_ready",
        "Whether requests are taken",
        flag(readiness.ready),
    );
    page.gauge(
        "isopod_warnings",
        "Conditions that an operator should look at",
        readiness.warnings.len() as f64,
    );
    if let Some(room) = service.disk.room() {
        page.gauge(
            "isopod_disk_free_bytes",
            "Room on the disk of the data",
            room.free as f64,
        );
        page.gauge(
            "isopod_disk_size_bytes",
            "Size of the disk of the data",
            room.size as f64,
        );
    }
    if let Some(is_up) = service.broker.is_up() {
        page.gauge(
            "isopod_broker_up",
            "Whether the broker is connected",
            flag(is_up),
        );
        let reconnects = service.broker.reconnects() as f64;
        page.counter(
            "isopod_broker_reconnects_total",
            "Connections to the broker after the first",
            reconnects,
        );
    }
    page.gauge(
        "isopod_clock_doubtful",
        "Whether the clock of the system is in doubt",
        flag(service.clock.doubt().is_some()),
    );
    page.counter(
        "isopod_clock_jumps_total",
        "Jumps of the system's clock that were not believed",
        service.clock.jumps() as f64,
    );
    let refused = flag(service.retention_problem.get().is_some());
    page.gauge(
        "isopod_retention_refused",
        "Whether frames are due that retention does not remove",
        refused,
    );
    let (waiting, running) = service.jobs.counts();
    page.gauge("isopod_jobs_waiting", "Jobs that wait", waiting as f64);
    page.gauge("isopod_jobs_running", "Jobs that run", running as f64);
}

fn expose_log(service: &Service, store: &Store, page: &mut Page) {
    let (log, totals) = (&store.log, store.totals());
    let index = std::fs::metadata(service.data.join("log/devices")).map_or(0, |index| index.len());
    let removed = log.removed_bytes().unwrap_or(0);
    for (name, help, number) in [
        (
            "isopod_devices",
            "Devices that sent a frame",
            totals.devices,
        ),
        (
            "isopod_frames_missing",
            "Frames missing between those that came",
            totals.missing,
        ),
        ("isopod_log_frames", "Frames in the log", totals.stored),
        (
            "isopod_log_bytes",
            "Bytes of the log",
            log.end() - log.begin(),
        ),
        (
            "isopod_removed_bytes",
            "Bytes that retention removed and that can be put back",
            removed,
        ),
        (
            "isopod_index_bytes",
            "Bytes of the index of all names",
            index,
        ),
        (
            "isopod_quarantine_items",
            "Items in quarantine",
            store.quarantine.as_ref().map_or(0, Quarantine::items),
        ),
    ] {
        page.gauge(name, help, number as f64);
    }
}

fn expose_writes(service: &Service, store: &Store, page: &mut Page) {
    let log = &store.log;
    let (damage, torn) = (damaged(log), service.torn_bytes());
    page.gauge(
        "isopod_damaged_stretches",
        "Stretches of the log that cannot be read",
        damage.stretches as f64,
    );
    page.gauge(
        "isopod_damaged_bytes",
        "Bytes of the log that cannot be read",
        damage.bytes as f64,
    );
    page.gauge(
        "isopod_torn_bytes",
        "Bytes without acknowledgement that the last crash left",
        torn as f64,
    );
    page.gauge(
        "isopod_writes_broken",
        "Whether a flush failed, so that nothing is stored",
        flag(log.is_broken()),
    );
    page.histogram(
        "isopod_flush_duration_seconds",
        "Time of a flush to the disk",
        [(String::new(), log.flushes())],
    );
}

fn expose_tables(store: &Store, page: &mut Page) {
    let tables = store.tables.size();
    let behind = store.log.end().saturating_sub(tables.position);
    page.gauge(
        "isopod_table_frames",
        "Frames in the tables",
        tables.frames as f64,
    );
    page.gauge(
        "isopod_table_bytes",
        "Bytes of the tables",
        tables.bytes as f64,
    );
    page.gauge(
        "isopod_table_behind_bytes",
        "Bytes of the log that are in no table yet",
        behind as f64,
    );
}
