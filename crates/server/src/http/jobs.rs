//! Jobs over HTTP: asking, watching, downloading.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::rejection::{JsonRejection, PathRejection};
use axum::extract::{Path, State};
use axum::http::{header, StatusCode};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use futures_util::{stream, Stream};
use utoipa::ToSchema;

use crate::admit::access::Caller;
use crate::evaluate::request::check;
use crate::jobs::state::{JobRequest, JobState, JobStatus};
use crate::problem::{Answer, Problem};
use crate::service::Service;

/// Asks for a job on the frames that are stored when it runs.
#[utoipa::path(post, path = "/v1/jobs", tag = "jobs", request_body = JobRequest, responses(
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
pub async fn ask(
    State(service): State<Arc<Service>>,
    Extension(caller): Extension<Caller>,
    asked: Result<Json<JobRequest>, JsonRejection>,
) -> Answer<Response> {
    caller.may_own()?;
    service.store()?;
    let Json(asked) =
        asked.map_err(|error| Problem::new(error.status(), "body", error.body_text()))?;
    check(&service, &asked)?;
    let job = service.jobs.ask(asked, service.clock.now())?;
    let place = format!("/v1/jobs/{}", job.id);
    Ok((StatusCode::ACCEPTED, [(header::LOCATION, place)], Json(job)).into_response())
}

/// All jobs, newest first.
#[utoipa::path(get, path = "/v1/jobs", tag = "jobs", responses(
    (status = 200, description = "The jobs", body = Vec<JobState>),
    (status = 401, description = "No token", body = Problem, content_type = "application/problem+json"),
    (status = 403, description = "May not read this", body = Problem, content_type = "application/problem+json")))]
pub async fn all_jobs(
    State(service): State<Arc<Service>>,
    Extension(caller): Extension<Caller>,
) -> Answer<Json<Vec<JobState>>> {
    caller.may_monitor()?;
    Ok(Json(service.jobs.all()))
}

/// Number of a job in the path.
pub type Id = Result<Path<u64>, PathRejection>;

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
pub async fn one_job(
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
pub struct JobEvent {
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
pub async fn events(
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
        let ended = matches!(job.state, JobStatus::Done | JobStatus::Failed);
        let event = Event::default().event("job").json_data(&job);
        Some((event, (!ended).then_some(watched)))
    });
    Ok(Sse::new(states).keep_alive(KeepAlive::default()))
}

/// The sealed results of a job that is done, for the owner's `isopod decrypt`.
#[utoipa::path(get, path = "/v1/jobs/{id}/results", tag = "jobs", params(("id" = u64, Path, description = "Number of the job")),
    responses(
    (status = 200, description = "The results", body = crate::upload::Sequence, content_type = "application/cbor-seq"),
    (status = 400, description = "Not a number", body = Problem, content_type = "application/problem+json"),
    (status = 401, description = "No token", body = Problem, content_type = "application/problem+json"),
    (status = 403, description = "Not the owner", body = Problem, content_type = "application/problem+json"),
    (status = 404, description = "No such job", body = Problem, content_type = "application/problem+json"),
    (status = 409, description = "Not done", body = Problem, content_type = "application/problem+json"),
    (status = 500, description = "The disk failed", body = Problem, content_type = "application/problem+json")))]
pub async fn results(
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
pub fn chunks(file: tokio::fs::File) -> impl Stream<Item = std::io::Result<bytes::Bytes>> {
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
