//! Faults that a model may have, each of which some promise must show.

/// A mistake in the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// A device counts its epoch after it sent frames of it.
    EpochCountedLate,
    /// A device gets a new folder, with no state, under the key that it had.
    FolderAnewUnderOldKey,
    /// A receipt leaves before the flush.
    ReceiptBeforeFlush,
    /// After a crash the log is cut at a mark that was not flushed with it.
    TailCutAtMark,
    /// After a crash the index of the log is empty.
    IndexNotRebuilt,
    /// After a crash the index knows each device's newest epoch alone.
    IndexOfNewestEpoch,
    /// The memory of frames that entered answers is not durable.
    MemoryInCache,
    /// An answer enters its frames without a look at what entered since the job began.
    EnteredUnchecked,
    /// An answer names the frames that a job would take when it ends.
    NamesOfTheEnd,
    /// Revocations are looked at when a job begins, and not when its answer leaves.
    RevokedAtStartOnly,
    /// Revocations stop new frames, and no answers.
    JobsTakeRevokedFrames,
    /// The log stores frames of any key pair.
    AnyKeyStored,
}

/// All faults.
pub const FAULTS: [Fault; 12] = [
    Fault::EpochCountedLate,
    Fault::FolderAnewUnderOldKey,
    Fault::ReceiptBeforeFlush,
    Fault::TailCutAtMark,
    Fault::IndexNotRebuilt,
    Fault::IndexOfNewestEpoch,
    Fault::MemoryInCache,
    Fault::EnteredUnchecked,
    Fault::NamesOfTheEnd,
    Fault::RevokedAtStartOnly,
    Fault::JobsTakeRevokedFrames,
    Fault::AnyKeyStored,
];
