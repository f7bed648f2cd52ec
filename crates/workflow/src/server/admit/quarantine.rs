//! Items that do not enter: each with its bytes, its place and the reason, so that they can be kept and tried again.

use crate::server::read::position::SourcePosition;
use crate::{Error, Result};

/// Bytes that did not enter.
#[derive(Debug)]
pub struct Rejected<'a> {
    /// Name of the source.
    pub source: &'a str,
    /// Offset of the first byte in the source.
    pub position: u64,
    /// The bytes, of one item unless they are damaged.
    pub bytes: &'a [u8],
    /// Why they did not enter.
    pub reason: &'a Error,
}

/// The receiver of rejected bytes, which may refuse to go on.
pub type Quarantine<'a> = Box<dyn FnMut(Rejected<'_>) -> Result<()> + Send + 'a>;

/// The begin of an item at the end of a source that may still grow.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Unfinished {
    /// Name of the source.
    pub source: String,
    /// Offset of the item.
    pub position: u64,
    /// Bytes of it that are there.
    pub bytes: usize,
}

/// Numbers of items of all sources, by what came of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tally {
    /// Frames that entered.
    pub frames: u64,
    /// Frames that were left out because a partial state holds them.
    pub known: u64,
    /// Stretches of bytes that were set aside.
    pub set_aside: u64,
    /// Items that were cut at the end of their source.
    pub unfinished: Vec<Unfinished>,
}

/// Bytes at hand, of one item or damaged.
#[derive(Debug, Clone)]
pub(crate) struct LocatedBytes<'b> {
    pub place: SourcePosition,
    pub bytes: &'b [u8],
}
