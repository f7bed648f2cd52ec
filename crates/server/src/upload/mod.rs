//! Frames in the body of a request: checked as they come, stored in batches, acknowledged after the flush.

mod body;
pub mod message;
mod pace;
pub mod receipt;
pub mod submitted;
pub mod uplink;

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{header, StatusCode};
use axum::response::Response;
use axum::Extension;
use utoipa::ToSchema;

use crate::admit::access::{Caller, Peer};
use crate::problem::{Answer, Problem};
use crate::service::Service;
use crate::upload::body::Upload;
use crate::upload::receipt::{Form, Receipt};

/// Type of a body of frames (`[RFC8742]`).
const CBOR_SEQUENCE: &str = "application/cbor-seq";

/// Items of the wire format, one after the other.
#[derive(ToSchema)]
#[schema(value_type = String, format = Binary)]
#[allow(dead_code)]
pub struct Sequence(Vec<u8>);

/// Stores the frames of the body: a CBOR sequence of parts, frames, contexts and packets in any order. The answer comes once all
/// of them are on disk: in JSON, or with `Accept: application/cbor-seq` as receipts that carry a tag of their device's key. A
/// sender that gets no answer sends again: nothing is stored twice.
#[utoipa::path(post, path = "/v1/frames", tag = "frames",
    request_body(content = Sequence, content_type = "application/cbor-seq", description = "Frames, each with all its parts"),
    responses(
        (status = 200, description = "All frames are on disk", content((Receipt = "application/json"),
         (Sequence = "application/cbor-seq"))),
        (status = 400, description = "Empty, or broke off", body = Problem, content_type = "application/problem+json"),
        (status = 401, description = "Neither certificate nor token", body = Problem, content_type = "application/problem+json"),
        (status = 403, description = "May not send frames", body = Problem, content_type = "application/problem+json"),
        (status = 408, description = "The body came too slowly", body = Problem, content_type = "application/problem+json"),
        (status = 413, description = "Too long", body = Problem, content_type = "application/problem+json"),
        (status = 415, description = "Another type of body", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "Some items were refused; the others are on disk, and listed", body = Problem,
         content_type = "application/problem+json"),
        (status = 429, description = "Too many bodies of one device or connection, or too many wrong tokens", body = Problem,
         content_type = "application/problem+json"),
        (status = 500, description = "The disk failed", body = Problem, content_type = "application/problem+json"),
        (status = 503, description = "Not ready, or busy", body = Problem, content_type = "application/problem+json"),
        (status = 507, description = "No room on the disk", body = Problem, content_type = "application/problem+json"),
    ))]
pub async fn frames(
    State(service): State<Arc<Service>>,
    Extension(caller): Extension<Caller>,
    Extension(peer): Extension<Peer>,
    request: Request,
) -> Answer<Response> {
    caller.may_send()?;
    service.store()?;
    check_kind(&request)?;
    let _counted = service.metrics.upload();
    let share = service.room.begin(peer.holder(&caller))?;
    let form = Form::of(request.headers());
    let mut upload = Upload::new(&service, &caller, share, form)?;
    let read = upload.read(request.into_body()).await;
    Ok(upload.finish(read).await)
}

/// Refuses a body of another type.
fn check_kind(request: &Request) -> Answer<()> {
    let kind = request
        .headers()
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok());
    if kind.is_none_or(|kind| [CBOR_SEQUENCE, "application/octet-stream"].contains(&kind)) {
        return Ok(());
    }
    let detail = format!("content-type: allowed is {CBOR_SEQUENCE}");
    let status = StatusCode::UNSUPPORTED_MEDIA_TYPE;
    Err(Problem::new(status, "content-type", detail))
}
