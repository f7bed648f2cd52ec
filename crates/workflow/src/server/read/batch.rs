//! SourceBatches of whole items from a source, and the damaged stretches between them.

use std::io::Read;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use isopod_wire::codes::size;
use isopod_wire::{Envelope, KeyId, WireError};

use crate::Result;

/// Bytes of a batch, about: enough to be handed to another thread, and few beside the cache of a core.
const BATCH_BYTES: usize = 1 << 18;
/// Most bytes of an item: a partial state of two polynomials of 32768 residues under 15 primes, with its manifest.
const ITEM_BYTES: usize = 1 << 25;
/// Bytes from the begin of an item to the end of its key id, at most.
const HEAD_BYTES: usize = 64;

/// Buffers of batches that were worked off, which others fill again: fresh memory costs more than the copy into it.
#[derive(Clone, Default)]
pub(crate) struct Buffers(Arc<Mutex<Vec<Vec<u8>>>>);

impl Buffers {
    fn take(&self) -> Vec<u8> {
        let mut buffers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        buffers.pop().unwrap_or_default()
    }

    fn give_back(&self, mut buffer: Vec<u8>) {
        buffer.clear();
        let mut buffers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        buffers.push(buffer);
    }
}

/// Consecutive bytes of a source, cut into items.
pub(crate) struct Batch {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Offset of the first byte in the source.
    pub position: u64,
    /// Cuts of the bytes, in order; together all of them.
    pub stretches: Vec<Stretch>,
    key_id: KeyId,
    /// Whether the source ends here.
    ended: bool,
    buffers: Buffers,
}

impl Drop for Batch {
    fn drop(&mut self) {
        self.buffers.give_back(std::mem::take(&mut self.bytes));
    }
}

impl Batch {
    /// Cuts the bytes anew from an item on that begins inside of a damaged one, whose missing bytes it was taken for; None if
    /// there is none.
    pub fn cut_within(&self, item: &Range<usize>) -> Option<Vec<Stretch>> {
        let inner = item.start + next_item(&self.bytes[item.clone()], &self.key_id)?;
        let behind = cut(&self.bytes[inner..], &self.key_id, true);
        let shifted = behind.into_iter().map(|stretch| Stretch {
            range: stretch.range.start + inner..stretch.range.end + inner,
            content: match stretch.content {
                Content::Unfinished(error) if !self.ended => Content::Damaged(error),
                content => content,
            },
        });
        let damaged = Stretch {
            range: item.start..inner,
            content: Content::Damaged(WireError::Tag),
        };
        let mut all: Vec<Stretch> = std::iter::once(damaged).chain(shifted).collect();
        let end = all.last().map_or(inner, |last| last.range.end);
        if end < self.bytes.len() {
            // A partial state, which is read by itself: it is tried again from what was set aside.
            let extra = self.bytes.len() - end;
            all.push(Stretch {
                range: end..self.bytes.len(),
                content: Content::Damaged(WireError::TrailingBytes { extra }),
            });
        }
        Some(all)
    }
}

/// Some bytes of a batch.
pub(crate) struct Stretch {
    /// Which bytes.
    pub range: Range<usize>,
    /// Their content.
    pub content: Content,
}

/// Content of a stretch.
pub(crate) enum Content {
    /// One item.
    Item,
    /// A partial state, which is a batch by itself.
    State,
    /// No item: why.
    Damaged(WireError),
    /// The begin of an item, where the source ends.
    Unfinished(WireError),
}

/// A source in batches. In memory are two batches, or twice the longest item.
pub(crate) struct SourceBatches<R> {
    source: R,
    key_id: KeyId,
    rest: Vec<u8>,
    position: u64,
    ended: bool,
    buffers: Buffers,
}

impl<R: Read> SourceBatches<R> {
    /// A source of items under this key, by which they are found behind damaged bytes.
    pub fn new(source: R, key_id: KeyId, buffers: Buffers) -> Self {
        Self {
            source,
            key_id,
            rest: Vec::new(),
            position: 0,
            ended: false,
            buffers,
        }
    }

    /// The next batch; None at the end.
    ///
    /// # Errors
    /// [`crate::Error::Read`].
    pub fn next(&mut self) -> Result<Option<Batch>> {
        let mut bytes = self.buffers.take();
        bytes.append(&mut self.rest);
        let mut wanted = BATCH_BYTES;
        loop {
            self.fill(&mut bytes, wanted)?;
            let stretches = cut(&bytes, &self.key_id, self.ended);
            if stretches.is_empty() && !self.ended {
                wanted = 2 * bytes.len();
                continue;
            }
            let used = stretches.last().map_or(0, |last| last.range.end);
            self.rest.extend_from_slice(&bytes[used..]);
            bytes.truncate(used);
            let position = self.position;
            self.position += used as u64;
            return Ok((used > 0).then_some(Batch {
                bytes,
                position,
                stretches,
                key_id: self.key_id,
                ended: self.ended && self.rest.is_empty(),
                buffers: self.buffers.clone(),
            }));
        }
    }

    fn fill(&mut self, bytes: &mut Vec<u8>, wanted: usize) -> Result<()> {
        let missing = wanted.saturating_sub(bytes.len());
        bytes.reserve_exact(missing);
        let mut source = self.source.by_ref().take(missing as u64);
        source.read_to_end(bytes)?;
        self.ended |= bytes.len() < wanted;
        Ok(())
    }
}

/// Cuts bytes into items as far as these are whole; a frame's parts stay together where they follow each other.
fn cut(bytes: &[u8], key_id: &KeyId, ended: bool) -> Vec<Stretch> {
    if let Some(end) = end_of_state(bytes) {
        return vec![Stretch {
            range: 0..end,
            content: Content::State,
        }];
    }
    let mut stretches: Vec<Stretch> = Vec::new();
    // Numbers of stretches after which a frame is whole.
    let (mut at, mut whole) = (0, Vec::new());
    while at < bytes.len() {
        let begin = at;
        let content = match Envelope::read(&bytes[at..]) {
            Ok((envelope, _)) if envelope.kind().is_partial() => return stretches,
            Ok((envelope, rest)) => {
                at = bytes.len() - rest.len();
                if envelope.is_last_part() {
                    whole.push(stretches.len() + 1);
                }
                Content::Item
            }
            Err(WireError::Truncated { .. }) if !ended && bytes.len() - at <= ITEM_BYTES => break,
            Err(error) => {
                let (length, content) = damaged(&bytes[at..], key_id, ended, error);
                at += length;
                content
            }
        };
        let range = begin..at;
        stretches.push(Stretch { range, content });
    }
    if ended {
        return stretches;
    }
    // The parts of the last frame wait for those that are to come.
    if let Some(&most) = whole.last() {
        stretches.truncate(most);
    }
    if let Some(broken) = hides_begin(bytes, &stretches, key_id) {
        whole.retain(|&most| most <= broken);
        stretches.truncate(whole.last().copied().unwrap_or_default());
    }
    stretches
}

/// The last item, if the begin of another lies in it whose end is behind all stretches: it was broken off, and took the other for
/// what it lacks.
fn hides_begin(bytes: &[u8], stretches: &[Stretch], key_id: &KeyId) -> Option<usize> {
    let is_item = |stretch: &Stretch| matches!(stretch.content, Content::Item);
    let at = stretches.iter().rposition(is_item)?;
    let item = &stretches[at].range;
    let inner = item.start + next_item(&bytes[item.clone()], key_id)?;
    let end = stretches.last()?.range.end;
    let is_open = matches!(
        Envelope::read(&bytes[inner..end]),
        Err(WireError::Truncated { .. })
    );
    (is_open && bytes.len() - inner <= ITEM_BYTES).then_some(at)
}

/// The end of a partial state at the beginning, if one is there.
fn end_of_state(bytes: &[u8]) -> Option<usize> {
    let (envelope, rest) = Envelope::read(bytes).ok()?;
    (envelope.kind().is_partial()).then_some(bytes.len() - rest.len())
}

/// Length and kind of bytes that are no item.
fn damaged(bytes: &[u8], key_id: &KeyId, ended: bool, error: WireError) -> (usize, Content) {
    let cut = matches!(error, WireError::Truncated { .. });
    match next_item(bytes, key_id) {
        Some(found) => (found, Content::Damaged(error)),
        None if ended && cut => (bytes.len(), Content::Unfinished(error)),
        None if ended => (bytes.len(), Content::Damaged(error)),
        None => {
            let length = bytes.len().saturating_sub(HEAD_BYTES).max(1);
            (length, Content::Damaged(error))
        }
    }
}

/// Where the next item of this key begins behind the first byte.
fn next_item(bytes: &[u8], key_id: &KeyId) -> Option<usize> {
    let mut from = 1;
    while let Some(found) = position(bytes.get(from..)?, key_id) {
        let key = from + found;
        let mut begins = key.saturating_sub(HEAD_BYTES).max(1)..key;
        let begin = begins.find(|&begin| Envelope::claimed_kind(&bytes[begin..]).is_some());
        if begin.is_some() {
            return begin;
        }
        from = key + 1;
    }
    None
}

fn position(bytes: &[u8], wanted: &[u8; size::KEY_ID]) -> Option<usize> {
    bytes
        .windows(wanted.len())
        .position(|window| window == wanted)
}
