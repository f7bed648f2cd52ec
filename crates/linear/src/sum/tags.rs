//! The linear tag of a sum (`spec/verify.md`): that of all its frames, if each has one and all are of one period.

use isopod_wire::{LinearTag, PackedFrame};

/// The tag of each frame that proves a sum.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Proof {
    /// That of its places: of sums of frames.
    #[default]
    Places,
    /// That of its columns, over all its rows; or, of frames of one-hot readings, over all its readings.
    Columns,
    /// None.
    Nothing,
}

impl Proof {
    pub(super) fn tag(self, frame: &PackedFrame<'_>) -> Option<LinearTag> {
        match self {
            Self::Places => frame.linear_tag(),
            Self::Columns => frame.column_tag(),
            Self::Nothing => None,
        }
    }
}

/// Linear tags of the frames so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Tags {
    /// No frame yet.
    #[default]
    Nothing,
    /// The tag of their sum.
    Sum(LinearTag),
    /// A frame without a tag, or of another period, is among them.
    Unprovable,
}

impl Tags {
    /// Adds weight times a frame, or a sum of frames, with this tag.
    pub fn add(&mut self, tag: Option<LinearTag>, weight: i64) {
        let sum = match (*self, tag) {
            (Self::Nothing, Some(tag)) => LinearTag::new(tag.period(), 0).plus(tag, weight),
            (Self::Sum(sum), Some(tag)) => sum.plus(tag, weight),
            (_, None) | (Self::Unprovable, _) => None,
        };
        *self = sum.map_or(Self::Unprovable, Self::Sum);
    }

    /// The tag of the sum.
    pub fn finish(self) -> Option<LinearTag> {
        match self {
            Self::Sum(tag) => Some(tag),
            Self::Nothing | Self::Unprovable => None,
        }
    }
}
