//! Jobs on stored frames: a queue that survives nothing, answers that survive everything.
//!
//! Each job has a folder: `job.json`, its state, and `results`, the sealed items. What a stop interrupts is refused at the next
//! start, and asked for again.

use std::collections::{BTreeMap, VecDeque};
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use anyhow::Context;
use axum::http::StatusCode;
use tokio::sync::watch;

use crate::health::disk::replace;
use crate::jobs::state::{JobPublisher, JobRequest, JobState, JobStatus};
use crate::problem::{Answer, Problem};

/// Jobs whose states are kept in memory and on disk.
const MOST_KEPT: usize = 10_000;

#[derive(Default)]
struct Queue {
    known: BTreeMap<u64, JobPublisher>,
    waiting: VecDeque<u64>,
    running: bool,
}

/// All jobs of a server.
pub struct Jobs {
    folder: PathBuf,
    most_waiting: usize,
    queue: Mutex<Queue>,
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
        let mut queue = Queue::default();
        for entry in fs::read_dir(&folder)? {
            let path = entry?.path();
            let read = fs::read(path.join("job.json")).ok();
            let Some(mut job) =
                read.and_then(|bytes| serde_json::from_slice::<JobState>(&bytes).ok())
            else {
                continue;
            };
            if matches!(job.state, JobStatus::Waiting | JobStatus::Running) {
                job.state = JobStatus::Failed;
                let problem =
                    Problem::busy("server", "the server stopped before the answer; ask again");
                job.problem = serde_json::to_value(problem).ok();
            }
            queue.known.insert(job.id, watch::Sender::new(job));
        }
        Ok(Self {
            folder,
            most_waiting,
            queue: Mutex::new(queue),
            more: Condvar::new(),
            stopping: AtomicBool::new(false),
        })
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the work after the job that runs.
    pub fn stop(&self) {
        self.stopping.store(true, Ordering::Release);
        self.more.notify_all();
    }

    /// Puts a job into the queue at this time, in milliseconds since 1970.
    ///
    /// # Errors
    /// Status 429 for a queue that is full.
    pub fn ask(&self, asked: JobRequest, now: u64) -> Answer<JobState> {
        let mut queue = self.queue();
        if queue.waiting.len() >= self.most_waiting {
            let detail = format!(
                "jobs: {} wait already; ask again later",
                queue.waiting.len()
            );
            return Err(Problem::new(StatusCode::TOO_MANY_REQUESTS, "jobs", detail));
        }
        let id = queue.known.last_key_value().map_or(1, |(last, _)| last + 1);
        let job = JobState {
            id,
            asked,
            state: JobStatus::Waiting,
            asked_at: now,
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
        queue.known.insert(id, watch::Sender::new(job.clone()));
        queue.waiting.push_back(id);
        while queue.known.len() > MOST_KEPT {
            if let Some((old, _)) = queue.known.pop_first() {
                let _ = fs::remove_dir_all(self.path(old));
            }
        }
        self.more.notify_all();
        Ok(job)
    }

    /// Number of jobs that wait, and of those that run.
    pub fn counts(&self) -> (usize, usize) {
        let queue = self.queue();
        (queue.waiting.len(), usize::from(queue.running))
    }

    /// The states of all jobs, newest first.
    pub fn all(&self) -> Vec<JobState> {
        let queue = self.queue();
        queue
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
        let queue = self.queue();
        let job = queue.known.get(&id).map(watch::Sender::subscribe);
        job.ok_or_else(|| Problem::missing("id", format!("id: no job {id}")))
    }

    /// The file of results of a job that is done.
    ///
    /// # Errors
    /// Status 404; 409 for a job that is not done.
    pub fn results(&self, id: u64) -> Answer<PathBuf> {
        let job = self.watch(id)?.borrow().clone();
        match job.state {
            JobStatus::Done => Ok(self.path(id).join("results")),
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
    pub fn save(&self, job: &JobState, results: Option<&[Vec<u8>]>) -> Answer<()> {
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
    pub fn next(&self) -> Option<(JobState, JobPublisher)> {
        let mut queue = self.queue();
        queue.running = false;
        while !self.stopping.load(Ordering::Acquire) {
            if let Some(id) = queue.waiting.pop_front() {
                let known = queue.known.get(&id).cloned()?;
                queue.running = true;
                let job = known.borrow().clone();
                return Some((job, known));
            }
            queue = self
                .more
                .wait(queue)
                .unwrap_or_else(PoisonError::into_inner);
        }
        None
    }
}
