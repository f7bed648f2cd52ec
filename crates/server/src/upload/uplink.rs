//! Uplinks of network servers: each brings the packet of one device.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{FromRequest, Path, Query, Request, State};
use axum::http::{header, HeaderMap, StatusCode};
use axum::{Extension, Json};
use isopod_store::{AppendOutcome, NewFrame};
use isopod_uplink::{Format, MOST_BODY_BYTES};
use isopod_wire::Submission;
use serde::{Deserialize, Serialize};
use tokio::time::timeout;
use utoipa::{IntoParams, ToSchema};

use crate::admit::access::{Caller, Peer};
use crate::admit::admission::{Admission, MostBytes};
use crate::admit::refusal::Refusal;
use crate::problem::{Answer, Problem};
use crate::service::Service;
use crate::upload::submitted::Taken;

/// Type of a body.
const JSON: &str = "application/json";

/// Network server that sends.
#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Network {
    /// ChirpStack 4.
    Chirpstack,
    /// The Things Stack 3.
    ThingsStack,
    /// Sigfox.
    Sigfox,
}

impl From<Network> for Format {
    fn from(network: Network) -> Self {
        match network {
            Network::Chirpstack => Self::ChirpStack,
            Network::ThingsStack => Self::ThingsStack,
            Network::Sigfox => Self::Sigfox,
        }
    }
}

/// Type of an event.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct EventType {
    /// Type of the event, which ChirpStack adds to the address: `up` for uplinks; others hold no packet.
    event: Option<String>,
}

/// Answer to a document.
#[derive(Debug, Serialize, ToSchema)]
pub struct Uplinked {
    /// `stored` now, `known` before, or `ignored` because there is no packet in it.
    #[schema(value_type = String)]
    outcome: &'static str,
}

/// Takes the packet in a document of a network server of LoRaWAN or Sigfox.
#[utoipa::path(post, path = "/v1/uplinks/{network}", tag = "packets",
    params(("network" = Network, Path, description = "Network server that sends"), EventType),
    request_body(content = Object, content_type = "application/json", description = "Event, message or callback as JSON"),
    responses(
    (status = 200, description = "The packet is on disk, or there is none", body = Uplinked),
    (status = 400, description = "The body broke off, or the query is not one", body = Problem,
     content_type = "application/problem+json"),
    (status = 401, description = "No token", body = Problem, content_type = "application/problem+json"),
    (status = 403, description = "May not send packets", body = Problem, content_type = "application/problem+json"),
    (status = 404, description = "Another network", body = Problem, content_type = "application/problem+json"),
    (status = 408, description = "The body came too slowly", body = Problem, content_type = "application/problem+json"),
    (status = 413, description = "Too long", body = Problem, content_type = "application/problem+json"),
    (status = 415, description = "Not JSON by its type", body = Problem, content_type = "application/problem+json"),
    (status = 422, description = "Not a document of this network, or its packet is refused", body = Problem,
     content_type = "application/problem+json"),
    (status = 429, description = "Too many bodies of one connection, or too many wrong tokens", body = Problem,
     content_type = "application/problem+json"),
    (status = 500, description = "The disk failed", body = Problem, content_type = "application/problem+json"),
    (status = 503, description = "Not ready, or busy", body = Problem, content_type = "application/problem+json"),
    (status = 507, description = "No room on the disk", body = Problem, content_type = "application/problem+json")))]
pub async fn deliver(
    State(service): State<Arc<Service>>,
    Extension(caller): Extension<Caller>,
    Extension(peer): Extension<Peer>,
    network: Result<Path<Network>, PathRejection>,
    event: Result<Query<EventType>, QueryRejection>,
    request: Request,
) -> Answer<Json<Uplinked>> {
    caller.may_send()?;
    service.store()?;
    let format = network.map(|Path(network)| Format::from(network));
    let format = format.map_err(|_| {
        let allowed = "network: unknown; allowed are chirpstack, things-stack and sigfox";
        Problem::missing("network", allowed)
    })?;
    let Query(event) = event.map_err(|error| Problem::malformed("event", error.body_text()))?;
    check_kind(request.headers())?;
    let _share = service.room.begin(peer.holder(&caller))?;
    let body = body(&service, request).await?;
    let outcome = match frame(&service, &caller, format, event.event.as_deref(), &body) {
        Ok(None) => Ok("ignored"),
        Ok(Some(frame)) => store(&service, frame).await?,
        Err(refusal) => Err(refusal),
    };
    outcome
        .map(|outcome| Json(Uplinked { outcome }))
        .map_err(|refusal| {
            service.set_aside(&refusal, &body);
            Problem::content(refusal.field, refusal.detail)
        })
}

/// The frame of the packet in a document; None if there is no packet in it.
///
/// # Errors
/// A document or a packet that is refused.
pub fn frame(
    service: &Service,
    caller: &Caller,
    format: Format,
    event: Option<&str>,
    body: &[u8],
) -> Result<Option<NewFrame>, Refusal> {
    let Some(delivered) = service.uplinks.packet(format, event, body)? else {
        return Ok(None);
    };
    let most = service.pairs.most_frame_bytes();
    let most = MostBytes {
        all: most,
        device: most,
    };
    let element = Submission::Packet {
        sender: delivered.device,
        packet: &delivered.packet,
    };
    let mut admission = Admission::new(service.pairs.clone(), most);
    match service.take(&mut admission, element, caller)? {
        Taken::Whole(whole) => {
            let frame = whole.frame(&mut service.room.spill());
            frame.map(Some).map_err(|error| Refusal {
                field: "storage".to_owned(),
                detail: format!("storage: {error}"),
                frame: None,
            })
        }
        // A packet is whole by itself.
        _ => Ok(None),
    }
}

/// Stores a frame, and says what became of it.
async fn store(service: &Service, frame: NewFrame) -> Answer<Result<&'static str, Refusal>> {
    let id = frame.id;
    match service.store_all(vec![frame]).await?.pop() {
        Some(AppendOutcome::Stored(_)) => Ok(Ok("stored")),
        Some(AppendOutcome::Known) => Ok(Ok("known")),
        Some(AppendOutcome::Stale(detail)) => Ok(Err(Refusal {
            field: "sequence".to_owned(),
            detail,
            frame: Some(id),
        })),
        None => Err(Problem::busy("server", "the packet was not stored")),
    }
}

/// Refuses a body of another type.
fn check_kind(headers: &HeaderMap) -> Answer<()> {
    let kind = headers.get(header::CONTENT_TYPE);
    let kind = kind.and_then(|value| value.to_str().ok()?.split(';').next());
    match kind {
        Some(kind) if kind.trim().eq_ignore_ascii_case(JSON) => Ok(()),
        _ => {
            let detail = format!("content-type: allowed is {JSON}");
            let status = StatusCode::UNSUPPORTED_MEDIA_TYPE;
            Err(Problem::new(status, "content-type", detail))
        }
    }
}

/// The body of a request, within the bound of its route.
async fn body(service: &Service, request: Request) -> Answer<Bytes> {
    let patience = service.limits.patience;
    let body = timeout(patience, Bytes::from_request(request, &())).await;
    let body = body.map_err(|_| {
        let detail = format!("body: not whole after {} seconds", patience.as_secs());
        Problem::new(StatusCode::REQUEST_TIMEOUT, "body", detail)
    })?;
    body.map_err(|error| match error.status() {
        StatusCode::PAYLOAD_TOO_LARGE => {
            let detail = format!("body: too long; allowed are {MOST_BODY_BYTES} bytes at most");
            Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "body", detail)
        }
        status => Problem::new(status, "body", "body: broke off"),
    })
}
