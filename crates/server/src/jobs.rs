//! Jobs on stored frames: a queue that survives nothing, answers that survive everything.
//!
//! Each job has a folder: `job.json`, its state, and `results`, the sealed items. What a stop interrupts is refused at the next
//! start, and asked for again.

use std::collections::{BTreeMap, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use anyhow::Context;
use axum::http::StatusCode;
use isopod_workflow::{Inbox, Job, JobName, Progress, Report, Request, Server, Stage};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::watch;
use utoipa::ToSchema;

use crate::problem::{Answer, Problem};
use crate::service::{now, Service};
use crate::wanted::{count, read, Wanted};

/// Ranges of devices that a job names, at most.
const MOST_RANGES: usize = 10_000;
/// Jobs whose states are kept in memory and on disk.
const MOST_KEPT: usize = 10_000;

/// A job as it is asked for.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Asked {
    /// Name of a job without parameters: sum, mean, total, minimum, maximum, argmin or argmax. Instead of `request`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub job: Option<String>,
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

/// State of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum State {
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
    pub asked: Asked,
    /// Its state.
    pub state: State,
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
pub type Known = watch::Sender<JobState>;

#[derive(Default)]
struct Inside {
    known: BTreeMap<u64, Known>,
    waiting: VecDeque<u64>,
    running: bool,
}

/// All jobs of a server.
pub struct Jobs {
    folder: PathBuf,
    most_waiting: usize,
    inside: Mutex<Inside>,
    more: Condvar,
    stopping: AtomicBool,
}

impl Jobs {
    /// Reads the states of all jobs; those that were interrupted are failed.
    ///
    /// # Errors
    /// A folder that cannot be made or read.
    pub fn open(folder: PathBuf, most_waiting: usize) -> anyhow::Result<Self> {
        fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
        let mut inside = Inside::default();
        for entry in fs::read_dir(&folder)? {
            let path = entry?.path();
            let read = fs::read(path.join("job.json")).ok();
            let Some(mut job) =
                read.and_then(|bytes| serde_json::from_slice::<JobState>(&bytes).ok())
            else {
                continue;
            };
            if matches!(job.state, State::Waiting | State::Running) {
                job.state = State::Failed;
                let problem =
                    Problem::busy("server", "the server stopped before the answer; ask again");
                job.problem = serde_json::to_value(problem).ok();
            }
            inside.known.insert(job.id, watch::Sender::new(job));
        }
        Ok(Self {
            folder,
            most_waiting,
            inside: Mutex::new(inside),
            more: Condvar::new(),
            stopping: AtomicBool::new(false),
        })
    }

    fn inside(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the work after the job that runs.
    pub fn stop(&self) {
        self.stopping.store(true, Ordering::Release);
        self.more.notify_all();
    }

    /// Puts a job into the queue.
    ///
    /// # Errors
    /// Status 429 for a queue that is full.
    pub fn ask(&self, asked: Asked) -> Answer<JobState> {
        let mut inside = self.inside();
        if inside.waiting.len() >= self.most_waiting {
            let detail = format!(
                "jobs: {} wait already; ask again later",
                inside.waiting.len()
            );
            return Err(Problem::new(StatusCode::TOO_MANY_REQUESTS, "jobs", detail));
        }
        let id = inside
            .known
            .last_key_value()
            .map_or(1, |(last, _)| last + 1);
        let job = JobState {
            id,
            asked,
            state: State::Waiting,
            asked_at: now(),
            stage: String::new(),
            done: 0,
            total: 0,
            frames: 0,
            set_aside: 0,
            first_refusal: None,
            sequence: None,
            bytes: 0,
            problem: None,
        };
        self.save(&job, None)?;
        inside.known.insert(id, watch::Sender::new(job.clone()));
        inside.waiting.push_back(id);
        while inside.known.len() > MOST_KEPT {
            if let Some((old, _)) = inside.known.pop_first() {
                let _ = fs::remove_dir_all(self.path(old));
            }
        }
        self.more.notify_all();
        Ok(job)
    }

    /// The states of all jobs, newest first.
    pub fn all(&self) -> Vec<JobState> {
        let inside = self.inside();
        inside
            .known
            .values()
            .rev()
            .map(|job| job.borrow().clone())
            .collect()
    }

    /// The state of a job as it changes.
    ///
    /// # Errors
    /// Status 404.
    pub fn watch(&self, id: u64) -> Answer<watch::Receiver<JobState>> {
        let inside = self.inside();
        let job = inside.known.get(&id).map(watch::Sender::subscribe);
        job.ok_or_else(|| Problem::missing("id", format!("id: no job {id}")))
    }

    /// The file of results of a job that is done.
    ///
    /// # Errors
    /// Status 404; 409 for a job that is not done.
    pub fn results(&self, id: u64) -> Answer<PathBuf> {
        let job = self.watch(id)?.borrow().clone();
        match job.state {
            State::Done => Ok(self.path(id).join("results")),
            state => {
                let detail = format!("id: job {id} is {state:?}; allowed are jobs that are done")
                    .to_lowercase();
                Err(Problem::new(StatusCode::CONFLICT, "id", detail))
            }
        }
    }

    fn path(&self, id: u64) -> PathBuf {
        self.folder.join(id.to_string())
    }

    /// Writes results and then the state, each as a whole.
    fn save(&self, job: &JobState, results: Option<&[Vec<u8>]>) -> Answer<()> {
        let folder = self.path(job.id);
        let state = serde_json::to_vec_pretty(job).unwrap_or_default();
        let saved = fs::create_dir_all(&folder)
            .and_then(|()| {
                results.map_or(Ok(()), |items| {
                    replace(&folder.join("results"), &items.concat())
                })
            })
            .and_then(|()| replace(&folder.join("job.json"), &state));
        saved.map_err(|error| {
            tracing::error!("{}: {error}", folder.display());
            Problem::new(
                StatusCode::INSUFFICIENT_STORAGE,
                "storage",
                "the server's disk takes no jobs",
            )
        })
    }

    /// Waits for the next job; None at the end.
    fn next(&self) -> Option<(JobState, Known)> {
        let mut inside = self.inside();
        inside.running = false;
        while !self.stopping.load(Ordering::Acquire) {
            if let Some(id) = inside.waiting.pop_front() {
                let known = inside.known.get(&id).cloned()?;
                inside.running = true;
                let job = known.borrow().clone();
                return Some((job, known));
            }
            inside = self
                .more
                .wait(inside)
                .unwrap_or_else(PoisonError::into_inner);
        }
        None
    }
}

fn replace(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let building = path.with_extension("partial");
    fs::write(&building, bytes)?;
    fs::File::open(&building)?.sync_all()?;
    fs::rename(building, path)
}

/// Works off jobs, one after the other, until the end.
pub fn work(service: &Service) {
    while let Some((mut job, known)) = service.jobs.next() {
        job.state = State::Running;
        known.send_replace(job.clone());
        let id = job.id;
        match compute(service, &mut job, &known) {
            Ok(items) => {
                job.bytes = items.iter().map(|item| item.len() as u64).sum();
                job.state = State::Done;
                if let Err(problem) = service.jobs.save(&job, Some(&items)) {
                    fail(service, &mut job, problem);
                }
            }
            Err(problem) => fail(service, &mut job, problem),
        }
        let counter = match job.state {
            State::Done => &service.metrics.jobs_done,
            _ => &service.metrics.jobs_failed,
        };
        counter.fetch_add(1, Ordering::Relaxed);
        tracing::info!(id, state = ?job.state, frames = job.frames, "job");
        known.send_replace(job);
    }
}

fn fail(service: &Service, job: &mut JobState, problem: Problem) {
    job.state = State::Failed;
    job.problem = serde_json::to_value(problem).ok();
    // The state in memory says the same until the next start, which finds the job interrupted.
    let _ = service.jobs.save(job, None);
}

/// Checks what is asked for before it waits.
///
/// # Errors
/// Status 422 with the field.
pub fn check(service: &Service, asked: &Asked) -> Answer<()> {
    let (server, request) = request(service, asked)?;
    request.check(server.set())?;
    if asked.partial && !request.is_aggregate() {
        let detail = format!(
            "partial: {} has no partial states; allowed are sum, mean and histogram",
            request.job.name().name()
        );
        return Err(Problem::content("partial", detail));
    }
    if asked.devices.len() > MOST_RANGES || asked.devices.iter().any(|(first, last)| first > last) {
        let detail = format!("devices: allowed are at most {MOST_RANGES} pairs of a first and a last number, in that order");
        return Err(Problem::content("devices", detail));
    }
    if let (Some(since), Some(until)) = (asked.since, asked.until) {
        if since >= until {
            return Err(Problem::content(
                "until",
                format!("until: {until}; allowed is later than since, {since}"),
            ));
        }
    }
    Ok(())
}

/// The key pair and the request that are asked for.
fn request<'a>(service: &'a Service, asked: &Asked) -> Answer<(&'a Server, Request)> {
    let key_id = service.key_id(asked.key.as_deref())?;
    let pair = service
        .pairs
        .get(&key_id)
        .ok_or_else(|| Problem::content("key", "key: unknown"))?;
    let server = &pair.server;
    let request = match (&asked.job, &asked.request) {
        (None, Some(request)) => Request::from_json(&request.to_string(), server.set(), key_id)?,
        (Some(name), None) => {
            let job = JobName::from_name(name).and_then(Job::plain);
            Request::new(job.ok_or_else(|| unknown_job(name))?)
        }
        _ => {
            return Err(Problem::content(
                "job",
                "job: allowed is either job or request",
            ))
        }
    };
    Ok((server, request))
}

fn unknown_job(name: &str) -> Problem {
    let plain = JobName::ALL
        .iter()
        .filter(|name| Job::plain(**name).is_some());
    let plain: Vec<&str> = plain.map(|name| name.name()).collect();
    let detail = format!(
        "job: {}; allowed are {}, and for jobs with parameters the file of `isopod request` as request",
        name.escape_default(),
        plain.join(", ")
    );
    Problem::content("job", detail)
}

/// Computes a job on the frames that are stored by now.
fn compute(service: &Service, job: &mut JobState, known: &Known) -> Answer<Vec<Vec<u8>>> {
    let (server, request) = request(service, &job.asked)?;
    let log = match service.opened() {
        Some(store) => &store.log,
        None => return Err(Problem::busy("server", "the server recovers its log")),
    };
    let wanted = Wanted::new(server.key_id(), &job.asked);
    let (frames, bytes) = count(log, &wanted)?;
    if !request.is_aggregate() && 3 * bytes > service.limits.job_memory {
        let most = service.limits.job_memory / 3;
        let detail = format!("devices: {frames} frames of {bytes} bytes; allowed are {most} bytes where a job holds its frames");
        return Err(Problem::content("devices", detail));
    }
    job.total = frames;
    job.stage = "reading".to_owned();
    known.send_replace(job.clone());
    let set_aside = Mutex::new((0, None));
    let mut inbox = Inbox::for_request(server, &request, job.asked.again)?.of_stored();
    inbox = inbox.with_quarantine(Box::new(|rejected| {
        let mut set_aside = set_aside.lock().unwrap_or_else(PoisonError::into_inner);
        set_aside.0 += 1;
        set_aside
            .1
            .get_or_insert_with(|| crate::problem::chain(rejected.reason));
        Ok(())
    }));
    read(&mut inbox, log, &wanted, known)?;
    job.frames = inbox.close()?.frames;
    (job.set_aside, job.first_refusal) = set_aside
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .clone();
    if let (0, Some(refusal)) = (job.frames, &job.first_refusal) {
        let field = if refusal.contains("repeated") {
            "again"
        } else {
            "frames"
        };
        return Err(Problem::content(
            field,
            format!("{field}: no frame entered; {refusal}"),
        ));
    }
    answer(inbox, job, known)
}

/// The sealed items of the answer, or the one of the partial state.
fn answer(inbox: Inbox<'_>, job: &mut JobState, known: &Known) -> Answer<Vec<Vec<u8>>> {
    if job.asked.partial {
        return Ok(vec![inbox.partial()?]);
    }
    let mut shown = job.clone();
    let report: &mut Report<'_> = &mut |progress: Progress| {
        let stage = match progress.stage {
            Stage::Loading => "loading",
            _ => "computing",
        };
        shown.stage = stage.to_owned();
        (shown.done, shown.total) = (progress.done as u64, progress.total as u64);
        known.send_replace(shown.clone());
    };
    let answer = inbox.answer(report)?;
    job.sequence = Some(answer.sequence);
    (job.stage, job.done, job.total) = (String::new(), 0, 0);
    Ok(answer.items)
}
