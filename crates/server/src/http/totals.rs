//! Numbers for operators, and what they may delete.

use std::sync::Arc;

use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::{Extension, Json};
use isopod_keys::key_name;
use isopod_store::{Quarantine, Refused};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::admit::access::Caller;
use crate::problem::{Answer, Problem};
use crate::service::Service;

/// Devices in one answer.
const MOST_LISTED: usize = 10_000;

/// Numbers of the whole server.
#[derive(Debug, Serialize, ToSchema)]
pub struct Totals {
    /// Devices that sent a frame; with Kafka, in the partitions that this server reads.
    devices: u64,
    /// Frames that were stored since the log or these partitions began.
    frames: u64,
    /// Bytes of them.
    bytes: u64,
    /// Frames missing between those that came.
    missing: u64,
    /// Items in quarantine.
    quarantine: u64,
    /// Frames in the log now: those stored, without what retention and deletions took.
    log_frames: u64,
    /// Bytes of the log on disk.
    log_bytes: u64,
    /// Bytes that retention removed from the log, and that can be put back.
    removed_bytes: u64,
    /// Frames in the tables.
    table_frames: u64,
    /// Bytes of the tables on disk.
    table_bytes: u64,
    /// Bytes of the log that are in no table yet.
    table_behind: u64,
    /// Seconds since the start.
    seconds: u64,
    /// Items refused since the start, by field.
    #[schema(value_type = Object)]
    refused: std::collections::BTreeMap<String, u64>,
}

fn count(service: &Service) -> Answer<Totals> {
    let store = service.store()?;
    let (tables, end) = (store.tables.size(), store.log.end());
    let log = store.totals();
    Ok(Totals {
        devices: log.devices,
        frames: log.frames,
        bytes: log.bytes,
        missing: log.missing,
        log_frames: log.stored,
        log_bytes: end - store.log.begin(),
        removed_bytes: store.log.removed_bytes()?,
        table_frames: tables.frames,
        table_bytes: tables.bytes,
        table_behind: end.saturating_sub(tables.position),
        quarantine: store.quarantine.as_ref().map_or(0, Quarantine::items),
        seconds: service.seconds(),
        refused: service.metrics.refused(),
    })
}

/// Numbers of the whole server.
#[utoipa::path(get, path = "/v1/totals", tag = "state", responses(
    (status = 200, description = "They are", body = Totals),
    (status = 401, description = "No token", body = Problem, content_type = "application/problem+json"),
    (status = 403, description = "May not read this", body = Problem, content_type = "application/problem+json"),
    (status = 503, description = "Not ready", body = Problem, content_type = "application/problem+json")))]
pub async fn totals(
    State(service): State<Arc<Service>>,
    Extension(caller): Extension<Caller>,
) -> Answer<Json<Totals>> {
    caller.may_monitor()?;
    count(&service).map(Json)
}

/// Where a list goes on.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct From {
    /// The number behind which the list begins.
    after: Option<u64>,
}

/// A device that sent a frame.
#[derive(Debug, Serialize, ToSchema)]
pub struct Device {
    /// Key pair in hexadecimal.
    key: String,
    /// Number of the device.
    device: u64,
    /// Restarts that the newest frame names.
    epoch: u32,
    /// Number of the newest frame since the restart.
    sequence: u64,
    /// Arrival of the last frame, in milliseconds since 1970.
    received: u64,
    /// Frames that were stored.
    frames: u64,
    /// Bytes of them.
    bytes: u64,
    /// Frames missing between those that came.
    missing: u64,
    /// Whether the device is revoked.
    revoked: bool,
}

/// Devices that sent frames, by key pair and number, at most 10,000 from `after` on. With Kafka, they are those of the partitions
/// that this server reads.
#[utoipa::path(get, path = "/v1/devices", tag = "devices", params(From), responses(
    (status = 200, description = "The devices", body = Vec<Device>),
    (status = 400, description = "Not a number", body = Problem, content_type = "application/problem+json"),
    (status = 401, description = "No token", body = Problem, content_type = "application/problem+json"),
    (status = 403, description = "May not read this", body = Problem, content_type = "application/problem+json"),
    (status = 503, description = "Not ready", body = Problem, content_type = "application/problem+json")))]
pub async fn devices(
    State(service): State<Arc<Service>>,
    Extension(caller): Extension<Caller>,
    from: Result<Query<From>, QueryRejection>,
) -> Answer<Json<Vec<Device>>> {
    caller.may_monitor()?;
    let after = from
        .map_err(|error| Problem::malformed("after", error.body_text()))?
        .after;
    let found = tokio::task::spawn_blocking(move || listed(&service, after)).await;
    found.unwrap_or_else(|_| Err(panicked())).map(Json)
}

fn listed(service: &Service, after: Option<u64>) -> Answer<Vec<Device>> {
    let store = service.store()?;
    let mut found = Vec::new();
    for pair in service.pairs.all() {
        let (key_id, revoked) = (pair.server.key_id(), pair.revoked().ok());
        let room = MOST_LISTED - found.len();
        for (device, state) in store.devices(&key_id, after, room)? {
            let (epoch, sequence) = state.seen.newest().unwrap_or_default();
            let revoked = revoked.as_ref();
            found.push(Device {
                key: key_name(&key_id),
                device,
                epoch,
                sequence,
                received: state.received,
                frames: state.frames,
                bytes: state.bytes,
                missing: state.seen.missing(),
                revoked: revoked.is_some_and(|list| list.get(device).is_some()),
            });
        }
    }
    Ok(found)
}

/// Which frames to delete.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct DeviceQuery {
    /// Number of the device whose frames are deleted.
    device: u64,
    /// Key pair in hexadecimal. It may be left out where the server has one.
    key: Option<String>,
}

/// Outcome of a deletion.
#[derive(Debug, Serialize, ToSchema)]
pub struct Deleted {
    /// Number of frames in the log.
    deleted: u64,
    /// Number of frames in the table.
    of_table: u64,
}

/// Deletes all frames of a device that are stored by now, from log and table. Their names stay known: they cannot come back.
#[utoipa::path(delete, path = "/v1/frames", tag = "frames", params(DeviceQuery), responses(
    (status = 200, description = "They are gone", body = Deleted),
    (status = 400, description = "Not a number", body = Problem, content_type = "application/problem+json"),
    (status = 401, description = "No token", body = Problem, content_type = "application/problem+json"),
    (status = 403, description = "Not the owner", body = Problem, content_type = "application/problem+json"),
    (status = 422, description = "Another key pair", body = Problem, content_type = "application/problem+json"),
    (status = 500, description = "The disk failed", body = Problem, content_type = "application/problem+json"),
    (status = 503, description = "Not ready", body = Problem, content_type = "application/problem+json"),
    (status = 507, description = "No room on the disk", body = Problem, content_type = "application/problem+json")))]
pub async fn delete_frames(
    State(service): State<Arc<Service>>,
    Extension(caller): Extension<Caller>,
    which: Result<Query<DeviceQuery>, QueryRejection>,
) -> Answer<Json<Deleted>> {
    caller.may_own()?;
    let Query(which) = which.map_err(|error| Problem::malformed("device", error.body_text()))?;
    let key_id = service.key_id(which.key.as_deref())?;
    let work = move || -> Answer<(u64, u64)> {
        let store = service.store()?;
        let tables = &store.tables;
        tables.delete_device(&store.log, &key_id, which.device)
    };
    let (deleted, of_table) = tokio::task::spawn_blocking(work)
        .await
        .unwrap_or_else(|_| Err(panicked()))?;
    Ok(Json(Deleted { deleted, of_table }))
}

/// The refusal of a request whose work ended the wrong way.
pub fn panicked() -> Problem {
    Problem::new(
        StatusCode::INTERNAL_SERVER_ERROR,
        "server",
        "the request could not be worked off",
    )
}

/// An item that did not enter.
#[derive(Debug, Serialize, ToSchema)]
pub struct SetAside {
    /// When it came, in milliseconds since 1970.
    received: u64,
    /// Why it did not enter.
    reason: String,
    /// Device, epoch and sequence, where its tag verified.
    #[schema(value_type = Option<Vec<u64>>)]
    frame: Option<(u64, u32, u64)>,
    /// Its bytes.
    bytes: usize,
}

/// The last 1,000 items in quarantine, newest first.
#[utoipa::path(get, path = "/v1/quarantine", tag = "frames", responses(
    (status = 200, description = "The items", body = Vec<SetAside>),
    (status = 401, description = "No token", body = Problem, content_type = "application/problem+json"),
    (status = 403, description = "May not read this", body = Problem, content_type = "application/problem+json"),
    (status = 500, description = "The disk failed", body = Problem, content_type = "application/problem+json"),
    (status = 503, description = "Not ready", body = Problem, content_type = "application/problem+json")))]
pub async fn quarantine(
    State(service): State<Arc<Service>>,
    Extension(caller): Extension<Caller>,
) -> Answer<Json<Vec<SetAside>>> {
    caller.may_monitor()?;
    let read = move || -> Answer<Vec<SetAside>> {
        let mut items = std::collections::VecDeque::new();
        let keep = |item: Refused| {
            items.push_front(SetAside {
                received: item.received,
                reason: item.reason,
                frame: item.claims.map(|id| (id.device, id.epoch, id.sequence)),
                bytes: item.bytes.len(),
            });
            items.truncate(1000);
        };
        let quarantine = service.store()?.quarantine.as_ref();
        quarantine.map_or(Ok(()), |quarantine| quarantine.read(keep))?;
        Ok(items.into())
    };
    let items = tokio::task::spawn_blocking(read)
        .await
        .unwrap_or_else(|_| Err(panicked()))?;
    Ok(Json(items))
}
