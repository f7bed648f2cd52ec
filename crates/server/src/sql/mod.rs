//! SQL on the tables: `POST /v1/sql`, and the command `isopod-server sql`. A build without the feature says that it has none.

#[cfg(feature = "sql")]
mod answer;
#[cfg(feature = "sql")]
mod command;

use std::sync::Arc;

use axum::extract::rejection::JsonRejection;
use axum::extract::State;
use axum::response::Response;
use axum::{Extension, Json};
use serde::Deserialize;
use serde_json::Value;
use utoipa::ToSchema;

#[cfg(feature = "sql")]
use answer::answer;
#[cfg(feature = "sql")]
pub use command::run;

use crate::admit::access::Caller;
#[cfg(not(feature = "sql"))]
use crate::jobs::queries::Asked;
use crate::jobs::queries::QueryState;
use crate::problem::{Answer, Problem};
use crate::service::Service;

/// First argument of the program that asks for a query.
pub const COMMAND: &str = "sql";

/// A query.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Query {
    /// SQL on the table `frames`, with he_sum, he_mean, he_column_sum, he_column_mean, he_weighted_sum, he_dot and he_count; on a
    /// server with keys of a large ring also with the aggregates of merged frames. It reads and changes nothing.
    query: String,
    /// Key pair in hexadecimal. It may be left out where the server has one.
    key: Option<String>,
}

/// The answer to a query.
#[derive(ToSchema)]
#[allow(dead_code)]
pub struct Rows {
    /// Names of the columns.
    columns: Vec<String>,
    /// Rows: values in the clear as they are; a sealed answer, which `isopod decrypt` opens, as `{"sealed": BASE64}`, with its
    /// `gap` and `error` if it is one of merged frames; other bytes, such as a frame, as `{"bytes": BASE64}`.
    rows: Vec<Vec<Value>>,
}

/// Answers a query over all frames that are stored by now.
#[utoipa::path(post, path = "/v1/sql", tag = "jobs", request_body = Query, responses(
    (status = 200, description = "The rows", body = Rows),
    (status = 400, description = "Not JSON", body = Problem, content_type = "application/problem+json"),
    (status = 401, description = "No token", body = Problem, content_type = "application/problem+json"),
    (status = 403, description = "Not the owner", body = Problem, content_type = "application/problem+json"),
    (status = 404, description = "Built without SQL", body = Problem, content_type = "application/problem+json"),
    (status = 413, description = "The body is too long", body = Problem, content_type = "application/problem+json"),
    (status = 415, description = "Not JSON by its type", body = Problem, content_type = "application/problem+json"),
    (status = 422, description = "Not a query that can be answered", body = Problem, content_type = "application/problem+json"),
    (status = 500, description = "The disk failed", body = Problem, content_type = "application/problem+json"),
    (status = 503, description = "Not ready, or busy", body = Problem, content_type = "application/problem+json"),
    (status = 507, description = "No room on the disk", body = Problem, content_type = "application/problem+json")))]
pub async fn query(
    State(service): State<Arc<Service>>,
    Extension(caller): Extension<Caller>,
    asked: Result<Json<Query>, JsonRejection>,
) -> Answer<Response> {
    caller.may_own()?;
    service.store()?;
    let Json(asked) =
        asked.map_err(|error| Problem::new(error.status(), "body", error.body_text()))?;
    let key_id = service.key_id(asked.key.as_deref())?;
    let state = service.queries.ask(&asked.query, service.clock.now());
    let answered = answer(service.clone(), key_id, asked.query, &state).await;
    state.end(&answered);
    answered
}

/// The last 100 queries since the start, newest first.
#[utoipa::path(get, path = "/v1/sql", tag = "jobs", responses(
    (status = 200, description = "Their states", body = Vec<QueryState>),
    (status = 401, description = "No token", body = Problem, content_type = "application/problem+json"),
    (status = 403, description = "May not read this", body = Problem, content_type = "application/problem+json"),
    (status = 404, description = "Built without SQL", body = Problem, content_type = "application/problem+json")))]
pub async fn queries(
    State(service): State<Arc<Service>>,
    Extension(caller): Extension<Caller>,
) -> Answer<Json<Vec<QueryState>>> {
    caller.may_monitor()?;
    match cfg!(feature = "sql") {
        true => Ok(Json(service.queries.states())),
        false => Err(without()),
    }
}

/// The refusal of a build without SQL.
const WITHOUT: &str = "this server was built without SQL; allowed is a build with --features sql";

#[cfg(not(feature = "sql"))]
async fn answer(
    _service: Arc<Service>,
    _key_id: isopod_wire::KeyId,
    _query: String,
    _state: &Asked<'_>,
) -> Answer<Response> {
    Err(without())
}

fn without() -> Problem {
    Problem::missing("path", format!("path: {WITHOUT}"))
}

/// Refuses the command.
#[cfg(not(feature = "sql"))]
pub fn run() -> std::process::ExitCode {
    eprintln!("error: {COMMAND}: {WITHOUT}");
    std::process::ExitCode::FAILURE
}
