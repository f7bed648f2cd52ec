//! Damage: acknowledged bytes of the log that are not as they were written.

use std::fmt;
use std::path::PathBuf;

use isopod_wire::{FrameId, KeyId};

use crate::record::Head;
use crate::Position;

/// A stretch of the log that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damage {
    /// File of the stretch.
    pub path: PathBuf,
    /// Offset in the file.
    pub offset: u64,
    /// Position in the log.
    pub position: Position,
    /// Bytes.
    pub bytes: u64,
    /// The frame, where its header can be read; None where any frame may be meant.
    pub head: Option<Head>,
    /// Whether it still counts.
    pub state: DamageState,
}

/// Whether damage still counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DamageState {
    /// Whoever asks for its frames is refused.
    Open = 0,
    /// The owner gave it up: its frames are left out. A device that still has one may send it once more.
    GivenUp = 1,
    /// Its frame came once more.
    Replaced = 2,
}

impl Damage {
    /// The position behind it.
    pub(crate) fn end(&self) -> Position {
        self.position + self.bytes
    }

    /// Whether a byte lies in both.
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        self.position < other.end() && other.position < self.end()
    }

    /// Key pair and name of the frame, where they are known.
    pub fn frame(&self) -> Option<(KeyId, FrameId)> {
        self.head.map(|head| (head.key_id, head.id))
    }

    /// Whether a frame that is asked for may be meant.
    pub fn concerns(&self, mut is_wanted: impl FnMut(&Head) -> bool) -> bool {
        self.state == DamageState::Open && self.head.as_ref().is_none_or(&mut is_wanted)
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Folders are the operator's affair.
        let path = self.path.file_name().unwrap_or_default().display();
        let (offset, bytes) = (self.offset, self.bytes);
        write!(
            f,
            "{path}: {bytes} bytes are damaged from byte {offset} on: "
        )?;
        match self.head {
            Some(Head { id, .. }) => write!(
                f,
                "the frame of device {}, epoch {}, sequence {}",
                id.device, id.epoch, id.sequence
            ),
            None => f.write_str("frames whose names cannot be read"),
        }
    }
}
