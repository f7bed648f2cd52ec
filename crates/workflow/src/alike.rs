//! Checks that frames fit a job and each other, before any work: what differs is refused by the names of both frames.

use isopod_wire::{FrameId, PackingId};

use crate::hash::hex;
use crate::job::{Job, JobName, Request};
use crate::{Description, Error, Frame, Model, Result};

/// A field of a frame, and its value in words.
type Field = (&'static str, fn(&Frame) -> String);

/// Fields in which all frames of a job agree.
const ALWAYS: &[Field] = &[
    ("columns", |frame| frame.columns().to_string()),
    ("packing", |frame| packing(frame.packing())),
];

/// Fields in which frames agree that are combined place by place.
const PLACE_BY_PLACE: &[Field] = &[
    ("layout", |frame| {
        rns(frame, |header| header.layout.name().to_owned())
    }),
    ("stride", |frame| {
        rns(frame, |header| header.claims.stride.to_string())
    }),
    ("buckets", |frame| {
        rns(frame, |header| header.claims.buckets.to_string())
    }),
    ("log2_scale", |frame| {
        rns(frame, |header| header.log2_scale.to_string())
    }),
    ("parts", |frame| {
        rns(frame, |header| header.parts.to_string())
    }),
];

const ROWS: &[Field] = &[("rows", |frame| frame.rows().to_string())];

fn packing(packing: Option<PackingId>) -> String {
    packing.map_or_else(|| "none".to_owned(), |id| hex(&id))
}

fn rns(frame: &Frame, field: impl Fn(&isopod_wire::FrameHeader) -> String) -> String {
    match frame {
        Frame::Rns(frame) => field(&frame.header),
        Frame::Tfhe(_) => String::new(),
    }
}

/// A frame in messages.
pub(crate) fn named(id: FrameId) -> String {
    format!(
        "frame {} of device {}, epoch {}",
        id.sequence, id.device, id.epoch
    )
}

impl Request {
    /// Refuses frames that the job does not take, or does not take together.
    pub(crate) fn check_frames(&self, frames: &[Frame]) -> Result<()> {
        let job = self.job.name();
        match &self.job {
            Job::Inner(model) | Job::Linear(model) | Job::Logistic(model) | Job::Sigmoid(model) => {
                check_model(model, self.unnamed_columns, frames)?;
            }
            Job::Tree(tree) => check_columns(frames, tree.features)?,
            _ => {}
        }
        check_alike(job, frames, ALWAYS)?;
        match job {
            JobName::Mean => {
                check_alike(job, frames, PLACE_BY_PLACE)?;
                check_alike(job, frames, ROWS)
            }
            JobName::Sum | JobName::Weighted | JobName::Histogram => {
                check_alike(job, frames, PLACE_BY_PLACE)
            }
            _ => Ok(()),
        }
    }
}

fn check_alike(job: JobName, frames: &[Frame], fields: &[Field]) -> Result<()> {
    for (field, value) in fields {
        let Some(first) = frames.first() else {
            return Ok(());
        };
        let wanted = value(first);
        if let Some(other) = frames.iter().find(|frame| value(frame) != wanted) {
            return Err(Error::Differs {
                job: job.name(),
                field,
                frame: named(other.id()),
                found: value(other),
                other: format!("{} has {wanted}", named(first.id())),
            });
        }
    }
    Ok(())
}

/// Refuses frames whose columns are not the features of the model.
fn check_model(model: &Model, unnamed: bool, frames: &[Frame]) -> Result<()> {
    let wanted = Description::of_model(model).packing();
    for frame in frames {
        match frame.packing() {
            Some(found) if found != wanted => {
                return Err(Error::OtherColumns {
                    frame: named(frame.id()),
                    columns: frame.columns(),
                    features: model.features.len(),
                });
            }
            None if !unnamed => {
                let frame = named(frame.id());
                return Err(Error::UnnamedColumns { frame });
            }
            _ => {}
        }
    }
    check_columns(frames, model.features.len())
}

fn check_columns(frames: &[Frame], features: usize) -> Result<()> {
    match frames.iter().find(|frame| frame.columns() != features) {
        None => Ok(()),
        Some(frame) => Err(Error::OtherColumns {
            frame: named(frame.id()),
            columns: frame.columns(),
            features,
        }),
    }
}
