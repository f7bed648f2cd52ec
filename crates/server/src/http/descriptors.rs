//! Jobs that can be asked for by their names, over HTTP: what each answers, and under which key pairs.

use std::sync::Arc;

use axum::extract::State;
use axum::{Extension, Json};
use isopod_keys::key_name;
use isopod_workflow::JobName;
use serde::Serialize;
use utoipa::ToSchema;

use crate::admit::access::Caller;
use crate::evaluate::request::is_asked_by_name;
use crate::problem::{Answer, Problem};
use crate::service::Service;

/// A job that can be asked for by its name.
#[derive(Debug, Serialize, ToSchema)]
pub struct JobDescriptor {
    /// Name of the job.
    job: &'static str,
    /// The question that it answers.
    question: &'static str,
    /// Options that may go with the name.
    options: &'static [&'static str],
    /// Key pairs whose frames it takes, in hexadecimal.
    keys: Vec<String>,
}

/// Jobs that can be asked for by their names, and the questions that they answer.
#[utoipa::path(get, path = "/v1/descriptors", tag = "jobs", responses(
    (status = 200, description = "The jobs", body = Vec<JobDescriptor>),
    (status = 401, description = "No token", body = Problem, content_type = "application/problem+json"),
    (status = 403, description = "May not read this", body = Problem, content_type = "application/problem+json")))]
pub async fn descriptors(
    State(service): State<Arc<Service>>,
    Extension(caller): Extension<Caller>,
) -> Answer<Json<Vec<JobDescriptor>>> {
    caller.may_monitor()?;
    let jobs = JobName::ALL.iter().filter(|job| is_asked_by_name(**job));
    let described = jobs.map(|job| described(&service, *job));
    Ok(Json(
        described
            .filter(|described| !described.keys.is_empty())
            .collect(),
    ))
}

fn described(service: &Service, job: JobName) -> JobDescriptor {
    let descriptor = job.descriptor();
    let servers = service.pairs.all().map(|pair| &pair.server);
    let able = servers.filter(|server| {
        let set = server.set();
        job.check(set).and_then(|()| job.check_keys(set)).is_ok()
    });
    JobDescriptor {
        job: descriptor.name,
        question: descriptor.question,
        options: descriptor.options.names(),
        keys: able.map(|server| key_name(&server.key_id())).collect(),
    }
}
