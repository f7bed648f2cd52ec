//! The request of a job, checked before the job waits.

use isopod_workflow::{row_mask, Job, JobName, Request, Server};

use crate::jobs::state::JobRequest;
use crate::problem::{Answer, Problem};
use crate::service::Service;

/// Ranges of devices that a job names, at most.
const MOST_RANGES: usize = 10_000;

/// Checks what is asked for before it waits.
///
/// # Errors
/// Status 422 with the field.
pub fn check(service: &Service, asked: &JobRequest) -> Answer<()> {
    let (server, request) = request(service, asked)?;
    server.check_request(&request)?;
    server.check_large_ring(&request)?;
    if asked.partial && !request.is_aggregate() {
        let detail = format!(
            "partial: {} has no partial states; allowed are sums and means, of frames and of columns, dot and histogram",
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
pub fn request<'a>(service: &'a Service, asked: &JobRequest) -> Answer<(&'a Server, Request)> {
    let key_id = service.key_id(asked.key.as_deref())?;
    let pair = service
        .pairs
        .get(&key_id)
        .ok_or_else(|| Problem::content("key", "key: unknown"))?;
    let server = &pair.server;
    let request = match (&asked.job, &asked.request) {
        (None, Some(request)) if asked.rows.is_empty() => {
            Request::from_json(&request.to_string(), server.set(), key_id)?
        }
        (Some(name), None) => Request::new(named(name, &asked.rows)?),
        _ => {
            return Err(Problem::content(
                "job",
                "job: allowed is either job, with rows if it adds up rows, or request",
            ))
        }
    };
    Ok((server, request))
}

/// Whether a job can be asked for by its name: it has no parameters, or none but a selection of rows.
pub fn is_asked_by_name(name: JobName) -> bool {
    Job::plain(name).is_some() || Job::of_rows(name).is_some()
}

/// The job of this name, over these rows.
fn named(text: &str, rows: &[u8]) -> Answer<Job> {
    let name = JobName::from_name(text).ok_or_else(|| unknown_job(text))?;
    match (Job::of_rows(name), Job::plain(name)) {
        (Some(of_rows), _) => Ok(of_rows(row_mask(rows)?)),
        (None, Some(job)) if rows.is_empty() => Ok(job),
        (None, Some(_)) => {
            let allowed = names(|name| Job::of_rows(name).is_some());
            let detail = format!("rows: {text} adds up no rows; allowed with {allowed}");
            Err(Problem::content("rows", detail))
        }
        (None, None) => Err(unknown_job(text)),
    }
}

fn names(of: impl Fn(JobName) -> bool) -> String {
    let jobs = JobName::ALL.iter().filter(|name| of(**name));
    let names: Vec<&str> = jobs.map(|name| name.name()).collect();
    names.join(", ")
}

fn unknown_job(name: &str) -> Problem {
    let detail = format!(
        "job: {}; allowed are {}, and for jobs with other parameters the file of `isopod request` as request",
        name.escape_default(),
        names(is_asked_by_name)
    );
    Problem::content("job", detail)
}
