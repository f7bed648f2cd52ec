//! Frames and tables that are not in the data folder: a topic that takes frames in place of the log, tables that several servers
//! have, and what these share beside them.

pub mod producer;
pub mod shared_keys;

use std::path::PathBuf;

use crate::elsewhere::producer::Producer;
use crate::tables::Root;

/// Where frames and tables are.
pub struct Places {
    /// The data folder.
    pub data: PathBuf,
    /// Where tables are.
    pub root: Root,
    /// Whether frames come from a topic.
    pub has_stream: bool,
    /// Takes frames to a topic in place of the log.
    pub producer: Option<Box<dyn Producer>>,
}
