//! Refusals as problem documents (`[RFC9457]`), each naming the field.

use std::io::ErrorKind;

use axum::http::{header, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use isopod_store::StoreError;
use isopod_workflow::BackendError;
use isopod_workflow::Class;
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

/// Seconds after which a refused sender may try again.
const RETRY_SECONDS: u32 = 1;

/// A refusal.
#[derive(Debug, Serialize, ToSchema)]
pub struct Problem {
    /// Kind of the refusal, of the page on operations.
    #[serde(rename = "type")]
    pub kind: String,
    /// The refusal in general.
    pub title: &'static str,
    /// Status code of the answer.
    pub status: u16,
    /// Field of the request, or of the item in it, that was refused.
    pub field: String,
    /// Why, and what would be allowed.
    pub detail: String,
    /// Further facts.
    #[serde(flatten)]
    pub more: Box<Map<String, Value>>,
    /// Seconds after which the sender may try again.
    #[serde(skip)]
    retry: Option<u32>,
}

/// Result of a handler.
pub type Answer<T> = Result<T, Problem>;

impl Problem {
    /// A refusal with this status.
    pub fn new(status: StatusCode, field: impl Into<String>, detail: impl Into<String>) -> Self {
        let title = status.canonical_reason().unwrap_or("Refused");
        Self {
            kind: format!(
                "urn:isopod:problem:{}",
                title.to_lowercase().replace(' ', "-")
            ),
            title,
            status: status.as_u16(),
            field: field.into(),
            detail: detail.into(),
            more: Box::default(),
            retry: [
                StatusCode::TOO_MANY_REQUESTS,
                StatusCode::SERVICE_UNAVAILABLE,
            ]
            .contains(&status)
            .then_some(RETRY_SECONDS),
        }
    }

    /// A refusal of content that is well formed.
    pub fn content(field: impl Into<String>, detail: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, field, detail)
    }

    /// A refusal of a request that is not.
    pub fn malformed(field: impl Into<String>, detail: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, field, detail)
    }

    /// The refusal of a path that names nothing.
    pub fn missing(field: &str, detail: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, field, detail)
    }

    /// The refusal of who may not.
    pub fn forbidden(field: &str, detail: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, field, detail)
    }

    /// The refusal of a sender who may come again soon.
    pub fn busy(field: &str, detail: impl Into<String>) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, field, detail)
    }

    /// Says when to try again.
    pub fn after(mut self, seconds: u32) -> Self {
        self.retry = Some(seconds);
        self
    }

    /// Adds a fact.
    pub fn with(mut self, name: &str, fact: impl Serialize) -> Self {
        let fact = serde_json::to_value(fact).unwrap_or(Value::Null);
        self.more.insert(name.to_owned(), fact);
        self
    }
}

/// The field that a message begins with, as those of all crates do.
pub fn field_of(message: &str) -> &str {
    let end = message.find([':', ' ', ',']).unwrap_or(message.len());
    &message[..end]
}

/// An error with its sources, in one line.
pub fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        let more = error.to_string();
        if !text.contains(&more) {
            text += ": ";
            text += &more;
        }
        source = error.source();
    }
    text
}

impl Problem {
    /// The refusal where a file of the data folder failed.
    pub fn of_disk(error: &std::io::Error) -> Self {
        match error.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
                Self::full()
            }
            _ => Self::broken(),
        }
    }

    // Paths are the operator's affair, and stand in the log.
    fn full() -> Self {
        let detail = "no room is left on the server's disk; keep the frames and send them again";
        Self::new(StatusCode::INSUFFICIENT_STORAGE, "storage", detail)
    }

    fn broken() -> Self {
        let detail = "the server's disk failed; keep the frames and send them again";
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "storage", detail)
    }
}

impl Problem {
    /// The failure of a program that bootstraps; None for what is wrong with a request.
    fn of_backend(error: &BackendError) -> Option<Self> {
        let detail = match error {
            BackendError::Allowed { .. } => return None,
            // Paths stand in the log alone.
            BackendError::Start { .. } => "backend: the program does not start".to_owned(),
            BackendError::Keys(_) => "backend: its keys are missing or damaged".to_owned(),
            error => error.to_string(),
        };
        tracing::error!("{error}");
        let status = StatusCode::INTERNAL_SERVER_ERROR;
        Some(Self::new(status, "backend", detail))
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        let detail = error.to_string();
        match error {
            StoreError::Full { .. } => Self::full(),
            StoreError::Busy { .. } => Self::busy("writes", detail),
            StoreError::Lost(_) => Self::new(StatusCode::CONFLICT, "damage", detail),
            StoreError::Length { .. } => Self::new(StatusCode::PAYLOAD_TOO_LARGE, "frame", detail),
            _ => Self::broken(),
        }
    }
}

/// The error of a program that bootstraps, wherever it came up.
fn backend_error(error: &isopod_workflow::Error) -> Option<&BackendError> {
    match error {
        isopod_workflow::Error::At { source, .. } => backend_error(source),
        isopod_workflow::Error::Lattigo(error) => Some(error),
        _ => None,
    }
}

impl From<isopod_workflow::Error> for Problem {
    fn from(error: isopod_workflow::Error) -> Self {
        let detail = chain(&error);
        if let Some(problem) = backend_error(&error).and_then(Self::of_backend) {
            return problem;
        }
        match Class::of(&error) {
            Some(Class::System) => Self::new(
                StatusCode::INTERNAL_SERVER_ERROR,
                "server",
                "files or entropy failed",
            ),
            _ => Self::content(field_of(&detail).to_owned(), detail),
        }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let body = serde_json::to_vec(&self).unwrap_or_default();
        let mut response = (status, body).into_response();
        let headers = response.headers_mut();
        headers.insert(
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/problem+json"),
        );
        if let Some(seconds) = self.retry {
            headers.insert(header::RETRY_AFTER, seconds.into());
        }
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}
