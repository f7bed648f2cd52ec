//! SourceBatches of several sources, one source after the other.

use std::io::Read;
use std::sync::Arc;

use isopod_wire::KeyId;

use crate::server::read::batch::{Batch, Buffers, Content, SourceBatches};
use crate::server::read::position::SourcePosition;
use crate::{Error, Result};

/// A named source of items.
pub struct Source<R> {
    /// Its name in messages; empty for none.
    pub name: String,
    /// Its bytes.
    pub bytes: R,
}

/// A batch with its place.
pub(crate) struct PositionedBatch {
    /// Number of the batch, by which the first of several errors is known.
    pub order: u64,
    /// The source, and where in it the batch begins.
    pub place: SourcePosition,
    /// The bytes.
    pub batch: Batch,
}

impl PositionedBatch {
    /// Whether it is one partial state.
    pub fn is_state(&self) -> bool {
        let first = self.batch.stretches.first();
        first.is_some_and(|stretch| matches!(stretch.content, Content::State))
    }
}

/// The batches of all sources.
pub(crate) struct BatchReader<I, R> {
    sources: I,
    key_id: KeyId,
    now: Option<(Arc<str>, SourceBatches<R>)>,
    opened: usize,
    order: u64,
    buffers: Buffers,
}

impl<R: Read, I: Iterator<Item = Result<Source<R>>>> BatchReader<I, R> {
    /// The batches of items under this key.
    pub fn new(sources: I, key_id: KeyId) -> Self {
        Self {
            sources,
            key_id,
            now: None,
            opened: 0,
            order: 0,
            buffers: Buffers::default(),
        }
    }

    /// Number of sources that were opened.
    pub fn opened(&self) -> usize {
        self.opened
    }

    /// The next batch; None at the end of the last source.
    ///
    /// # Errors
    /// The errors of the sources.
    pub fn next(&mut self) -> Result<Option<PositionedBatch>> {
        loop {
            if let Some((name, batches)) = &mut self.now {
                let batch = batches.next().map_err(|error| in_source(name, error))?;
                if let Some(batch) = batch {
                    self.order += 1;
                    let (source, position) = (name.clone(), batch.position);
                    return Ok(Some(PositionedBatch {
                        order: self.order,
                        place: SourcePosition { source, position },
                        batch,
                    }));
                }
            }
            let Some(source) = self.sources.next().transpose()? else {
                return Ok(None);
            };
            self.opened += 1;
            let batches = SourceBatches::new(source.bytes, self.key_id, self.buffers.clone());
            self.now = Some((source.name.into(), batches));
        }
    }
}

fn in_source(name: &str, error: Error) -> Error {
    match name {
        "" => error,
        _ => Error::At {
            place: name.to_owned(),
            source: Box::new(error),
        },
    }
}
