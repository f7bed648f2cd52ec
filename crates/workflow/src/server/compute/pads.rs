//! Requests on packets of pads: weighted sums, modulo the numbers that pads hide them by.

use isopod_keys::SecretKey;
use isopod_linear::RowMask;
use isopod_pad::PadAccumulator;
use isopod_wire::{PadRange, PadRun, PadSum};

use crate::request::job::{Job, Request};
use crate::request::pad_span::PadSpan;
use crate::server::accumulate::accumulator::Accumulated;
use crate::server::compute::task::Task;
use crate::{Error, Result, Server};

/// A sum, and who reads it.
pub(crate) struct PadComputed {
    pub sum: PadSum,
    /// The key of its reader; None for the owner.
    pub reader: Option<SecretKey>,
}

impl PadComputed {
    pub fn of(task: Task<'_, '_>, accumulated: Accumulated) -> Result<Self> {
        let reader = accumulated.reader;
        let sum = task.request.pad_sum(accumulated)?;
        sum.check_size()?;
        let reader = reader.map(|span| reader_key(&span, task.server, &sum));
        let reader = reader.transpose()?;
        Ok(Self { sum, reader })
    }
}

/// The key under which the server seals a sum for the reader of this range; refuses a sum of other packets.
fn reader_key(span: &PadSpan, server: &Server, sum: &PadSum) -> Result<SecretKey> {
    let [description] = sum.contexts[..] else {
        let problem = format!("a sum of {} contexts; allowed is one", sum.contexts.len());
        return Err(Error::parameter("reader", problem));
    };
    let (first, last) = (u64::from(span.first), u64::from(span.last));
    let is_in = |run: &&PadRun| {
        let own = (run.device, run.epoch) == (span.device, span.epoch);
        own && run.first >= first && run.last < last
    };
    if let Some(run) = sum.runs.iter().find(|run| !is_in(run)) {
        let problem = format!(
            "the sum holds packets {} to {} of device {}, epoch {}; allowed are those of the reader",
            run.first, run.last, run.device, run.epoch
        );
        return Err(Error::parameter("reader", problem));
    }
    let range = PadRange {
        key_id: server.key_id(),
        device: span.device,
        description,
        epoch: span.epoch,
        first: span.first,
        last: span.last,
    };
    range.check()?;
    Ok(server.link().reader_key(&range.described()))
}

impl Request {
    /// Refuses what is not made of sums of packets.
    pub(crate) fn check_pads(&self) -> Result<()> {
        match &self.job {
            Job::Weighted(weights) => weights
                .iter()
                .try_for_each(|weight| integer(*weight).map(drop)),
            job => match job.rows() {
                Some(rows) if rows != RowMask::ALL => {
                    let problem = "some of each packet; allowed under pads are all, since a packet is one row";
                    Err(Error::parameter("rows", problem))
                }
                _ => Ok(()),
            },
        }
    }

    /// The sum of the packets, with a weight for each if the job has them.
    fn pad_sum(&self, accumulated: Accumulated) -> Result<PadSum> {
        if let Some(sum) = accumulated.pads {
            return Ok(sum);
        }
        let frames = accumulated.frames;
        let weights = self.pad_weights(frames.len())?;
        let mut sum = PadAccumulator::default();
        for (frame, weight) in frames.into_iter().zip(weights) {
            sum.add(&frame.pad()?, weight)?;
        }
        sum.finish()?.ok_or(Error::NoFrames { sources: 0 })
    }

    fn pad_weights(&self, packets: usize) -> Result<Vec<i32>> {
        let Job::Weighted(weights) = &self.job else {
            return Ok(vec![1; packets]);
        };
        if weights.len() != packets {
            let problem = format!(
                "{}; allowed is one for each of {packets} packets",
                weights.len()
            );
            return Err(Error::parameter("weights", problem));
        }
        weights.iter().map(|&weight| integer(weight)).collect()
    }
}

/// The integer of a weight.
fn integer(weight: f64) -> Result<i32> {
    if weight.fract() == 0.0 && weight.abs() <= f64::from(i32::MAX) {
        return Ok(weight as i32);
    }
    let problem = format!(
        "{weight}; allowed under pads are integers from -{0} to {0}",
        i32::MAX
    );
    Err(Error::parameter("weights", problem))
}
