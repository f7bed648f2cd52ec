//! Frames in the body of a request: checked as they come, stored in batches, acknowledged after the flush.

use std::sync::Arc;
use std::time::Instant;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{header, StatusCode};
use axum::{Extension, Json};
use bytes::Bytes;
use futures_util::StreamExt;
use isopod_store::{AppendOutcome, NewFrame};
use isopod_wire::{Envelope, FrameId, WireError};
use serde::Serialize;
use utoipa::ToSchema;

use crate::admit::access::Caller;
use crate::admit::admission::Admission;
use crate::admit::refusal::Refusal;
use crate::problem::{Answer, Problem};
use crate::service::Service;

/// Type of a body of frames (`[RFC8742]`).
const CBOR_SEQUENCE: &str = "application/cbor-seq";
/// Bytes of frames that an upload stores at a time, where there is room; otherwise a frame or two.
const LARGE_BATCH: usize = 1 << 20;
/// Most frames of one body.
const MOST_FRAMES: usize = 10_000;
/// Most refused items of one body; the rest of it is not read.
const MOST_REFUSED: usize = 100;
/// Seconds after which a sender's rate counts, and the least rate in bytes per second.
const SLOW: (u64, u64) = (30, 256);

/// Items of the wire format, one after the other.
#[derive(ToSchema)]
#[schema(value_type = String, format = Binary)]
#[allow(dead_code)]
pub struct Sequence(Vec<u8>);

/// Receipt of a body: all its frames are on disk.
#[derive(Debug, Default, Serialize, ToSchema)]
pub struct Receipt {
    /// Frames that were stored by this request.
    pub stored: usize,
    /// Frames of names that were stored before. Nothing is stored twice.
    pub known: usize,
    /// All of them, in the order in which they were complete.
    pub frames: Vec<ReceivedFrame>,
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
struct RefusedItem {
    field: String,
    detail: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    device: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    epoch: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sequence: Option<u64>,
}

/// One body on its way to disk.
struct Upload<'a> {
    service: &'a Service,
    caller: &'a Caller,
    admission: Admission,
    buffer: Vec<u8>,
    ready: Vec<NewFrame>,
    ready_bytes: usize,
    batch_bytes: usize,
    items: usize,
    receipt: Receipt,
    refused: Vec<RefusedItem>,
}

/// Stores the frames of the body: a CBOR sequence of parts or frames, whole frames in any order. The answer comes once all of
/// them are on disk. A sender that gets no answer sends again: nothing is stored twice.
#[utoipa::path(post, path = "/v1/frames", tag = "frames",
    request_body(content = Sequence, content_type = "application/cbor-seq", description = "Frames, each with all its parts"),
    responses(
        (status = 200, description = "All frames are on disk", body = Receipt),
        (status = 400, description = "Empty, or broke off", body = Problem, content_type = "application/problem+json"),
        (status = 401, description = "Neither certificate nor token", body = Problem, content_type = "application/problem+json"),
        (status = 403, description = "May not send frames", body = Problem, content_type = "application/problem+json"),
        (status = 408, description = "The body came too slowly", body = Problem, content_type = "application/problem+json"),
        (status = 413, description = "Too long", body = Problem, content_type = "application/problem+json"),
        (status = 415, description = "Another type of body", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "Some items were refused; the others are on disk, and listed", body = Problem,
         content_type = "application/problem+json"),
        (status = 429, description = "Too many bodies of one device", body = Problem, content_type = "application/problem+json"),
        (status = 500, description = "The disk failed", body = Problem, content_type = "application/problem+json"),
        (status = 503, description = "Not ready, or busy", body = Problem, content_type = "application/problem+json"),
        (status = 507, description = "No room on the disk", body = Problem, content_type = "application/problem+json"),
    ))]
pub async fn frames(
    State(service): State<Arc<Service>>,
    Extension(caller): Extension<Caller>,
    request: Request,
) -> Answer<Json<Receipt>> {
    caller.may_send()?;
    service.store()?;
    let kind = request
        .headers()
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok());
    if kind.is_some_and(|kind| kind != CBOR_SEQUENCE && kind != "application/octet-stream") {
        let detail = format!("content-type: allowed is {CBOR_SEQUENCE}");
        return Err(Problem::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "content-type",
            detail,
        ));
    }
    let _sending = service.begin_upload(&caller)?;
    let most = service.pairs.most_frame_bytes();
    let mut upload = Upload {
        service: &service,
        caller: &caller,
        admission: Admission::new(service.pairs.clone(), 2 * most),
        buffer: Vec::new(),
        ready: Vec::new(),
        ready_bytes: 0,
        batch_bytes: most,
        items: 0,
        receipt: Receipt::default(),
        refused: Vec::new(),
    };
    let read = upload.read(request.into_body()).await;
    upload.finish(read).await
}

impl Upload<'_> {
    /// Reads the body to its end, or to what ends its reading.
    async fn read(&mut self, body: Body) -> Answer<()> {
        let mut chunks = body.into_data_stream();
        let (begun, mut bytes, mut room) = (Instant::now(), 0, None);
        while let Some(chunk) = self.next(&mut chunks).await? {
            if room.is_none() {
                let most = self.service.pairs.most_frame_bytes();
                let least = self.service.room(2 * most + (1 << 16)).await?;
                let more = self.service.more_room(LARGE_BATCH);
                self.batch_bytes = more.as_ref().map_or(most, |_| LARGE_BATCH.max(most));
                room = Some((least, more));
            }
            bytes += chunk.len() as u64;
            let seconds = begun.elapsed().as_secs();
            if seconds > SLOW.0 && bytes / seconds < SLOW.1 {
                return Err(slow());
            }
            self.buffer.extend_from_slice(&chunk);
            self.cut().await?;
        }
        match (self.buffer.is_empty(), self.items) {
            (true, 0) => Err(Problem::malformed(
                "body",
                "body: empty; allowed is at least one frame",
            )),
            (true, _) => Ok(()),
            (false, _) => {
                let error = WireError::Truncated { field: "body" };
                self.refuse(Refusal::of(&error, None), 0..self.buffer.len());
                self.buffer.clear();
                Ok(())
            }
        }
    }

    /// The next bytes; None at the end.
    async fn next(
        &self,
        chunks: &mut (impl StreamExt<Item = Result<Bytes, axum::Error>> + Unpin),
    ) -> Answer<Option<Bytes>> {
        match tokio::time::timeout(self.service.limits.patience, chunks.next()).await {
            Err(_) => Err(slow()),
            Ok(None) => Ok(None),
            Ok(Some(Ok(chunk))) => Ok(Some(chunk)),
            Ok(Some(Err(_))) => Err(Problem::malformed(
                "body",
                "body: broke off; send again what has no receipt",
            )),
        }
    }

    /// Takes all whole items of the buffer.
    async fn cut(&mut self) -> Answer<()> {
        let mut at = 0;
        while at < self.buffer.len() {
            let rest = match Envelope::read(&self.buffer[at..]) {
                Ok((_, rest)) => rest.len(),
                Err(WireError::Truncated { .. })
                    if self.buffer.len() - at <= self.service.pairs.most_item_bytes() =>
                {
                    break
                }
                Err(error) => return Err(self.give_up(&error, at)),
            };
            let item = at..self.buffer.len() - rest;
            at = item.end;
            self.items += 1;
            match self.admission.take(
                &self.buffer[item.clone()],
                self.caller,
                self.service.clock.now(),
            ) {
                Ok(Some(frame)) => self.add(frame).await?,
                Ok(None) => {}
                Err(refusal) => self.refuse(refusal, item),
            }
            if self.refused.len() >= MOST_REFUSED {
                let detail =
                    format!("body: {MOST_REFUSED} items were refused, and the rest was not read");
                return Err(Problem::content("body", detail));
            }
        }
        self.buffer.drain(..at);
        Ok(())
    }

    /// Ends the reading at bytes that are no item, behind which none can be found.
    fn give_up(&mut self, error: &WireError, at: usize) -> Problem {
        let refusal = Refusal::of(error, None);
        let too_long = matches!(error, WireError::Truncated { .. });
        let status = if too_long {
            StatusCode::PAYLOAD_TOO_LARGE
        } else {
            StatusCode::UNPROCESSABLE_ENTITY
        };
        let most = self.service.pairs.most_item_bytes();
        let detail = match too_long {
            true => {
                format!("item: longer than any of this server's sets; allowed are {most} bytes")
            }
            false => refusal.detail.clone(),
        };
        let field = if too_long {
            "item".to_owned()
        } else {
            refusal.field.clone()
        };
        let end = self.buffer.len().min(at + most);
        self.refuse(refusal, at..end);
        Problem::new(status, field, detail)
    }

    fn refuse(&mut self, refusal: Refusal, item: std::ops::Range<usize>) {
        self.service.set_aside(&refusal, &self.buffer[item]);
        self.list(refusal);
    }

    fn list(&mut self, refusal: Refusal) {
        let Refusal {
            field,
            detail,
            frame,
        } = refusal;
        self.refused.push(RefusedItem {
            field,
            detail,
            device: frame.map(|frame| frame.device),
            epoch: frame.map(|frame| frame.epoch),
            sequence: frame.map(|frame| frame.sequence),
        });
    }

    /// Adds a frame to the batch, and stores the batch where it is large.
    async fn add(&mut self, frame: NewFrame) -> Answer<()> {
        let frames = self.receipt.frames.len() + self.ready.len();
        if frames >= MOST_FRAMES {
            let detail = format!("body: more than {MOST_FRAMES} frames; allowed are as many, so send the others in another");
            return Err(Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "body", detail));
        }
        self.ready_bytes += frame.bytes.len();
        self.ready.push(frame);
        match self.ready_bytes >= self.batch_bytes {
            true => self.store().await,
            false => Ok(()),
        }
    }

    async fn store(&mut self) -> Answer<()> {
        let frames = std::mem::take(&mut self.ready);
        self.ready_bytes = 0;
        let names: Vec<(FrameId, usize)> = frames
            .iter()
            .map(|frame| (frame.id, frame.bytes.len()))
            .collect();
        for ((id, _), outcome) in names.into_iter().zip(self.service.store_all(frames).await?) {
            let outcome = match outcome {
                AppendOutcome::Stored(_) => {
                    self.receipt.stored += 1;
                    "stored"
                }
                AppendOutcome::Known => {
                    self.receipt.known += 1;
                    "known"
                }
                AppendOutcome::Stale(detail) => {
                    let field = "sequence".to_owned();
                    let frame = Some(id);
                    let refusal = Refusal {
                        field,
                        detail,
                        frame,
                    };
                    self.service.set_aside(&refusal, &[]);
                    self.list(refusal);
                    continue;
                }
            };
            self.receipt.frames.push(ReceivedFrame {
                device: id.device,
                epoch: id.epoch,
                sequence: id.sequence,
                outcome,
            });
        }
        Ok(())
    }

    /// Stores what is whole, and says what came of everything.
    async fn finish(mut self, read: Answer<()>) -> Answer<Json<Receipt>> {
        for (refusal, bytes) in self.admission.expire(u64::MAX) {
            self.service.set_aside(&refusal, &bytes);
            self.list(refusal);
        }
        let stored = self.store().await;
        let problem = match (read.and(stored), self.refused.first()) {
            (Ok(()), None) => return Ok(Json(self.receipt)),
            (Ok(()), Some(first)) => Problem::content(first.field.clone(), first.detail.clone()),
            (Err(problem), _) => problem,
        };
        let Receipt {
            stored,
            known,
            frames,
        } = self.receipt;
        Err(problem
            .with("stored", stored)
            .with("known", known)
            .with("frames", frames)
            .with("refused", self.refused))
    }
}

fn slow() -> Problem {
    let detail = "body: came too slowly; send it again at once, or fewer frames";
    Problem::new(StatusCode::REQUEST_TIMEOUT, "body", detail)
}
