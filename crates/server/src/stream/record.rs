//! Records of a topic: their elements are admitted as those of a message are, and go to the tables with the next commit.

use isopod_stream::{Judgement, Partition, RefusedRecord, Result, Stream};

use crate::admit::access::{Caller, Role};
use crate::admit::admission::{Admission, MostBytes};
use crate::admit::refusal::Refusal;
use crate::service::{Service, Store};
use crate::upload::message::{Message, MessageReader};

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
    for mut frame in std::mem::take(&mut message.frames) {
        frame.received = record.time;
        let (id, bytes) = (frame.id, frame.bytes.clone());
        let refused = match stream.misplaced(at, id.device) {
            Some(misplaced) => Some(("partition", misplaced)),
            None => match stream.take(at, record.offset, frame) {
                Ok(Judgement::New | Judgement::Known) => None,
                Ok(Judgement::Stale(allowed)) => Some(("sequence", allowed)),
                Err(error @ isopod_stream::Error::WithoutTable(_)) => {
                    Some(("key", error.to_string()))
                }
                Err(error) => return Err(error),
            },
        };
        if let Some((field, detail)) = refused {
            let refusal = Refusal {
                field: field.to_owned(),
                detail,
                frame: Some(id),
            };
            message.refused.push((refusal, bytes));
        }
    }
    for (refusal, bytes) in message.refused {
        service.metrics.refuse(&refusal.field);
        refuse(&mut stream, record, refusal, bytes);
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

fn refuse(stream: &mut Stream, record: &Arrived<'_>, refusal: Refusal, bytes: Vec<u8>) {
    let (partition, offset) = (&record.partition, record.offset);
    tracing::warn!(%partition, offset, "refused: {}", refusal.detail);
    stream.refuse(RefusedRecord {
        partition: partition.clone(),
        offset,
        time: record.time,
        reason: refusal.detail,
        bytes,
    });
}
