//! Outcomes of frames.

/// Outcome of a frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Judgement {
    /// It enters with the next commit.
    New,
    /// A frame of this name is in the table, or enters with the next commit.
    Known,
    /// Its name is unknown and too old to be judged: what would be allowed.
    Stale(String),
}
