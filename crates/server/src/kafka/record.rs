//! Records of a topic: their elements are admitted as those of a message are, and go to the tables with the next commit.

use std::sync::atomic::Ordering;

use isopod_stream::{Judgement, NewFrame, Partition, RefusedRecord, Result, Stream};

use crate::admit::access::{Caller, Role};
use crate::admit::admission::{Admission, MostBytes};
use crate::service::{Service, Store};
use crate::upload::message::{Message, MessageReader};

/// Reasons of a record that are kept.
const MOST_REASONS: usize = 5;

/// A record that was read.
pub struct Arrived<'a> {
    /// Where it stands.
    pub partition: Partition,
    /// Its offset.
    pub offset: i64,
    /// Time of the record in milliseconds since 1970.
    pub time: u64,
    /// Its content; none for a record that only deletes.
    pub bytes: Option<&'a [u8]>,
}

/// Takes a record: whole frames, contexts and packets, each of a device of the record's partition.
///
/// # Errors
/// Those of [`Stream::take`].
pub fn take(service: &Service, store: &Store, record: &Arrived<'_>) -> Result<()> {
    let mut message = admit(service, record.bytes.unwrap_or_default());
    let Some(mut stream) = store.stream() else {
        return Ok(());
    };
    let at = &record.partition;
    for (key_id, item) in &message.contexts {
        stream.keep_context(at, record.offset, (key_id, item))?;
    }
    let mut reasons: Vec<(String, String)> = Vec::new();
    for (refusal, _) in std::mem::take(&mut message.refused) {
        reasons.push((refusal.field, refusal.detail));
    }
    for frame in std::mem::take(&mut message.frames) {
        let frame = NewFrame {
            received: record.time,
            ..frame
        };
        let refused = match stream.misplaced(at, frame.id.device) {
            Some(misplaced) => Some(("partition", misplaced)),
            None => match stream.take(at, record.offset, frame) {
                Ok(Judgement::New) => None,
                Ok(Judgement::Known) => {
                    service.metrics.known.fetch_add(1, Ordering::Relaxed);
                    None
                }
                Ok(Judgement::Stale(allowed)) => Some(("sequence", allowed)),
                Err(error @ isopod_stream::Error::WithoutTable(_)) => {
                    Some(("key", error.to_string()))
                }
                Err(error) => return Err(error),
            },
        };
        reasons.extend(refused.map(|(field, detail)| (field.to_owned(), detail)));
    }
    // Parts of one frame are refused for one reason.
    reasons.dedup();
    for (field, _) in &reasons {
        service.metrics.refuse(field);
    }
    if !reasons.is_empty() {
        let details = reasons
            .iter()
            .take(MOST_REASONS)
            .map(|(_, detail)| detail.as_str());
        refuse(&mut stream, record, details.collect::<Vec<_>>().join("; "));
    }
    stream.passed(at, record.offset + 1)
}

/// Admits the elements of a record. Its frames are whole: parts that lack others are refused.
fn admit(service: &Service, bytes: &[u8]) -> Message {
    let most = 2 * service.pairs.most_frame_bytes();
    let most = MostBytes {
        all: most,
        device: most,
    };
    let mut reader = MessageReader {
        service,
        admission: &mut Admission::new(service.pairs.clone(), most),
        spill: &mut service.room.spill(),
        caller: &Caller::Token(Role::Gateway, "kafka".to_owned()),
    };
    let mut message = reader.read(bytes);
    reader.end(&mut message);
    message
}

fn refuse(stream: &mut Stream, record: &Arrived<'_>, reason: String) {
    let (partition, offset) = (&record.partition, record.offset);
    let kept = stream.refuse(|| RefusedRecord {
        partition: partition.clone(),
        offset,
        time: record.time,
        reason: reason.clone(),
        bytes: record.bytes.unwrap_or_default().to_vec(),
    });
    // Whoever may write to the topic must not fill the log.
    if kept {
        tracing::warn!(%partition, offset, "refused: {reason}");
    }
}
