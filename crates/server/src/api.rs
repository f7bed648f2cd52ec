//! The interface over HTTP, and its description.

use std::sync::atomic::Ordering;
use std::sync::Arc;
use std::time::Instant;

use axum::body::Body;
use axum::extract::rejection::{JsonRejection, PathRejection, QueryRejection};
use axum::extract::{MatchedPath, Path, Query, Request, State};
use axum::http::{header, HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Extension, Json, Router};
use futures_util::{stream, Stream};
use isopod_keys::key_name;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, OpenApi, ToSchema};

use crate::access::Caller;
use crate::dashboard;
use crate::jobs::{self, Asked, JobState, State as JobPhase};
use crate::problem::{Answer, Problem};
use crate::service::Service;
use crate::upload;

/// Most bytes of a body that is not of frames: a request with a model.
const MOST_JSON: usize = 8 << 20;
/// Devices and jobs in one answer.
const MOST_LISTED: usize = 10_000;

/// The description of the interface.
#[derive(OpenApi)]
#[openapi(
    info(title = "isopod-server", description = "Takes encrypted frames of devices and computes on them without a key.",
         license(name = "Apache-2.0")),
    paths(upload::frames, devices, delete_frames, quarantine, ask, all_jobs, one_job, events, results, totals, healthz, readyz,
          metrics_page),
    components(schemas(Problem, upload::Receipt, upload::Sequence, Device, Asked, JobState, JobEvent, JobPhase, SetAside, Totals,
                       Deleted)),
    modifiers(&Token),
    security((), ("token" = []))
)]
pub struct Description;

struct Token;

impl utoipa::Modify for Token {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
        let token = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).build();
        if let Some(components) = &mut document.components {
            components.add_security_scheme("token", SecurityScheme::Http(token));
        }
    }
}

/// All routes. A connection adds the number of the device whose certificate it has.
pub fn router(service: Arc<Service>) -> Router {
    let known = Router::new()
        .route("/v1/frames", post(upload::frames).delete(delete_frames))
        .route("/v1/devices", get(devices))
        .route("/v1/quarantine", get(quarantine))
        .route("/v1/jobs", post(ask).get(all_jobs))
        .route("/v1/jobs/{id}", get(one_job))
        .route("/v1/jobs/{id}/events", get(events))
        .route("/v1/jobs/{id}/results", get(results))
        .route("/v1/totals", get(totals))
        .route("/metrics", get(metrics_page))
        .layer(axum::middleware::from_fn_with_state(
            service.clone(),
            authorize,
        ));
    Router::new()
        .merge(known)
        .route("/healthz", get(healthz))
        .route("/readyz", get(readyz))
        .route("/openapi.json", get(description))
        .merge(dashboard::router())
        .fallback(|| async {
            Problem::missing("path", "path: nothing is here; /openapi.json lists all")
        })
        .method_not_allowed_fallback(|method: Method| async move {
            let detail = format!("method: {method}; /openapi.json lists those of this path");
            Problem::new(StatusCode::METHOD_NOT_ALLOWED, "method", detail)
        })
        .layer(axum::middleware::from_fn_with_state(
            service.clone(),
            record,
        ))
        .layer(axum::extract::DefaultBodyLimit::max(MOST_JSON))
        .with_state(service)
}

/// Number of the device by whose certificate a connection came.
#[derive(Clone, Copy)]
pub struct Certified(pub Option<u64>);

/// Finds out who asks.
async fn authorize(
    State(service): State<Arc<Service>>,
    mut request: Request,
    next: Next,
) -> Answer<Response> {
    let device = request
        .extensions()
        .get::<Certified>()
        .and_then(|certified| certified.0);
    let caller = service.access.caller(device, request.headers())?;
    if let Caller::Device(device) = caller {
        let revoked = service.pairs.all().all(|pair| {
            let list = pair.revoked();
            list.map_or(true, |list| {
                list.get(device).is_some_and(|entry| entry.kept.is_none())
            })
        });
        if revoked {
            let detail = format!("device: {device} is revoked; allowed are devices in use");
            return Err(Problem::forbidden("device", detail));
        }
    }
    let name = caller.name();
    request.extensions_mut().insert(caller);
    let mut response = next.run(request).await;
    response.extensions_mut().insert(Named(name));
    Ok(response)
}

/// Who asked, for the log.
#[derive(Clone)]
struct Named(String);

/// Counts and logs every request: no address, header or body.
async fn record(State(service): State<Arc<Service>>, request: Request, next: Next) -> Response {
    let begun = Instant::now();
    let method = request.method().clone();
    let path = request
        .extensions()
        .get::<MatchedPath>()
        .map_or("other".to_owned(), |path| path.as_str().to_owned());
    let mut response = next.run(request).await;
    let status = response.status().as_u16();
    service.metrics.respond(status);
    let by = response
        .extensions_mut()
        .remove::<Named>()
        .map_or(String::new(), |name| name.0);
    let milliseconds = begun.elapsed().as_millis() as u64;
    tracing::info!(%method, path, status, milliseconds, by, "request");
    let headers = response.headers_mut();
    headers.insert(
        header::X_CONTENT_TYPE_OPTIONS,
        HeaderValue::from_static("nosniff"),
    );
    if !headers.contains_key(header::CACHE_CONTROL) {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    response
}

/// Whether the process lives.
#[utoipa::path(get, path = "/healthz", tag = "state", responses((status = 200, description = "It does", body = String)))]
async fn healthz() -> &'static str {
    "ok\n"
}

/// Whether requests are taken: 503 until the log is recovered.
#[utoipa::path(get, path = "/readyz", tag = "state", responses(
    (status = 200, description = "They are", body = String),
    (status = 503, description = "Not yet, or not any more", body = Problem, content_type = "application/problem+json")))]
async fn readyz(State(service): State<Arc<Service>>) -> Answer<&'static str> {
    service.store().map(|_| "ready\n")
}

async fn description() -> Json<utoipa::openapi::OpenApi> {
    Json(Description::openapi())
}

/// Counters and gauges in the text format of Prometheus.
#[utoipa::path(get, path = "/metrics", tag = "state", responses(
    (status = 200, description = "The page", body = String, content_type = "text/plain"),
    (status = 401, description = "No token", body = Problem, content_type = "application/problem+json"),
    (status = 403, description = "May not read this", body = Problem, content_type = "application/problem+json"),
    (status = 503, description = "Not ready", body = Problem, content_type = "application/problem+json")))]
async fn metrics_page(
    State(service): State<Arc<Service>>,
    Extension(caller): Extension<Caller>,
) -> Answer<String> {
    caller.may_monitor()?;
    let totals = count(&service)?;
    Ok(service.metrics.page(&[
        ("devices", "Devices that sent a frame", totals.devices),
        ("log_bytes", "Bytes of the log", totals.log_bytes),
        (
            "frames_missing",
            "Frames missing between those that came",
            totals.missing,
        ),
        ("quarantine_items", "Items in quarantine", totals.quarantine),
        ("uptime_seconds", "Seconds since the start", totals.seconds),
    ]))
}

/// Numbers of the whole server.
#[derive(Debug, Default, Serialize, ToSchema)]
struct Totals {
    /// Devices that sent a frame.
    devices: u64,
    /// Frames that were stored since the log began.
    frames: u64,
    /// Bytes of them.
    bytes: u64,
    /// Frames missing between those that came.
    missing: u64,
    /// Items in quarantine.
    quarantine: u64,
    /// Bytes of the log on disk.
    log_bytes: u64,
    /// Seconds since the start.
    seconds: u64,
    /// Items refused since the start, by field.
    #[schema(value_type = Object)]
    refused: std::collections::BTreeMap<String, u64>,
}

fn count(service: &Service) -> Answer<Totals> {
    let store = service.store()?;
    let mut totals = Totals {
        quarantine: store.quarantine.items(),
        log_bytes: store.log.end() - store.log.begin(),
        seconds: service.seconds(),
        refused: service.metrics.refused(),
        ..Totals::default()
    };
    store.log.devices(|_, _, device| {
        totals.devices += 1;
        totals.frames += device.frames;
        totals.bytes += device.bytes;
        totals.missing = totals.missing.saturating_add(device.seen.missing());
    });
    Ok(totals)
}

/// Numbers of the whole server.
#[utoipa::path(get, path = "/v1/totals", tag = "state", responses(
    (status = 200, description = "They are", body = Totals),
    (status = 401, description = "No token", body = Problem, content_type = "application/problem+json"),
    (status = 403, description = "May not read this", body = Problem, content_type = "application/problem+json"),
    (status = 503, description = "Not ready", body = Problem, content_type = "application/problem+json")))]
async fn totals(
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
struct From {
    /// The number behind which the list begins.
    after: Option<u64>,
}

/// A device that sent a frame.
#[derive(Debug, Serialize, ToSchema)]
struct Device {
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

/// Devices that sent frames, by key pair and number, at most 10,000 from `after` on.
#[utoipa::path(get, path = "/v1/devices", tag = "devices", params(From), responses(
    (status = 200, description = "The devices", body = Vec<Device>),
    (status = 400, description = "Not a number", body = Problem, content_type = "application/problem+json"),
    (status = 401, description = "No token", body = Problem, content_type = "application/problem+json"),
    (status = 403, description = "May not read this", body = Problem, content_type = "application/problem+json"),
    (status = 503, description = "Not ready", body = Problem, content_type = "application/problem+json")))]
async fn devices(
    State(service): State<Arc<Service>>,
    Extension(caller): Extension<Caller>,
    from: Result<Query<From>, QueryRejection>,
) -> Answer<Json<Vec<Device>>> {
    caller.may_monitor()?;
    let after = from
        .map_err(|error| Problem::malformed("after", error.body_text()))?
        .after;
    let revoked: Vec<_> = service
        .pairs
        .all()
        .map(|pair| (pair.server.key_id(), pair.revoked().ok()))
        .collect();
    let mut found = Vec::new();
    service.store()?.log.devices(|key_id, device, state| {
        if after.is_some_and(|after| device <= after) || found.len() >= MOST_LISTED {
            return;
        }
        let list = revoked
            .iter()
            .find(|(of, _)| of == key_id)
            .and_then(|(_, list)| list.as_ref());
        let (epoch, sequence) = state.seen.newest().unwrap_or_default();
        found.push(Device {
            key: key_name(key_id),
            device,
            epoch,
            sequence,
            received: state.received,
            frames: state.frames,
            bytes: state.bytes,
            missing: state.seen.missing(),
            revoked: list.is_some_and(|list| list.get(device).is_some()),
        });
    });
    Ok(Json(found))
}

/// Which frames to delete.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct Which {
    /// Number of the device whose frames are deleted.
    device: u64,
    /// Key pair in hexadecimal. It may be left out where the server has one.
    key: Option<String>,
}

/// Outcome of a deletion.
#[derive(Debug, Serialize, ToSchema)]
struct Deleted {
    /// Number of frames.
    deleted: u64,
}

/// Deletes all frames of a device that are stored by now. Their names stay known, so that they cannot come back.
#[utoipa::path(delete, path = "/v1/frames", tag = "frames", params(Which), responses(
    (status = 200, description = "They are gone", body = Deleted),
    (status = 400, description = "Not a number", body = Problem, content_type = "application/problem+json"),
    (status = 401, description = "No token", body = Problem, content_type = "application/problem+json"),
    (status = 403, description = "Not the owner", body = Problem, content_type = "application/problem+json"),
    (status = 422, description = "Another key pair", body = Problem, content_type = "application/problem+json"),
    (status = 500, description = "The disk failed", body = Problem, content_type = "application/problem+json"),
    (status = 503, description = "Not ready", body = Problem, content_type = "application/problem+json"),
    (status = 507, description = "No room on the disk", body = Problem, content_type = "application/problem+json")))]
async fn delete_frames(
    State(service): State<Arc<Service>>,
    Extension(caller): Extension<Caller>,
    which: Result<Query<Which>, QueryRejection>,
) -> Answer<Json<Deleted>> {
    caller.may_own()?;
    let Query(which) = which.map_err(|error| Problem::malformed("device", error.body_text()))?;
    let key_id = service.key_id(which.key.as_deref())?;
    let work =
        move || -> Answer<u64> { Ok(service.store()?.log.delete_device(&key_id, which.device)?) };
    let deleted = tokio::task::spawn_blocking(work)
        .await
        .unwrap_or_else(|_| Err(panicked()))?;
    Ok(Json(Deleted { deleted }))
}

fn panicked() -> Problem {
    Problem::new(
        StatusCode::INTERNAL_SERVER_ERROR,
        "server",
        "the request could not be worked off",
    )
}

/// An item that did not enter.
#[derive(Debug, Serialize, ToSchema)]
struct SetAside {
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
async fn quarantine(
    State(service): State<Arc<Service>>,
    Extension(caller): Extension<Caller>,
) -> Answer<Json<Vec<SetAside>>> {
    caller.may_monitor()?;
    let read = move || -> Answer<Vec<SetAside>> {
        let mut items = std::collections::VecDeque::new();
        service.store()?.quarantine.read(|item| {
            items.push_front(SetAside {
                received: item.received,
                reason: item.reason,
                frame: item.claims.map(|id| (id.device, id.epoch, id.sequence)),
                bytes: item.bytes.len(),
            });
            items.truncate(1000);
        })?;
        Ok(items.into())
    };
    let items = tokio::task::spawn_blocking(read)
        .await
        .unwrap_or_else(|_| Err(panicked()))?;
    Ok(Json(items))
}

/// Asks for a job on the frames that are stored when it runs.
#[utoipa::path(post, path = "/v1/jobs", tag = "jobs", request_body = Asked, responses(
    (status = 202, description = "It waits or runs", body = JobState),
    (status = 400, description = "Not JSON", body = Problem, content_type = "application/problem+json"),
    (status = 401, description = "No token", body = Problem, content_type = "application/problem+json"),
    (status = 403, description = "Not the owner", body = Problem, content_type = "application/problem+json"),
    (status = 413, description = "The body is too long", body = Problem, content_type = "application/problem+json"),
    (status = 415, description = "Not JSON by its type", body = Problem, content_type = "application/problem+json"),
    (status = 422, description = "Not a job that can be done", body = Problem, content_type = "application/problem+json"),
    (status = 429, description = "Too many wait", body = Problem, content_type = "application/problem+json"),
    (status = 503, description = "Not ready", body = Problem, content_type = "application/problem+json"),
    (status = 507, description = "No room on the disk", body = Problem, content_type = "application/problem+json")))]
async fn ask(
    State(service): State<Arc<Service>>,
    Extension(caller): Extension<Caller>,
    asked: Result<Json<Asked>, JsonRejection>,
) -> Answer<Response> {
    caller.may_own()?;
    service.store()?;
    let Json(asked) =
        asked.map_err(|error| Problem::new(error.status(), "body", error.body_text()))?;
    jobs::check(&service, &asked)?;
    let job = service.jobs.ask(asked)?;
    let place = format!("/v1/jobs/{}", job.id);
    Ok((StatusCode::ACCEPTED, [(header::LOCATION, place)], Json(job)).into_response())
}

/// All jobs, newest first.
#[utoipa::path(get, path = "/v1/jobs", tag = "jobs", responses(
    (status = 200, description = "The jobs", body = Vec<JobState>),
    (status = 401, description = "No token", body = Problem, content_type = "application/problem+json"),
    (status = 403, description = "May not read this", body = Problem, content_type = "application/problem+json")))]
async fn all_jobs(
    State(service): State<Arc<Service>>,
    Extension(caller): Extension<Caller>,
) -> Answer<Json<Vec<JobState>>> {
    caller.may_monitor()?;
    Ok(Json(service.jobs.all()))
}

/// Number of a job in the path.
type Id = Result<Path<u64>, PathRejection>;

fn id(path: Id) -> Answer<u64> {
    path.map(|Path(id)| id)
        .map_err(|error| Problem::malformed("id", error.body_text()))
}

/// One job.
#[utoipa::path(get, path = "/v1/jobs/{id}", tag = "jobs", params(("id" = u64, Path, description = "Number of the job")),
    responses(
    (status = 200, description = "Its state", body = JobState),
    (status = 400, description = "Not a number", body = Problem, content_type = "application/problem+json"),
    (status = 401, description = "No token", body = Problem, content_type = "application/problem+json"),
    (status = 403, description = "May not read this", body = Problem, content_type = "application/problem+json"),
    (status = 404, description = "No such job", body = Problem, content_type = "application/problem+json")))]
async fn one_job(
    State(service): State<Arc<Service>>,
    Extension(caller): Extension<Caller>,
    path: Id,
) -> Answer<Json<JobState>> {
    caller.may_monitor()?;
    let job = service.jobs.watch(id(path)?)?.borrow().clone();
    Ok(Json(job))
}

/// An event.
#[derive(ToSchema)]
#[allow(dead_code)]
struct JobEvent {
    /// Always `job`.
    event: String,
    /// The state in JSON.
    data: String,
}

/// The state of a job whenever it changes, as server-sent events, until it is done or failed.
#[utoipa::path(get, path = "/v1/jobs/{id}/events", tag = "jobs", params(("id" = u64, Path, description = "Number of the job")),
    responses(
    (status = 200, description = "Its states", body = JobEvent, content_type = "text/event-stream"),
    (status = 400, description = "Not a number", body = Problem, content_type = "application/problem+json"),
    (status = 401, description = "No token", body = Problem, content_type = "application/problem+json"),
    (status = 403, description = "May not read this", body = Problem, content_type = "application/problem+json"),
    (status = 404, description = "No such job", body = Problem, content_type = "application/problem+json")))]
async fn events(
    State(service): State<Arc<Service>>,
    Extension(caller): Extension<Caller>,
    path: Id,
) -> Answer<Sse<impl Stream<Item = Result<Event, axum::Error>>>> {
    caller.may_monitor()?;
    let mut watched = service.jobs.watch(id(path)?)?;
    watched.mark_changed();
    let states = stream::unfold(Some(watched), |watched| async {
        let mut watched = watched?;
        watched.changed().await.ok()?;
        let job = watched.borrow_and_update().clone();
        let ended = matches!(job.state, JobPhase::Done | JobPhase::Failed);
        let event = Event::default().event("job").json_data(&job);
        Some((event, (!ended).then_some(watched)))
    });
    Ok(Sse::new(states).keep_alive(KeepAlive::default()))
}

/// The sealed results of a job that is done, for the owner's `isopod decrypt`.
#[utoipa::path(get, path = "/v1/jobs/{id}/results", tag = "jobs", params(("id" = u64, Path, description = "Number of the job")),
    responses(
    (status = 200, description = "The results", body = upload::Sequence, content_type = "application/cbor-seq"),
    (status = 400, description = "Not a number", body = Problem, content_type = "application/problem+json"),
    (status = 401, description = "No token", body = Problem, content_type = "application/problem+json"),
    (status = 403, description = "Not the owner", body = Problem, content_type = "application/problem+json"),
    (status = 404, description = "No such job", body = Problem, content_type = "application/problem+json"),
    (status = 409, description = "Not done", body = Problem, content_type = "application/problem+json"),
    (status = 500, description = "The disk failed", body = Problem, content_type = "application/problem+json")))]
async fn results(
    State(service): State<Arc<Service>>,
    Extension(caller): Extension<Caller>,
    path: Id,
) -> Answer<Response> {
    caller.may_own()?;
    let path = service.jobs.results(id(path)?)?;
    let file = tokio::fs::File::open(&path).await.map_err(|error| {
        tracing::error!("{}: {error}", path.display());
        Problem::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "storage",
            "the server's disk failed",
        )
    })?;
    let body = Body::from_stream(chunks(file));
    Ok(([(header::CONTENT_TYPE, "application/cbor-seq")], body).into_response())
}

/// A file in pieces, so that it is never whole in memory.
fn chunks(file: tokio::fs::File) -> impl Stream<Item = std::io::Result<bytes::Bytes>> {
    use tokio::io::AsyncReadExt;
    stream::unfold(file, |mut file| async {
        let mut buffer = bytes::BytesMut::with_capacity(1 << 16);
        match file.read_buf(&mut buffer).await {
            Ok(0) => None,
            Ok(_) => Some((Ok(buffer.freeze()), file)),
            Err(error) => Some((Err(error), file)),
        }
    })
}

/// Counts connections as long as they are open.
pub struct Connected(pub Arc<Service>);

impl Connected {
    /// A connection from now on.
    pub fn new(service: Arc<Service>) -> Self {
        service.metrics.connections.fetch_add(1, Ordering::Relaxed);
        Self(service)
    }
}

impl Drop for Connected {
    fn drop(&mut self) {
        self.0.metrics.connections.fetch_sub(1, Ordering::Relaxed);
    }
}
