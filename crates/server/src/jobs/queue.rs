//! Jobs on stored frames: a queue that survives nothing, answers that survive everything.
//!
//! Each job has a folder: `job.json`, its state, and `results`, the sealed items. What a stop interrupts is refused at the next
//! start, and asked for again.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};
#[cfg(not(feature = "schedules"))]
use std::sync::{Condvar, Mutex, MutexGuard};

use anyhow::Context;
use axum::http::StatusCode;
use isopod_disk::Disk;
#[cfg(feature = "schedules")]
use shuttle::sync::{Condvar, Mutex, MutexGuard};
use tokio::sync::watch;

use crate::health::disk::replace;
use crate::jobs::state::{JobPublisher, JobRequest, JobState, JobStatus};
use crate::problem::{Answer, Problem};

/// Jobs whose states are kept in memory and on disk.
const MOST_KEPT: usize = 10_000;
/// Bytes of the largest state.
const MOST_STATE: u64 = 16 << 20;
/// File of a job's state.
const STATE_FILE: &str = "job.json";

#[derive(Default)]
struct Queue {
    known: BTreeMap<u64, JobPublisher>,
    /// Largest number of a job's folder, also of one whose state cannot be read.
    last: u64,
    waiting: VecDeque<u64>,
    running: bool,
    stopping: bool,
}

/// All jobs of a server.
pub struct Jobs {
    disk: Arc<dyn Disk>,
    folder: PathBuf,
    most_waiting: usize,
    queue: Mutex<Queue>,
    more: Condvar,
}

impl Jobs {
    /// Reads the states of all jobs; those that were interrupted are failed, and those that cannot be read are kept aside.
    ///
    /// # Errors
    /// A folder that cannot be made or read.
    pub fn open(disk: Arc<dyn Disk>, folder: PathBuf, most_waiting: usize) -> anyhow::Result<Self> {
        let listed = disk
            .make_folder(&folder)
            .and_then(|()| disk.sync_folder(isopod_disk::parent(&folder)))
            .and_then(|()| disk.list(&folder));
        let mut queue = Queue::default();
        for path in listed.with_context(|| folder.display().to_string())? {
            let name = path.file_name().and_then(|name| name.to_str());
            let Some(id) = name.and_then(|name| name.parse().ok()) else {
                continue;
            };
            queue.last = queue.last.max(id);
            if let Some(job) = read(disk.as_ref(), &path, id) {
                queue.known.insert(id, watch::Sender::new(job));
            }
        }
        Ok(Self {
            disk,
            folder,
            most_waiting,
            queue: Mutex::new(queue),
            more: Condvar::new(),
        })
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the work after the job that runs.
    pub fn stop(&self) {
        // Under the lock: a worker that looks for work just now must not miss it, and wait for good.
        self.queue().stopping = true;
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
        let id = queue.last + 1;
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
        queue.last = id;
        queue.known.insert(id, watch::Sender::new(job.clone()));
        queue.waiting.push_back(id);
        while queue.known.len() > MOST_KEPT {
            if let Some((old, _)) = queue.known.pop_first() {
                let _ = self.disk.remove_folder(&self.path(old));
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
        let disk = self.disk.as_ref();
        let saved = disk
            .make_folder(&folder)
            .and_then(|()| disk.sync_folder(&self.folder))
            .and_then(|()| {
                results.map_or(Ok(()), |items| {
                    replace(disk, &folder.join("results"), &items.concat())
                })
            })
            .and_then(|()| replace(disk, &folder.join(STATE_FILE), &state));
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
        while !queue.stopping {
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

/// The state of the job in a folder; None for a folder without one, and for one that cannot be read.
fn read(disk: &dyn Disk, folder: &Path, id: u64) -> Option<JobState> {
    let path = folder.join(STATE_FILE);
    let parsed = isopod_disk::read(disk, &path, MOST_STATE).and_then(|bytes| parse(&bytes, id));
    match parsed {
        Ok(mut job) => {
            interrupt(&mut job);
            Some(job)
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => {
            tracing::error!("{}: {error}; the job is left out", path.display());
            keep_aside(disk, &path);
            None
        }
    }
}

fn parse(bytes: &[u8], id: u64) -> io::Result<JobState> {
    let job: JobState = serde_json::from_slice(bytes)?;
    match job.id == id {
        true => Ok(job),
        false => Err(io::Error::new(
            io::ErrorKind::InvalidData,
            format!("id: {}; allowed is {id}", job.id),
        )),
    }
}

/// Gives a state that cannot be read another name.
fn keep_aside(disk: &dyn Disk, path: &Path) {
    let aside = path.with_extension("damaged");
    let kept = disk
        .rename(path, &aside)
        .and_then(|()| disk.sync_folder(isopod_disk::parent(path)));
    match kept {
        Ok(()) => tracing::error!("{}: kept as {}", path.display(), aside.display()),
        Err(error) => tracing::error!("{}: {error}", path.display()),
    }
}

/// Fails a job that the end of the server interrupted.
fn interrupt(job: &mut JobState) {
    if matches!(job.state, JobStatus::Waiting | JobStatus::Running) {
        job.state = JobStatus::Failed;
        let problem = Problem::busy("server", "the server stopped before the answer; ask again");
        job.problem = serde_json::to_value(problem).ok();
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use isopod_disk::{Faults, Loss, SimulatedDisk};

    use super::*;

    fn open(disk: &SimulatedDisk) -> Jobs {
        Jobs::open(Arc::new(disk.clone()), "/data/jobs".into(), 10).unwrap()
    }

    fn write(disk: &SimulatedDisk, id: u64, state: &[u8]) {
        replace(
            disk,
            &Path::new("/data/jobs")
                .join(id.to_string())
                .join(STATE_FILE),
            state,
        )
        .unwrap();
    }

    #[test]
    fn a_state_that_cannot_be_read_is_kept_aside_and_its_number_is_not_given_again() {
        let disk = SimulatedDisk::new(0);
        let jobs = open(&disk);
        for id in 1..=4 {
            assert_eq!(jobs.ask(JobRequest::default(), 0).unwrap().id, id);
        }
        let other = isopod_disk::read(&disk, Path::new("/data/jobs/1/job.json"), 9999).unwrap();
        write(&disk, 2, &other);
        write(&disk, 3, b"{\"id\": 3");
        write(&disk, 4, b"");
        let jobs = open(&disk);
        let known: Vec<u64> = jobs.all().iter().map(|job| job.id).collect();
        assert_eq!(known, [1]);
        assert_eq!(jobs.ask(JobRequest::default(), 0).unwrap().id, 5);
        for (id, content) in [(2, &other[..]), (3, b"{\"id\": 3"), (4, b"")] {
            let aside = Path::new("/data/jobs")
                .join(id.to_string())
                .join("job.damaged");
            assert_eq!(isopod_disk::read(&disk, &aside, 9999).unwrap(), content);
        }
    }

    #[test]
    fn a_job_that_was_taken_is_known_after_a_loss_of_power() {
        for operation in 0..40 {
            let disk = SimulatedDisk::new(operation);
            let jobs = open(&disk);
            disk.inject(Faults {
                power_after: Some(operation),
                ..Faults::default()
            });
            let mut taken = Vec::new();
            while let Ok(mut job) = jobs.ask(JobRequest::default(), 0) {
                job.state = JobStatus::Done;
                let done = jobs.save(&job, Some(&[vec![job.id as u8; 100]])).is_ok();
                taken.push((job.id, done));
            }
            disk.restart(Loss::Power);
            let jobs = open(&disk);
            for (id, done) in taken {
                let state = jobs.watch(id).unwrap().borrow().state;
                assert!(!done || state == JobStatus::Done, "{operation}");
                if state == JobStatus::Done {
                    let path = jobs.results(id).unwrap();
                    let results = isopod_disk::read(&disk, &path, 9999).unwrap();
                    assert_eq!(results, [id as u8; 100]);
                }
            }
        }
    }

    /// The worker, and others who ask and stop, in orders that a scheduler draws: it ends, and takes no job twice.
    #[cfg(feature = "schedules")]
    #[test]
    fn a_worker_that_waits_hears_of_every_job_and_of_the_stop() {
        use shuttle::thread;
        let one_order = || {
            let jobs = Arc::new(open(&SimulatedDisk::new(0)));
            let worker = {
                let jobs = jobs.clone();
                thread::spawn(move || {
                    let taken = std::iter::from_fn(|| jobs.next().map(|(job, _)| job.id));
                    taken.collect::<Vec<u64>>()
                })
            };
            let ask = |jobs: Arc<Jobs>| {
                thread::spawn(move || jobs.ask(JobRequest::default(), 0).unwrap().id)
            };
            let asking: Vec<_> = (0..2).map(|_| ask(jobs.clone())).collect();
            let mut asked: Vec<u64> = asking.into_iter().map(|one| one.join().unwrap()).collect();
            asked.sort_unstable();
            assert_eq!(asked, [1, 2]);
            jobs.stop();
            let taken = worker.join().unwrap();
            assert!([1, 2].starts_with(&taken), "{taken:?}");
        };
        shuttle::check_random(one_order, 2000);
    }
}
