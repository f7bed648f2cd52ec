//! Checks that frames fit a job and each other, before any work: what differs is refused by the names of both frames.

use std::fmt::{self, Display, Formatter};

use isopod_wire::{FrameHeader, PackingId};

use crate::hash::hex;
use crate::request::descriptor::JobName;
use crate::request::job::{Job, Request};
use crate::server::accumulate::frame::{named, Header};
use crate::{Description, Error, Frame, Model, Result};

/// Most results of one evaluation by a model with several outputs.
const RESULTS: usize = 1 << 16;

/// Value of a field.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Value {
    Number(u64),
    Name(&'static str),
    Packing(Option<PackingId>),
}

/// A field of a frame.
type Field = (&'static str, fn(Header<'_>) -> Value);

/// Fields in which all frames of a job agree.
const ALWAYS: &[Field] = &[
    ("columns", |frame| Value::Number(frame.columns() as u64)),
    ("packing", |frame| Value::Packing(frame.packing())),
    ("width", |frame| match frame {
        Header::Pad(header) => Value::Number(header.description.width.into()),
        _ => Value::Name(""),
    }),
];

/// Fields in which frames agree that are combined place by place.
const PLACE_BY_PLACE: &[Field] = &[
    ("layout", |frame| {
        rns(frame, |header| Value::Name(header.layout.name()))
    }),
    ("stride", |frame| {
        rns(frame, |header| Value::Number(header.claims.stride.into()))
    }),
    ("buckets", |frame| {
        rns(frame, |header| Value::Number(header.claims.buckets.into()))
    }),
    ("log2_scale", |frame| {
        rns(frame, |header| Value::Number(header.log2_scale.into()))
    }),
    ("parts", |frame| {
        rns(frame, |header| Value::Number(header.parts.into()))
    }),
];

const ROWS: &[Field] = &[("rows", |frame| Value::Number(frame.rows().into()))];

impl Display for Value {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(formatter),
            Self::Name(name) => name.fmt(formatter),
            Self::Packing(Some(id)) => hex(id).fmt(formatter),
            Self::Packing(None) => "none".fmt(formatter),
        }
    }
}

fn rns(frame: Header<'_>, field: impl Fn(&FrameHeader) -> Value) -> Value {
    match frame {
        Header::Rns(header) => field(header),
        Header::Tfhe(_) | Header::Pad(_) => Value::Name(""),
    }
}

/// Fields in which the frames of a job agree.
fn fields(job: JobName) -> impl Iterator<Item = &'static Field> {
    let more: [&[Field]; 2] = match job {
        JobName::Mean => [PLACE_BY_PLACE, ROWS],
        JobName::Sum | JobName::Weighted | JobName::Dot | JobName::Histogram | JobName::Count => {
            [PLACE_BY_PLACE, &[]]
        }
        job if job.is_of_columns() => [PLACE_BY_PLACE, &[]],
        _ => [&[], &[]],
    };
    ALWAYS.iter().chain(more[0]).chain(more[1])
}

/// Refuses a frame that differs from the first one in what matters to the job.
pub(crate) fn check_pair(job: JobName, first: Header<'_>, frame: Header<'_>) -> Result<()> {
    for (field, value) in fields(job) {
        let (found, wanted) = (value(frame), value(first));
        if found != wanted {
            return Err(Error::Differs {
                job: job.name(),
                field,
                frame: named(frame.id()),
                found: found.to_string(),
                other: format!("{} has {wanted}", named(first.id())),
            });
        }
    }
    Ok(())
}

impl Request {
    /// Refuses frames that the job does not take, or does not take together.
    pub(crate) fn check_frames(&self, frames: &[Frame]) -> Result<()> {
        let job = self.job.name();
        match &self.job {
            Job::Inner(model)
            | Job::Linear(model)
            | Job::Logistic(model)
            | Job::Sigmoid(model)
            | Job::Network(model)
            | Job::Forest(model)
            | Job::Classify(model) => {
                check_model(model, self.unnamed_columns, frames)?;
            }
            Job::Tree(tree) => check_columns(frames, tree.features)?,
            _ => {}
        }
        let mut headers = frames.iter().map(Frame::header);
        let Some(first) = headers.next() else {
            return Ok(());
        };
        headers.try_for_each(|frame| check_pair(job, first, frame))
    }
}

/// Refuses frames whose columns are not the features of the model, and more results of several outputs than are held in memory.
fn check_model(model: &Model, unnamed: bool, frames: &[Frame]) -> Result<()> {
    let (outputs, count) = (model.outputs.len(), frames.len());
    if outputs > 1 && count.saturating_mul(outputs) > RESULTS {
        let problem = format!(
            "has {outputs} outputs, {} results of {count} frames; allowed in one evaluation are {RESULTS}, of {} frames",
            count.saturating_mul(outputs),
            RESULTS / outputs
        );
        return Err(Error::parameter("model", problem));
    }
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
