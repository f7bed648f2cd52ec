//! A job: what was asked for, and what came of it.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::watch;
use utoipa::ToSchema;

/// A job as it is asked for.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct JobRequest {
    /// Name of a job that `/v1/descriptors` lists. Instead of `request`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub job: Option<String>,
    /// Rows of each frame that `job` adds up, if it adds up rows: zeros and ones, which repeat; all rows if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rows: Vec<u8>,
    /// Content of the file that `isopod request` writes, for jobs with parameters and for a challenge. Instead of `job`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub request: Option<Value>,
    /// Key pair in hexadecimal. It may be left out where the server has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Ranges of devices, first and last; all of them if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Vec<Vec<u64>>)]
    pub devices: Vec<(u64, u64)>,
    /// Frames that arrived at this time or later, in milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<u64>,
    /// Frames that arrived before this time, in milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<u64>,
    /// Computes over frames that entered an answer to the same request before.
    pub again: bool,
    /// Asks for a partial state, to be merged with others, in place of an answer.
    pub partial: bool,
}

/// JobStatus of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum JobStatus {
    /// Others are before it.
    Waiting,
    /// It is computed.
    Running,
    /// Its results can be downloaded.
    Done,
    /// There is no answer.
    Failed,
}

/// A job and what came of it.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct JobState {
    /// Number of the job.
    pub id: u64,
    /// The job as it was asked for.
    pub asked: JobRequest,
    /// Its state.
    pub state: JobStatus,
    /// When it was asked for, in milliseconds since 1970.
    pub asked_at: u64,
    /// Present work: reading, loading or computing.
    pub stage: String,
    /// Completed steps of the stage; of reading the frames.
    pub done: u64,
    /// All steps of the stage.
    pub total: u64,
    /// Frames that entered.
    pub frames: u64,
    /// Frames that did not, such as those of devices that were revoked since.
    pub set_aside: u64,
    /// Why the first of them did not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_refusal: Option<String>,
    /// Number of the server's answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sequence: Option<u64>,
    /// Bytes of the results.
    pub bytes: u64,
    /// Why there is no answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub problem: Option<Value>,
}

/// A job that is known: its state, as it changes.
pub type JobPublisher = watch::Sender<JobState>;
