//! Sums of bodies, modulo 2^b, and the runs of packets that entered (`spec/pad.md`, section 4).

use isopod_wire::FrameId;

use crate::{PadContext, PadError, Result};

/// Packets of one device and epoch, without a gap, that have the same weight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Run {
    /// The epoch.
    pub epoch: u32,
    /// The first sequence.
    pub first: u64,
    /// The last sequence.
    pub last: u64,
    /// Factor of each of them.
    pub weight: i32,
}

/// The weighted sum of packets of one context.
#[derive(Debug, Clone)]
pub struct FoldedSum {
    context: PadContext,
    total: Vec<u32>,
    runs: Vec<Run>,
}

impl FoldedSum {
    /// A sum of nothing.
    pub fn new(context: &PadContext) -> Self {
        Self {
            context: context.clone(),
            total: vec![0; context.columns.into()],
            runs: Vec::new(),
        }
    }

    /// The context.
    pub fn context(&self) -> &PadContext {
        &self.context
    }

    /// The sums, modulo 2^32: their low 8 times `width` bits count.
    pub fn total(&self) -> &[u32] {
        &self.total
    }

    /// Adds the body of a packet, times a weight. A packet that comes twice is found when the sum is opened.
    ///
    /// # Errors
    /// [`PadError::Field`] for a body of another length.
    pub fn add(&mut self, name: FrameId, weight: i32, body: &[u8]) -> Result<()> {
        if body.len() != self.context.body_bytes() {
            return Err(PadError::field(
                "body",
                body.len(),
                self.context.body_bytes(),
            ));
        }
        let factor = weight as u32;
        match self.context.width {
            2 => self.fold(body, |at: &[u8; 2]| u16::from_le_bytes(*at).into(), factor),
            3 => self.fold(
                body,
                |at: &[u8; 3]| u32::from_le_bytes([at[0], at[1], at[2], 0]),
                factor,
            ),
            _ => self.fold(body, |at: &[u8; 4]| u32::from_le_bytes(*at), factor),
        }
        self.note(name, weight);
        Ok(())
    }

    fn fold<const W: usize>(&mut self, body: &[u8], read: impl Fn(&[u8; W]) -> u32, factor: u32) {
        let numbers = body.chunks_exact(W).filter_map(|at| at.try_into().ok());
        for (sum, number) in self.total.iter_mut().zip(numbers) {
            *sum = sum.wrapping_add(read(number).wrapping_mul(factor));
        }
    }

    /// Lengthens the newest run, or begins another one.
    fn note(&mut self, name: FrameId, weight: i32) {
        let (epoch, sequence) = (name.epoch, name.sequence);
        match self.runs.last_mut() {
            Some(run)
                if run.epoch == epoch
                    && run.weight == weight
                    && run.last.checked_add(1) == Some(sequence) =>
            {
                run.last = sequence;
            }
            _ => self.runs.push(Run {
                epoch,
                first: sequence,
                last: sequence,
                weight,
            }),
        }
    }

    /// The runs in order, joined where they touch.
    ///
    /// # Errors
    /// [`PadError::Repeated`].
    pub fn runs(&self) -> Result<Vec<Run>> {
        let mut sorted = self.runs.clone();
        sorted.sort_unstable();
        let mut joined: Vec<Run> = Vec::new();
        for run in sorted {
            match joined.last_mut() {
                Some(before) if before.epoch == run.epoch && before.last >= run.first => {
                    return Err(PadError::Repeated {
                        epoch: run.epoch,
                        sequence: run.first,
                    });
                }
                Some(before)
                    if before.epoch == run.epoch
                        && before.weight == run.weight
                        && before.last + 1 == run.first =>
                {
                    before.last = run.last;
                }
                _ => joined.push(run),
            }
        }
        Ok(joined)
    }
}
