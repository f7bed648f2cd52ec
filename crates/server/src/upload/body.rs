//! One body on its way to disk.
//!
//! Memory is reserved for bytes that came. They wait in memory while there is room, and not longer than a moment: then whole
//! frames are stored, and what is not whole goes to a file.

use std::io;
use std::ops::Range;
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::http::StatusCode;
use axum::response::Response;
use isopod_store::{AppendOutcome, NewFrame};
use isopod_wire::{FrameId, KeyId, Outcome, Submission, WireError};
use tokio::sync::OwnedSemaphorePermit;

use crate::admit::access::Caller;
use crate::admit::admission::{Admission, MostBytes, Whole};
use crate::admit::refusal::Refusal;
use crate::admit::room::{busy, Reservation, Share};
use crate::admit::spill::{Place, Spill};
use crate::problem::{Answer, Problem};
use crate::service::Service;
use crate::upload::pace::Pace;
use crate::upload::receipt::{self, Form, Receipt, ReceivedFrame, RefusedItem};
use crate::upload::submitted::{Announced, Taken};

/// Most frames of one body.
const MOST_FRAMES: usize = 10_000;
/// Most refused items of one body; the rest of it is not read.
const MOST_REFUSED: usize = 100;
/// Time that bytes may wait in memory.
const MOMENT: Duration = Duration::from_millis(250);
/// Bytes that may stay in memory for longer where there is room: less is not worth a file.
const FEW_BYTES: usize = 4096;

/// The begin of an item, in a file.
struct Begun {
    place: Place,
    /// Bytes of the item, as far as it tells.
    least: usize,
}

/// One body on its way to disk.
pub struct Upload<'a> {
    service: &'a Service,
    caller: &'a Caller,
    admission: Admission,
    share: Share,
    memory: Reservation,
    /// Memory for what comes back from the file; held until it is stored.
    work: Option<OwnedSemaphorePermit>,
    spill: Spill,
    begun: Option<Begun>,
    buffer: Vec<u8>,
    since: Instant,
    ready: Vec<NewFrame>,
    ready_bytes: usize,
    items: usize,
    receipt: Receipt,
    /// Receipts for devices, if they are asked for.
    receipts: Option<Vec<u8>>,
    refused: Vec<RefusedItem>,
}

impl<'a> Upload<'a> {
    /// A body that has not begun.
    pub fn new(service: &'a Service, caller: &'a Caller, share: Share, form: Form) -> Answer<Self> {
        let most = 2 * service.pairs.most_frame_bytes();
        let most = MostBytes {
            all: most,
            device: most,
        };
        Ok(Self {
            service,
            caller,
            admission: Admission::new(service.pairs.clone(), most),
            share,
            memory: service.room.reservation()?,
            work: None,
            spill: service.room.spill(),
            begun: None,
            buffer: Vec::new(),
            since: Instant::now(),
            ready: Vec::new(),
            ready_bytes: 0,
            items: 0,
            receipt: Receipt::default(),
            receipts: (form == Form::Receipts).then(Vec::new),
            refused: Vec::new(),
        })
    }

    /// Reads the body to its end, or to what ends its reading.
    pub async fn read(&mut self, body: Body) -> Answer<()> {
        let mut pace = Pace::new(body.into_data_stream(), self.service.limits.patience);
        loop {
            let mut came = None;
            if self.waits_in_memory() {
                came = pace.soon(MOMENT).await?;
                if came.is_none() {
                    self.settle(true).await?;
                }
            }
            let chunk = match came {
                Some(chunk) => chunk,
                None => pace.next().await?,
            };
            match chunk {
                Some(chunk) => self.take(&chunk).await?,
                None => return self.end(),
            }
        }
    }

    /// Whether there is something that a long wait would hold up in memory.
    fn waits_in_memory(&self) -> bool {
        !self.ready.is_empty() || self.buffer.len() + self.admission.memory() > FEW_BYTES
    }

    fn end(&mut self) -> Answer<()> {
        if self.begun.is_none() && self.buffer.is_empty() {
            let empty = "body: empty; allowed is at least one frame";
            return match self.items {
                0 => Err(Problem::malformed("body", empty)),
                _ => Ok(()),
            };
        }
        self.recall()?;
        let error = WireError::Truncated { field: "body" };
        self.refuse(Refusal::of(&error, None), 0..self.buffer.len());
        self.buffer.clear();
        Ok(())
    }

    /// Takes the next bytes.
    async fn take(&mut self, chunk: &[u8]) -> Answer<()> {
        if self.ready.is_empty() && self.buffer.len() + self.admission.memory() == 0 {
            self.since = Instant::now();
        }
        if let Some(begun) = &self.begun {
            if begun.place.bytes() + self.buffer.len() + chunk.len() < begun.least {
                return self.go_on(chunk);
            }
            self.work = Some(self.service.room.work().await?);
            self.recall()?;
        }
        self.buffer.extend_from_slice(chunk);
        self.cut().await?;
        self.settle(false).await
    }

    /// Keeps more bytes of an item that has begun in a file: few of them in memory.
    fn go_on(&mut self, chunk: &[u8]) -> Answer<()> {
        self.buffer.extend_from_slice(chunk);
        if self.buffer.len() > FEW_BYTES || !self.memory.fit(self.held()) {
            on_disk(|| self.spill_all())?;
            self.memory.fit(self.held());
        }
        self.share.hold(self.spill.bytes())
    }

    /// Brings the begin of an item back from the file, to the begin of the buffer.
    fn recall(&mut self) -> Answer<()> {
        if let Some(begun) = self.begun.take() {
            let mut bytes = on_disk(|| self.spill.take(begun.place))?;
            bytes.append(&mut self.buffer);
            self.buffer = bytes;
        }
        Ok(())
    }

    /// Takes all whole items of the buffer.
    async fn cut(&mut self) -> Answer<()> {
        let mut at = 0;
        while at < self.buffer.len() {
            let (element, rest) = match Submission::read(&self.buffer[at..]) {
                Ok((element, rest)) => (element, rest.len()),
                Err(WireError::Truncated { .. }) if self.least(at) <= self.most_item() => break,
                Err(error) => return Err(self.give_up(&error, at)),
            };
            let item = at..self.buffer.len() - rest;
            at = item.end;
            self.items += 1;
            let taken = self.service.take(&mut self.admission, element, self.caller);
            match taken {
                Ok(Taken::Whole(whole)) => self.add(whole).await?,
                Ok(Taken::Nothing) => {}
                Ok(Taken::Context(announced, waiting)) => self.announce(announced, waiting).await?,
                Err(refusal) => match refusal.busy() {
                    Some(problem) => return Err(problem),
                    None => self.refuse(refusal, item),
                },
            }
            if self.refused.len() >= MOST_REFUSED {
                let detail =
                    format!("body: {MOST_REFUSED} items were refused, and the rest was not read");
                return Err(Problem::content("body", detail));
            }
        }
        if at > 0 {
            // Without its memory, which draining would keep.
            self.buffer = self.buffer.split_off(at);
        }
        Ok(())
    }

    /// Bytes of the item that begins in the buffer, as far as it tells.
    fn least(&self, at: usize) -> usize {
        Submission::least_bytes(&self.buffer[at..])
    }

    fn most_item(&self) -> usize {
        self.service.pairs.most_item_bytes()
    }

    /// Reserves memory for what is there; stores and spills where there is none, or for too long.
    async fn settle(&mut self, waits: bool) -> Answer<()> {
        let late = waits || self.since.elapsed() >= MOMENT;
        let fits = self.memory.fit(self.held());
        if late || !fits || self.work.is_some() {
            self.store().await?;
        }
        let incomplete = self.buffer.len() + self.admission.memory();
        if !self.memory.fit(self.held()) || late && incomplete > FEW_BYTES {
            on_disk(|| self.spill_all())?;
            if !self.memory.fit(self.held()) {
                return Err(busy());
            }
        }
        if late {
            self.since = Instant::now();
        }
        self.work = None;
        self.share.hold(self.spill.bytes())
    }

    /// Bytes in memory.
    fn held(&self) -> usize {
        let told = size_of::<ReceivedFrame>() * self.receipt.frames.len()
            + self.receipts.as_ref().map_or(0, Vec::len);
        self.buffer.capacity() + self.admission.memory() + self.ready_bytes + told
    }

    fn spill_all(&mut self) -> io::Result<()> {
        self.admission.spill(&mut self.spill)?;
        let least = self.least(0);
        let bytes = std::mem::take(&mut self.buffer);
        match &mut self.begun {
            Some(begun) => self.spill.extend(&mut begun.place, &bytes),
            None if bytes.is_empty() => Ok(()),
            None => {
                let place = self.spill.keep(&bytes)?;
                self.begun = Some(Begun { place, least });
                Ok(())
            }
        }
    }

    /// Ends the reading at bytes that are no item, behind which none can be found.
    fn give_up(&mut self, error: &WireError, at: usize) -> Problem {
        let refusal = Refusal::of(error, None);
        let most = self.most_item();
        let (status, field, detail) = match error {
            WireError::Truncated { .. } => (
                StatusCode::PAYLOAD_TOO_LARGE,
                "item".to_owned(),
                format!("item: longer than any of this server's sets; allowed are {most} bytes"),
            ),
            _ => (
                StatusCode::UNPROCESSABLE_ENTITY,
                refusal.field.clone(),
                refusal.detail.clone(),
            ),
        };
        let end = self.buffer.len().min(at + most);
        self.refuse(refusal, at..end);
        Problem::new(status, field, detail)
    }

    /// Acknowledges a context, and takes the packets that waited for it.
    async fn announce(&mut self, announced: Announced, waiting: Vec<Vec<u8>>) -> Answer<()> {
        let Announced { key_id, name } = announced;
        self.receipt.contexts += 1;
        if let Some(receipts) = &mut self.receipts {
            let outcome = Outcome::Announced;
            receipts.extend(self.service.pairs.receipt(&key_id, name, outcome));
        }
        for packet in waiting {
            let element = Submission::Packet {
                sender: Some(name.device),
                packet: &packet,
            };
            let taken = self.service.take(&mut self.admission, element, self.caller);
            match taken {
                Ok(Taken::Whole(whole)) => self.add(whole).await?,
                Ok(_) => {}
                // It was refused long ago, as far as its sender knows.
                Err(refusal) => self.service.set_aside(&refusal, &packet),
            }
        }
        Ok(())
    }

    fn refuse(&mut self, refusal: Refusal, item: Range<usize>) {
        self.service.set_aside(&refusal, &self.buffer[item]);
        self.refused.push(refusal.into());
    }

    /// Adds a frame to the batch, and stores the batch where it is large.
    async fn add(&mut self, whole: Whole) -> Answer<()> {
        let frames = self.receipt.frames.len() + self.ready.len();
        if frames >= MOST_FRAMES {
            let detail = format!("body: more than {MOST_FRAMES} frames; allowed are as many, so send the others in another");
            return Err(Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "body", detail));
        }
        if self.spill.bytes() > 0 && self.work.is_none() {
            self.work = Some(self.service.room.work().await?);
        }
        let frame = match self.spill.bytes() {
            0 => whole.frame(&mut self.spill).map_err(disk_problem)?,
            _ => on_disk(|| whole.frame(&mut self.spill))?,
        };
        self.ready_bytes += frame.bytes.len();
        self.ready.push(frame);
        match self.ready_bytes >= self.service.room.batch_bytes() {
            true => self.store().await,
            false => Ok(()),
        }
    }

    async fn store(&mut self) -> Answer<()> {
        let frames = std::mem::take(&mut self.ready);
        self.ready_bytes = 0;
        let names: Vec<(KeyId, FrameId)> = frames
            .iter()
            .map(|frame| (frame.key_id, frame.id))
            .collect();
        if names.is_empty() {
            return Ok(());
        }
        let outcomes = self.service.store_all(frames).await?;
        for ((key_id, id), outcome) in names.into_iter().zip(outcomes) {
            if let Some(receipts) = &mut self.receipts {
                let outcome = receipt::outcome(&outcome);
                receipts.extend(self.service.pairs.receipt(&key_id, id, outcome));
            }
            match outcome {
                AppendOutcome::Stored(_) => self.receipt.add(id, true),
                AppendOutcome::Known => self.receipt.add(id, false),
                AppendOutcome::Stale(detail) => {
                    let refusal = Refusal {
                        field: "sequence".to_owned(),
                        detail,
                        frame: Some(id),
                    };
                    self.service.set_aside(&refusal, &[]);
                    self.refused.push(refusal.into());
                }
            }
        }
        Ok(())
    }

    /// Stores what is whole, and says what came of everything.
    pub async fn finish(mut self, read: Answer<()>) -> Response {
        let alone = self.admission.expire(u64::MAX, &mut self.spill);
        for (refusal, bytes) in alone {
            self.service.set_aside(&refusal, &bytes);
            self.refused.push(refusal.into());
        }
        let stored = self.store().await;
        let read = match (read.and(stored), &self.refused[..]) {
            (Ok(()), [first, ..]) => Err(first.problem()),
            (read, _) => read,
        };
        match self.receipts {
            Some(receipts) => receipt::sequence(read, receipts),
            None => receipt::words(read, self.receipt, self.refused),
        }
    }
}

/// Works on a file, beside the other tasks of this thread.
fn on_disk<T>(work: impl FnOnce() -> io::Result<T>) -> Answer<T> {
    tokio::task::block_in_place(work).map_err(disk_problem)
}

fn disk_problem(error: io::Error) -> Problem {
    tracing::error!("file of an upload: {error}");
    Problem::of_disk(&error)
}
