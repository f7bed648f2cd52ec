//! The stored frames that a job asks for, as a source of bytes.

use std::io::Read;
use std::sync::{Arc, Mutex, PoisonError};

use isopod_store::{Frames, Head, Log};
use isopod_wire::KeyId;
use isopod_workflow::{Inbox, Source};

use crate::jobs::state::{JobPublisher, JobRequest};
use crate::problem::{Answer, Problem};

/// Reads the frames that are wanted, as far as they are stored by now.
pub fn read(
    inbox: &mut Inbox<'_>,
    log: &Log,
    wanted: &FrameFilter,
    known: &JobPublisher,
) -> Answer<()> {
    let failed: Failure = Arc::default();
    let reader = Stored {
        frames: log.frames(0).filter_by(wanted.filter()),
        end: log.end(),
        current: Vec::new(),
        at: 0,
        progress: (known.clone(), 0),
        failed: Arc::clone(&failed),
    };
    let name = "log".to_owned();
    let read = inbox.read_all([Ok(Source {
        name,
        bytes: reader,
    })]);
    let failed = failed.lock().unwrap_or_else(PoisonError::into_inner).take();
    match failed {
        Some(error) => Err(Problem::from(error)),
        None => Ok(read?),
    }
}

/// Number and bytes of the frames that are wanted.
pub fn count(log: &Log, wanted: &FrameFilter) -> Answer<(u64, u64)> {
    let mut total = (0, 0);
    log.heads(|head| {
        if wanted.takes(head) {
            total = (total.0 + 1, total.1 + u64::from(head.length));
        }
    })?;
    Ok(total)
}

/// Frames that a job asks for.
#[derive(Clone)]
pub struct FrameFilter {
    key_id: KeyId,
    devices: Vec<(u64, u64)>,
    since: u64,
    until: u64,
}

impl FrameFilter {
    /// The frames that a request wants.
    pub fn new(key_id: KeyId, asked: &JobRequest) -> Self {
        let mut devices = asked.devices.clone();
        devices.sort_unstable();
        Self {
            key_id,
            devices,
            since: asked.since.unwrap_or(0),
            until: asked.until.unwrap_or(u64::MAX),
        }
    }

    fn takes(&self, head: &Head) -> bool {
        let device = head.id.device;
        let before = self.devices.partition_point(|(first, _)| *first <= device);
        let named = self.devices.is_empty()
            || self.devices[..before]
                .iter()
                .any(|(_, last)| device <= *last);
        named && head.key_id == self.key_id && (self.since..self.until).contains(&head.received)
    }

    fn filter(&self) -> impl FnMut(&Head) -> bool + Send + 'static {
        let wanted = self.clone();
        move |head| wanted.takes(head)
    }
}

/// An error of the log, which a reader of bytes cannot name.
type Failure = Arc<Mutex<Option<isopod_store::StoreError>>>;

/// Frames of the log as one source.
struct Stored {
    frames: Frames,
    end: u64,
    current: Vec<u8>,
    at: usize,
    progress: (JobPublisher, u64),
    failed: Failure,
}

impl Read for Stored {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        if self.at == self.current.len() {
            match self.frames.next().transpose() {
                Ok(Some(frame)) if frame.position < self.end => {
                    (self.current, self.at) = (frame.bytes, 0)
                }
                Ok(_) => return Ok(0),
                Err(error) => {
                    let text = error.to_string();
                    tracing::error!("{text}");
                    *self.failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                    return Err(std::io::Error::other(text));
                }
            }
            let (known, read) = &mut self.progress;
            *read += 1;
            if *read % 64 == 0 {
                known.send_modify(|job| job.done = *read);
            }
        }
        let length = into.len().min(self.current.len() - self.at);
        into[..length].copy_from_slice(&self.current[self.at..self.at + length]);
        self.at += length;
        Ok(length)
    }
}
