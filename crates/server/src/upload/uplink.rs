//! Uplinks of network servers: each brings a packet of one device, or a fragment of what is longer.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{FromRequest, Path, Query, Request, State};
use axum::http::{header, HeaderMap, StatusCode};
use axum::{Extension, Json};
use isopod_store::AppendOutcome;
use isopod_uplink::{Format, MOST_BODY_BYTES};
use isopod_wire::{FrameId, Submission};
use serde::{Deserialize, Serialize};
use tokio::time::timeout;
use utoipa::{IntoParams, ToSchema};

use crate::admit::access::{Caller, Peer};
use crate::admit::admission::{Admission, MostBytes};
use crate::admit::refusal::Refusal;
use crate::admit::uplinks::Content;
use crate::problem::{Answer, Problem};
use crate::service::Service;
use crate::upload::message::{Message, MessageReader};

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
    /// `stored` now, or `known` before; `registered` for a context; `waits` for a fragment that lacks others, which a restart
    /// forgets; `ignored` because there is nothing in it.
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
    let document = Document {
        format,
        event: event.event.as_deref(),
        body: &body,
    };
    let outcome = match admit(&service, &caller, document) {
        Brought::Nothing => "ignored",
        Brought::Fragment => "waits",
        Brought::Message(message) => store(&service, message).await?,
    };
    Ok(Json(Uplinked { outcome }))
}

/// A document of a network server.
#[derive(Clone, Copy)]
pub struct Document<'a> {
    /// Its format.
    pub format: Format,
    /// Type of its event, where it comes beside the document.
    pub event: Option<&'a str>,
    /// Its bytes.
    pub body: &'a [u8],
}

/// Content of a document.
pub enum Brought {
    /// Nothing that is ours.
    Nothing,
    /// A fragment that lacks others.
    Fragment,
    /// A packet, or a transfer that is whole by it; or why it does not enter.
    Message(Message),
}

/// Takes the content of a document.
pub fn admit(service: &Service, caller: &Caller, document: Document<'_>) -> Brought {
    let Document {
        format,
        event,
        body,
    } = document;
    let delivered = match service
        .uplinks
        .take(format, event, body, service.clock.now())
    {
        Ok(Some(delivered)) => delivered,
        Ok(None) => return Brought::Nothing,
        Err(refusal) => {
            return Brought::Message(Message {
                refused: vec![(refusal, body.to_vec())],
                ..Message::default()
            })
        }
    };
    let most = service.pairs.most_frame_bytes();
    let most = MostBytes {
        all: most,
        device: most,
    };
    let of_radio = delivered.device.map(Caller::Radio);
    let mut reader = MessageReader {
        service,
        admission: &mut Admission::new(service.pairs.clone(), most),
        spill: &mut service.room.spill(),
        caller: of_radio.as_ref().unwrap_or(caller),
    };
    let mut message = Message::default();
    match delivered.content {
        Content::Fragment => return Brought::Fragment,
        Content::Packet(packet) => {
            let element = Submission::Packet {
                sender: None,
                packet: &packet,
            };
            reader.take(element, body, &mut message);
        }
        Content::Transfer(bytes) => message = reader.read(&bytes),
    }
    reader.end(&mut message);
    Brought::Message(message)
}

/// Stores what a document brought; says what became of it, or why it is refused.
async fn store(service: &Service, message: Message) -> Answer<&'static str> {
    let Message {
        frames,
        announced,
        unavailable,
        mut refused,
        ..
    } = message;
    if let Some(problem) = unavailable {
        return Err(*problem);
    }
    let names: Vec<FrameId> = frames.iter().map(|frame| frame.id).collect();
    let outcomes = match frames.is_empty() {
        true => Vec::new(),
        false => service.store_all(frames).await?,
    };
    let is_new = outcomes
        .iter()
        .any(|outcome| matches!(outcome, AppendOutcome::Stored(_)));
    for (id, outcome) in names.into_iter().zip(outcomes) {
        if let AppendOutcome::Stale(detail) = outcome {
            let refusal = Refusal {
                field: "sequence".to_owned(),
                detail,
                frame: Some(id),
            };
            refused.push((refusal, Vec::new()));
        }
    }
    for (refusal, bytes) in &refused {
        service.set_aside(refusal, bytes);
    }
    match refused.into_iter().next() {
        Some((refusal, _)) => Err(Problem::content(refusal.field, refusal.detail)),
        // Packets of a topic are judged where they are read.
        None if is_new || service.places.producer.is_some() => Ok("stored"),
        None if !announced.is_empty() => Ok("registered"),
        None => Ok("known"),
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
