//! The request of a job, checked before the job waits.

use isopod_workflow::{Job, JobName, Request, Server};

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
pub fn request<'a>(service: &'a Service, asked: &JobRequest) -> Answer<(&'a Server, Request)> {
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
