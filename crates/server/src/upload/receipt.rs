//! Answers to a body: what is on disk, and what was refused.

use axum::http::{header, HeaderMap, HeaderValue};
use axum::response::{IntoResponse, Response};
use axum::Json;
use isopod_store::AppendOutcome;
use isopod_wire::{FrameId, Outcome};
use serde::Serialize;
use utoipa::ToSchema;

use crate::admit::refusal::Refusal;
use crate::problem::{Answer, Problem};
use crate::upload::CBOR_SEQUENCE;

/// Form of an answer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// JSON, for people and gateways.
    Words,
    /// Receipts of `spec/wire.md`, section 11, for devices.
    Receipts,
}

impl Form {
    /// The form that a request asks for.
    pub fn of(headers: &HeaderMap) -> Self {
        let accepted = headers.get_all(header::ACCEPT).iter();
        let mut kinds = accepted.filter_map(|value| value.to_str().ok());
        match kinds.any(|kinds| kinds.contains(CBOR_SEQUENCE)) {
            true => Self::Receipts,
            false => Self::Words,
        }
    }
}

/// Receipt of a body: all its frames are on disk.
#[derive(Debug, Default, Serialize, ToSchema)]
pub struct Receipt {
    /// Frames that were stored by this request.
    pub stored: usize,
    /// Frames of names that were stored before. Nothing is stored twice.
    pub known: usize,
    /// Contexts that are registered, by this request or before.
    pub contexts: usize,
    /// All frames, in the order in which they were complete.
    pub frames: Vec<ReceivedFrame>,
}

/// The outcome of a frame that was handed to the log.
pub fn outcome(of: &AppendOutcome) -> Outcome {
    match of {
        AppendOutcome::Stored(_) => Outcome::Stored,
        AppendOutcome::Known => Outcome::Known,
        AppendOutcome::Stale(_) => Outcome::Stale,
    }
}

/// One frame that is on disk.
#[derive(Debug, Serialize, ToSchema)]
pub struct ReceivedFrame {
    /// Number of the sender.
    pub device: u64,
    /// Restarts of the sender.
    pub epoch: u32,
    /// Number of the frame since the restart.
    pub sequence: u64,
    /// `stored` by this request, or `known` before.
    #[schema(value_type = String)]
    pub outcome: &'static str,
}

/// An item that does not enter.
#[derive(Debug, Serialize)]
pub struct RefusedItem {
    field: String,
    detail: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    device: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    epoch: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sequence: Option<u64>,
}

impl Receipt {
    /// Adds a frame that was stored now, or before.
    pub fn add(&mut self, frame: FrameId, is_new: bool) {
        let (count, outcome) = match is_new {
            true => (&mut self.stored, "stored"),
            false => (&mut self.known, "known"),
        };
        *count += 1;
        self.frames.push(ReceivedFrame {
            device: frame.device,
            epoch: frame.epoch,
            sequence: frame.sequence,
            outcome,
        });
    }
}

impl RefusedItem {
    /// The refusal of a body by this item.
    pub fn problem(&self) -> Problem {
        Problem::content(self.field.clone(), self.detail.clone())
    }
}

impl From<Refusal> for RefusedItem {
    fn from(refusal: Refusal) -> Self {
        let Refusal {
            field,
            detail,
            frame,
        } = refusal;
        Self {
            field,
            detail,
            device: frame.map(|frame| frame.device),
            epoch: frame.map(|frame| frame.epoch),
            sequence: frame.map(|frame| frame.sequence),
        }
    }
}

/// The answer in words.
pub fn words(read: Answer<()>, receipt: Receipt, refused: Vec<RefusedItem>) -> Response {
    let Err(problem) = read else {
        return Json(receipt).into_response();
    };
    let Receipt {
        stored,
        known,
        contexts,
        frames,
    } = receipt;
    problem
        .with("stored", stored)
        .with("known", known)
        .with("contexts", contexts)
        .with("frames", frames)
        .with("refused", refused)
        .into_response()
}

/// The answer as receipts, whatever else came of the body: a frame without one is to be sent again.
pub fn sequence(read: Answer<()>, receipts: Vec<u8>) -> Response {
    let mut response = match read {
        Ok(()) => receipts.into_response(),
        Err(problem) => {
            let (parts, _) = problem.into_response().into_parts();
            Response::from_parts(parts, receipts.into())
        }
    };
    let kind = HeaderValue::from_static(CBOR_SEQUENCE);
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    response
}
