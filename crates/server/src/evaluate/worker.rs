//! The worker, which computes jobs one after the other.

use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};

use isopod_store::Log;
use isopod_table::Table;
use isopod_wire::KeyId;
use isopod_workflow::{Inbox, Progress, Report, Stage};

use crate::evaluate::request::request;
use crate::evaluate::stored_frames::{count, count_table, read, read_table, FrameFilter};
use crate::jobs::state::{JobPublisher, JobState, JobStatus};
use crate::problem::{Answer, Problem};
use crate::service::Service;

/// Works off jobs, one after the other, until the end.
pub fn work(service: &Service) {
    while let Some((mut job, known)) = service.jobs.next() {
        job.state = JobStatus::Running;
        known.send_replace(job.clone());
        let id = job.id;
        match compute_alone(service, &mut job, &known) {
            Ok(items) => {
                job.bytes = items.iter().map(|item| item.len() as u64).sum();
                job.state = JobStatus::Done;
                if let Err(problem) = service.jobs.save(&job, Some(&items)) {
                    fail(service, &mut job, problem);
                }
            }
            Err(problem) => fail(service, &mut job, problem),
        }
        let counter = match job.state {
            JobStatus::Done => &service.metrics.jobs_done,
            _ => &service.metrics.jobs_failed,
        };
        counter.fetch_add(1, Ordering::Relaxed);
        tracing::info!(id, state = ?job.state, frames = job.frames, "job");
        known.send_replace(job);
    }
}

fn fail(service: &Service, job: &mut JobState, problem: Problem) {
    job.state = JobStatus::Failed;
    // An answer that did not leave has no number.
    job.sequence = None;
    job.problem = serde_json::to_value(problem).ok();
    // The state in memory says the same until the next start, which finds the job interrupted.
    let _ = service.jobs.save(job, None);
}

/// Computes a job so that of all servers of the tables only this one enters its frames.
fn compute_alone(
    service: &Service,
    job: &mut JobState,
    known: &JobPublisher,
) -> Answer<Vec<Vec<u8>>> {
    let key_id = service.key_id(job.asked.key.as_deref())?;
    service.answer_alone(&key_id, || compute(service, job, known))
}

/// Computes a job on the frames that are stored by now.
fn compute(service: &Service, job: &mut JobState, known: &JobPublisher) -> Answer<Vec<Vec<u8>>> {
    let (server, request) = request(service, &job.asked)?;
    let frames = Frames::of(service, &server.key_id())?;
    let wanted = FrameFilter::new(server.key_id(), &job.asked);
    let (count, bytes) = frames.count(&wanted)?;
    if !request.is_aggregate() && 3 * bytes > service.limits.job_memory {
        let most = service.limits.job_memory / 3;
        let detail = format!("devices: {count} frames of {bytes} bytes; allowed are {most} bytes where a job holds its frames");
        return Err(Problem::content("devices", detail));
    }
    job.total = count;
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
    frames.read(&mut inbox, &wanted, known)?;
    job.frames = inbox.close()?.frames;
    (job.set_aside, job.first_refusal) = set_aside
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .clone();
    check_entered(job)?;
    answer(inbox, job, known)
}

/// Where the frames of a job are.
enum Frames<'s> {
    Log(&'s Log),
    /// The table, where frames come from a topic.
    Table(&'s Table),
}

impl<'s> Frames<'s> {
    fn of(service: &'s Service, key_id: &KeyId) -> Answer<Self> {
        let store = service.opened();
        let store = store.ok_or_else(|| Problem::busy("server", "the server recovers its log"))?;
        if service.places.producer.is_some() {
            let detail = "server: frames go to a topic; allowed is to ask a server that reads it";
            return Err(Problem::content("server", detail));
        }
        if store.stream.is_none() {
            return Ok(Self::Log(&store.log));
        }
        service.commit_for_answer(store);
        let table = store.tables.table(key_id);
        let missing = || {
            let detail = "key: has no table; allowed are those of CKKS, BFV and pads where frames come from a topic";
            Problem::content("key", detail)
        };
        table.map(Self::Table).ok_or_else(missing)
    }

    fn count(&self, wanted: &FrameFilter) -> Answer<(u64, u64)> {
        match self {
            Self::Log(log) => count(log, wanted),
            Self::Table(table) => count_table(table, wanted),
        }
    }

    fn read(
        &self,
        inbox: &mut Inbox<'_>,
        wanted: &FrameFilter,
        known: &JobPublisher,
    ) -> Answer<()> {
        match self {
            Self::Log(log) => read(inbox, log, wanted, known),
            Self::Table(table) => read_table(inbox, table, wanted, known),
        }
    }
}

/// Refuses a job none of whose frames entered, for the reason of the first.
fn check_entered(job: &JobState) -> Answer<()> {
    let (0, Some(refusal)) = (job.frames, &job.first_refusal) else {
        return Ok(());
    };
    let field = match refusal.contains("repeated") {
        true => "again",
        false => "frames",
    };
    let detail = format!("{field}: no frame entered; {refusal}");
    Err(Problem::content(field, detail))
}

/// The sealed items of the answer, or the one of the partial state.
fn answer(inbox: Inbox<'_>, job: &mut JobState, known: &JobPublisher) -> Answer<Vec<Vec<u8>>> {
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
