//! The stored frames that a job asks for, as a source of bytes: of the log, or of a table where frames come from a topic.

use std::io::Read;
use std::sync::{Arc, Mutex, PoisonError};

use isopod_store::{Head, Log};
use isopod_table::Table;
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
    let end = log.end();
    let frames = log.frames(0).filter_by(wanted.filter());
    let stored = frames.take_while(move |frame| match frame {
        Ok(frame) => frame.position < end,
        Err(_) => true,
    });
    let bytes = stored.map(|frame| frame.map(|frame| frame.bytes));
    read_frames(inbox, "log", bytes, known)
}

/// Reads the frames of a table that are wanted, as it is now.
pub fn read_table(
    inbox: &mut Inbox<'_>,
    table: &Table,
    wanted: &FrameFilter,
    known: &JobPublisher,
) -> Answer<()> {
    let rows = table.snapshot_rows()?.filter(|row| match row {
        Ok((device, row)) => wanted.takes_row(*device, row.time),
        Err(_) => true,
    });
    let bytes = rows.map(|row| row.map(|(_, row)| row.bytes));
    read_frames(inbox, "table", bytes, known)
}

fn read_frames<E>(
    inbox: &mut Inbox<'_>,
    name: &str,
    frames: impl Iterator<Item = Result<Vec<u8>, E>> + Send,
    known: &JobPublisher,
) -> Answer<()>
where
    E: std::error::Error + Send,
    Problem: From<E>,
{
    let failed: Failure<E> = Arc::new(Mutex::new(None));
    let bytes = FrameBytes {
        frames,
        current: Vec::new(),
        at: 0,
        progress: (known.clone(), 0),
        failed: Arc::clone(&failed),
    };
    let name = name.to_owned();
    let read = inbox.read_all([Ok(Source { name, bytes })]);
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

/// Number of the frames of a table that are wanted, and about so many bytes.
pub fn count_table(table: &Table, wanted: &FrameFilter) -> Answer<(u64, u64)> {
    let snapshot = table.snapshot()?;
    let frames = table.count(|device, time| wanted.takes_row(device, time))?;
    let each = snapshot.bytes.div_ceil(snapshot.rows.max(1));
    Ok((frames, frames.saturating_mul(each)))
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
        head.key_id == self.key_id && self.takes_sent(head.id.device, head.received)
    }

    /// Whether a row of the key pair's table is wanted; its time is in microseconds since 1970.
    fn takes_row(&self, device: u64, time: i64) -> bool {
        self.takes_sent(device, u64::try_from(time / 1000).unwrap_or(0))
    }

    fn takes_sent(&self, device: u64, received: u64) -> bool {
        let before = self.devices.partition_point(|(first, _)| *first <= device);
        let named = self.devices.is_empty()
            || self.devices[..before]
                .iter()
                .any(|(_, last)| device <= *last);
        named && (self.since..self.until).contains(&received)
    }

    fn filter(&self) -> impl FnMut(&Head) -> bool + Send + 'static {
        let wanted = self.clone();
        move |head| wanted.takes(head)
    }
}

/// An error of the log or of a table, which a reader of bytes cannot name.
type Failure<E> = Arc<Mutex<Option<E>>>;

/// Frames as one source of bytes.
struct FrameBytes<I, E> {
    frames: I,
    current: Vec<u8>,
    at: usize,
    progress: (JobPublisher, u64),
    failed: Failure<E>,
}

impl<I, E> Read for FrameBytes<I, E>
where
    I: Iterator<Item = Result<Vec<u8>, E>>,
    E: std::error::Error,
{
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        if self.at == self.current.len() {
            match self.frames.next().transpose() {
                Ok(Some(frame)) => (self.current, self.at) = (frame, 0),
                Ok(None) => return Ok(0),
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
