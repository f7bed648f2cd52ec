//! Whole frames from files of parts, in the order in which their last parts come.

use std::collections::BTreeMap;
use std::io::Read;

use isopod_wire::{FrameId, WireError};
use isopod_workflow::{Items, Server};

use crate::rows::Stored;
use crate::Result;

/// Most bytes of one part.
const PART_BYTES: usize = 1 << 22;
/// Most frames that may lack parts at the same time.
const OPEN_FRAMES: usize = 1 << 10;

/// The frames of a source of parts. In memory are those that lack parts.
pub struct Frames<'s, R> {
    server: &'s Server,
    items: Items<R>,
    time: i64,
    open: BTreeMap<FrameId, Vec<Vec<u8>>>,
}

impl<'s, R: Read> Frames<'s, R> {
    /// The frames of a source, acknowledged at this time, in microseconds since 1970.
    pub fn new(server: &'s Server, source: R, time: i64) -> Self {
        Self {
            server,
            items: Items::new(source, PART_BYTES),
            time,
            open: BTreeMap::new(),
        }
    }

    fn next_frame(&mut self) -> Result<Option<Stored>> {
        loop {
            let Some((bytes, id, parts)) = self.items.next_part(self.server)? else {
                return match self.open.pop_first() {
                    None => Ok(None),
                    Some((id, parts)) => {
                        let missing = vec![parts.len() as u16];
                        let error = WireError::missing_parts(id, missing);
                        Err(isopod_workflow::Error::from(error).into())
                    }
                };
            };
            if self.open.len() >= OPEN_FRAMES && !self.open.contains_key(&id) {
                let most = OPEN_FRAMES;
                return Err(isopod_workflow::Error::OpenFrames { most }.into());
            }
            let open = self.open.entry(id).or_default();
            open.push(bytes);
            if open.len() == parts {
                let bytes = self.open.remove(&id).unwrap_or_default().concat();
                let time = self.time;
                return Ok(Some(Stored { time, bytes }));
            }
        }
    }
}

impl<R: Read> Iterator for Frames<'_, R> {
    type Item = Result<Stored>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_frame().transpose()
    }
}
