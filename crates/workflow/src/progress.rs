//! Progress of long calls.

/// The stages of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Keys are made.
    MakingKeys,
    /// Values become frames.
    Encrypting,
    /// Frames become ciphertexts.
    Loading,
    /// The job itself.
    Computing,
    /// Results become values.
    Decrypting,
}

/// One report: `done` of `total` steps of a stage. Every stage begins with a report of none done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// The stage.
    pub stage: Stage,
    /// Completed steps.
    pub done: usize,
    /// All steps of the stage.
    pub total: usize,
}

/// The receiver of reports. It must not fail; a caller that wants to stop drops the result.
pub type Report<'a> = dyn FnMut(Progress) + 'a;

/// Steps of one stage.
pub(crate) struct Steps<'a, 'b> {
    report: &'a mut Report<'b>,
    now: Progress,
}

impl<'a, 'b> Steps<'a, 'b> {
    pub(crate) fn new(report: &'a mut Report<'b>, stage: Stage, total: usize) -> Self {
        let now = Progress {
            stage,
            done: 0,
            total,
        };
        report(now);
        Self { report, now }
    }

    pub(crate) fn step(&mut self) {
        self.now.done += 1;
        (self.report)(self.now);
    }
}

/// A callback of (done, total) that reports steps of one stage; the first report is none done.
pub(crate) fn counter<'a, 'b>(
    report: &'a mut Report<'b>,
    stage: Stage,
    total: usize,
) -> impl FnMut(usize, usize) + use<'a, 'b> {
    let mut count = move |done, total| report(Progress { stage, done, total });
    count(0, total);
    count
}
