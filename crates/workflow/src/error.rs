//! Typed errors of the workflow, and the class that exit and status codes follow.

use std::error::Error as StdError;
use std::io;
use std::path::PathBuf;

use isopod_keys::{key_name, KeysError};
use isopod_packet::PacketError;
use isopod_pad::PadError;
use isopod_wire::{KeyId, WireError};

/// The result of every call of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// A refusal. Messages name the field and what is allowed; none contains key material.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The wire format refuses it.
    #[error(transparent)]
    Wire(#[from] WireError),
    /// A key or its file was refused.
    #[error(transparent)]
    Keys(#[from] KeysError),
    /// A context or packet was refused.
    #[error(transparent)]
    Packet(PacketError),
    /// A sum under pads was refused.
    #[error(transparent)]
    Pad(PadError),
    /// The device library refused.
    #[error(transparent)]
    Device(#[from] isopod_device::DeviceError),
    /// SEAL or its adapter refused.
    #[error(transparent)]
    Seal(#[from] isopod_seal::Error),
    /// tfhe-rs or its adapter refused.
    #[error(transparent)]
    Tfhe(#[from] isopod_tfhe::Error),
    /// The job cannot be done.
    #[error(transparent)]
    Job(#[from] isopod_eval::Error),
    /// Residues or a partial state were refused.
    #[error(transparent)]
    Linear(#[from] isopod_linear::Error),
    /// The bootstrapping of merged frames failed, or was refused.
    #[error(transparent)]
    Lattigo(#[from] isopod_lattigo::Error),
    /// A result is not published.
    #[cfg(feature = "owner")]
    #[error(transparent)]
    Share(#[from] isopod_share::ShareError),
    /// A ceremony or an answer of several owners was refused.
    #[cfg(feature = "owner")]
    #[error(transparent)]
    Owners(#[from] isopod_owners::OwnersError),
    /// A file that another holder sent does not fit.
    #[error("{holder}: {problem}")]
    Holder {
        /// Name of the holder.
        holder: String,
        /// The problem, and what is allowed.
        problem: String,
    },
    /// A result whose linear tag does not prove it.
    #[error("result {at}: not verified: {problem}")]
    Unverified {
        /// Number of the result.
        at: usize,
        /// Why not.
        problem: String,
    },
    /// A source could not be read.
    #[error(transparent)]
    Read(io::Error),
    /// Something at a place: an item of a source, or a file.
    #[error("{place}")]
    At {
        /// Which item or file.
        place: String,
        /// Its error.
        source: Box<Error>,
    },
    /// A parameter of the call is missing or out of range; the problem names what is allowed.
    #[error("{field}: {problem}")]
    Parameter {
        /// Name of the parameter.
        field: &'static str,
        /// The problem, and the allowed values.
        problem: String,
    },
    /// A reading beyond the declared bound.
    #[error("row {row}, column {column}: {value} is out of range; allowed is -{bound} to {bound}")]
    Bound {
        /// Number of the row, from 1.
        row: usize,
        /// Name of the column.
        column: String,
        /// The reading.
        value: f64,
        /// The declared bound.
        bound: f64,
    },
    /// A reading that the set does not take.
    #[error("row {row}, column {column}: {problem}")]
    Reading {
        /// Number of the row, from 1.
        row: usize,
        /// Name of the column.
        column: String,
        /// The problem, and the allowed values.
        problem: String,
    },
    /// An item under another owner's key.
    #[error(
        "key: the {item} is of key {}, another key pair; allowed is this server's key {}",
        key_name(found),
        key_name(wanted)
    )]
    OtherKey {
        /// Part, frame or evaluation keys.
        item: &'static str,
        /// The key pair it is of.
        found: KeyId,
        /// The server's key pair.
        wanted: KeyId,
    },
    /// A tag that does not verify, of an item that names another key pair.
    #[error(
        "tag: does not verify; the item says it is of key {}, another key pair, allowed is key {}",
        key_name(found),
        key_name(wanted)
    )]
    ForeignTag {
        /// The key pair that the item names.
        found: KeyId,
        /// The key pair that is held.
        wanted: KeyId,
    },
    /// A result under another owner's key.
    #[error(
        "key: {}, another key pair's; allowed are results of this owner's key {}",
        key_name(found),
        key_name(wanted)
    )]
    OtherOwner {
        /// The key pair it is of.
        found: KeyId,
        /// The owner's key pair.
        wanted: KeyId,
    },
    /// An item of TFHE in place of one of CKKS or BFV, or the reverse.
    #[error("scheme: the {item} is of the other kind; allowed is TFHE with TFHE, and CKKS or BFV with their own")]
    OtherScheme {
        /// Frame or result.
        item: &'static str,
    },
    /// Server keys that only tfhe-rs can make.
    #[error("set {set}: its server keys are made by tfhe-rs, which this program was built without; build it with --features tfhe")]
    ServerKeysWithoutTfhe {
        /// The set.
        set: &'static str,
    },
    /// A public key whose second half is another than its seed gives.
    #[error("pk1: residue {position} modulo {prime} is not that of the seed; allowed is the seed's mask, so take the public \
             key from the owner again")]
    Mask {
        /// The prime.
        prime: u64,
        /// Number of the first residue that differs.
        position: usize,
    },
    /// Sources without frames.
    #[error("no frames in {sources} file(s); allowed is at least one")]
    NoFrames {
        /// Number of sources read.
        sources: usize,
    },
    /// A file that holds something else than frames.
    #[error("kind: evaluation keys; allowed are frames and partial states")]
    NoFrame,
    /// A partial state where none can be continued.
    #[error("partial state: not taken here; allowed with a request are those of sum, mean and the histogram of integers")]
    NoStates,
    /// An item that does not enter cannot be kept.
    #[error("quarantine: {0}; allowed is a place that can be written, so that nothing is lost")]
    Quarantine(String),
    /// An inbox without a request has nothing to answer.
    #[error("request: none; allowed is an inbox that was made for a request")]
    NoRequest,
    /// More frames lack parts than are kept.
    #[error("open_frames: more than {most} frames lack parts; allowed are as many, so bring the parts of a frame together")]
    OpenFrames {
        /// Number that is kept.
        most: usize,
    },
    /// A source without results.
    #[error("holds no results; allowed is at least one")]
    NoResults,
    /// Results of several evaluations in one source.
    #[error("result {at}: {field}: another than that of result 0; allowed are the results of one evaluation, so read each \
             file that was joined here by itself")]
    SeveralRuns {
        /// Number of the first result of another evaluation.
        at: usize,
        /// Field that differs.
        field: &'static str,
    },
    /// Results that were swapped, repeated or left out.
    #[error("result {at}: index: {found} of {total}; allowed is {at}: results are {problem}, so get the file of the evaluation \
             again")]
    Order {
        /// Place in the source.
        at: usize,
        /// The index there.
        found: u32,
        /// Results of the evaluation.
        total: u32,
        /// Problem in one word.
        problem: &'static str,
    },
    /// Results at the end that were left out.
    #[error("result: {found} of {total}; allowed are all: those from {found} on are missing, so get the file of the evaluation again")]
    Dropped {
        /// Number of results.
        found: usize,
        /// Results of the evaluation.
        total: u32,
    },
    /// Results that answer another request.
    #[error("{field}: the results answer another request; allowed are those of the request's own evaluation")]
    OtherRequest {
        /// Digest or challenge.
        field: &'static str,
    },
    /// Results whose columns are others.
    #[error("packing: the results are of other columns, or do not say of which; allowed are those of the file's names, \
             standardisation and buckets")]
    OtherPacking,
    /// A result that contradicts itself.
    #[error("result {at}: {field}: {problem}; the server's program is at fault, so believe none of these results")]
    Contradiction {
        /// Number of the result.
        at: usize,
        /// Field that does not fit.
        field: &'static str,
        /// The problem, and what is allowed.
        problem: String,
    },
    /// Frames that a job does not take together.
    #[error("{frame}: {field}: {found}, but {other}; allowed for {job} are frames that agree, so evaluate them apart{}", instead(field))]
    Differs {
        /// The job.
        job: &'static str,
        /// Field that differs.
        field: &'static str,
        /// The frame that differs.
        frame: String,
        /// Its value.
        found: String,
        /// The first frame and its value.
        other: String,
    },
    /// Frames whose columns are not those of the model.
    #[error("{frame}: packing: its {columns} columns are not the {features} features of the model; allowed are the model's \
             names, in its order, standardised as it says: encrypt with the model")]
    OtherColumns {
        /// The frame.
        frame: String,
        /// Its columns.
        columns: usize,
        /// Features of the model.
        features: usize,
    },
    /// Frames that do not say what their columns are.
    #[error("{frame}: packing: not said; allowed for models are frames that name their columns, or unnamed columns on purpose")]
    UnnamedColumns {
        /// The frame.
        frame: String,
    },
    /// Values that jobs do not compute on.
    #[error("{frame}: layout: {layout}; allowed for the job are {allowed}")]
    Layout {
        /// The frame.
        frame: String,
        /// The refused layout.
        layout: &'static str,
        /// Layouts that the job takes.
        allowed: &'static str,
    },
    /// Keys for a job under a set that does not have it.
    #[error("{job} is not computed under keys of {set}: {why}; allowed is another set, such as {example}")]
    SetWithoutJob {
        /// The job.
        job: &'static str,
        /// The set of the keys.
        set: &'static str,
        /// The property that the set lacks.
        why: &'static str,
        /// A set that has the job.
        example: &'static str,
    },
    /// A job on keys of another evaluator.
    #[error(
        "{job} is computed by {evaluator} on {scheme} frames, but the keys are of {set}; allowed are keys of a {scheme} set \
         such as {example}"
    )]
    OtherEvaluator {
        /// The job.
        job: &'static str,
        /// The evaluator of the job.
        evaluator: &'static str,
        /// The schemes of that evaluator.
        scheme: &'static str,
        /// The set of the keys.
        set: &'static str,
        /// A set that has the job.
        example: &'static str,
    },
    /// A job that no sum of pads is.
    #[error("{job}: pads are taken off sums alone; allowed under pads are {allowed}")]
    JobOfPads {
        /// The job.
        job: &'static str,
        /// Jobs under pads, in words.
        allowed: String,
    },
    /// A job on frames that are for TFHEpp.
    #[error("set: {set} is TFHEpp's ring; allowed with {job} are keys of tfhe-2048-tfhe-rs")]
    TfheppSet {
        /// The set of the keys.
        set: &'static str,
        /// The job.
        job: &'static str,
    },
    /// A server that has no keys of a large ring.
    #[error("{job} on frames of {set} needs keys of a large ring, which `isopod server-keys --size` makes; the server has none")]
    WithoutBackend {
        /// The job.
        job: &'static str,
        /// The set of the frames.
        set: &'static str,
    },
    /// tfhe-rs is not part of this build.
    #[error(
        "{job} needs tfhe-rs, which this program was built without; build it with --features tfhe"
    )]
    WithoutTfhe {
        /// The job.
        job: &'static str,
    },
    /// The folder has no keys for tfhe-rs.
    #[error(
        "{}: missing; {job} needs the server key of tfhe-rs, which `isopod keygen` or `isopod server-keys` of a build with it \
         writes",
        path.display()
    )]
    ServerKeyMissing {
        /// Where it should be.
        path: PathBuf,
        /// The job.
        job: &'static str,
    },
}

impl From<PadError> for Error {
    fn from(error: PadError) -> Self {
        match error {
            PadError::Wire(error) => Self::Wire(error),
            error => Self::Pad(error),
        }
    }
}

impl From<PacketError> for Error {
    fn from(error: PacketError) -> Self {
        match error {
            PacketError::Wire(error) => Self::Wire(error),
            error => Self::Packet(error),
        }
    }
}

impl From<io::Error> for Error {
    /// A source of items may refuse on its own.
    fn from(error: io::Error) -> Self {
        error.downcast().unwrap_or_else(Self::Read)
    }
}

impl Error {
    /// A parameter is missing or out of range.
    pub fn parameter(field: &'static str, problem: impl Into<String>) -> Self {
        let problem = problem.into();
        Self::Parameter { field, problem }
    }

    /// The error at this place; errors of the source itself have none.
    pub(crate) fn at(self, place: impl ToString) -> Self {
        match self {
            Self::Read(_) => self,
            _ => Self::At {
                place: place.to_string(),
                source: Box::new(self),
            },
        }
    }
}

/// Class of a refusal, for a command's exit status and a service's status code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// Files and entropy.
    System,
    /// The input of the call.
    Input,
    /// A tag that does not verify.
    Authentication,
    /// A key.
    Keys,
}

impl Class {
    /// The class of an error of this crate or of those below; None of any other.
    pub fn of(error: &(dyn StdError + 'static)) -> Option<Self> {
        if let Some(error) = error.downcast_ref::<Error>() {
            return match error {
                Error::At { source, .. } => Self::of(source.as_ref()),
                Error::Wire(error) => Self::of(error).or(Some(Self::Input)),
                Error::Keys(error) => Self::of(error),
                Error::Mask { .. }
                | Error::WithoutBackend { .. }
                | Error::Lattigo(isopod_lattigo::Error::Keys(_)) => Some(Self::Keys),
                Error::Lattigo(isopod_lattigo::Error::Allowed { .. }) => Some(Self::Input),
                Error::Lattigo(_) => Some(Self::System),
                Error::Read(_) | Error::Quarantine(_) => Some(Self::System),
                Error::ForeignTag { .. } | Error::Unverified { .. } => Some(Self::Authentication),
                _ => Some(Self::Input),
            };
        }
        if let Some(error) = error.downcast_ref() {
            return Some(Self::of_keys(error));
        }
        if let Some(WireError::Tag) = error.downcast_ref() {
            return Some(Self::Authentication);
        }
        error.is::<io::Error>().then_some(Self::System)
    }

    fn of_keys(error: &KeysError) -> Self {
        match error {
            KeysError::Entropy(_) | KeysError::File { .. } | KeysError::Clock => Self::System,
            KeysError::Stale { .. }
            | KeysError::Repeated { .. }
            | KeysError::Used { .. }
            | KeysError::Exhausted { .. } => Self::Input,
            _ => Self::Keys,
        }
    }
}

/// The job that takes frames which differ in a field.
fn instead(field: &str) -> &'static str {
    match field {
        "rows" => "; column-mean takes frames of any number of rows",
        _ => "",
    }
}
