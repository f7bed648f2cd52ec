//! The interface over HTTP, and its description.

use std::sync::Arc;
use std::time::Instant;

use axum::extract::{DefaultBodyLimit, MatchedPath, Request, State};
use axum::http::{header, HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::Response;
use axum::routing::{get, post};
use axum::{Json, Router};
use isopod_uplink::MOST_BODY_BYTES;
use utoipa::OpenApi;

use crate::admit::access::{Caller, Peer};
use crate::http::{backup, damage, dashboard, descriptors, jobs, metrics, readiness, totals};
use crate::jobs::queries::QueryState;
use crate::jobs::state;
use crate::problem::{Answer, Problem};
use crate::service::Service;
use crate::sql;
use crate::upload::{self, uplink};

/// Most bytes of a body that is not of frames: a request with a model.
const MOST_JSON: usize = 8 << 20;

/// The description of the interface.
#[derive(OpenApi)]
#[openapi(
    info(title = "isopod-server", description = "Takes encrypted frames of devices and computes on them without a key.",
         license(name = "Apache-2.0")),
    paths(upload::frames, totals::devices, totals::delete_frames, totals::quarantine, descriptors::descriptors, jobs::ask,
          jobs::all_jobs, jobs::one_job, jobs::events, jobs::results, sql::query, sql::queries, totals::totals, damage::damage,
          damage::give_up, uplink::deliver, backup::back_up, healthz, readiness::readyz, metrics::metrics),
    components(schemas(Problem, upload::receipt::Receipt, upload::Sequence, totals::Device, descriptors::JobDescriptor,
                       state::JobRequest, state::JobState, jobs::JobEvent, state::JobStatus, sql::Query, sql::Rows, QueryState,
                       totals::SetAside, totals::Totals, totals::Deleted, damage::Damage, backup::BackUp, readiness::Readiness,
                       readiness::Reason, uplink::Network, uplink::Uplinked)),
    modifiers(&Token),
    security((), ("token" = []))
)]
pub struct Description;

struct Token;

impl utoipa::Modify for Token {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
        let token = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).build();
        if let Some(components) = &mut document.components {
            components.add_security_scheme("token", SecurityScheme::Http(token));
        }
    }
}

/// All routes. A connection adds the number of the device whose certificate it has.
pub fn router(service: Arc<Service>) -> Router {
    let known = Router::new()
        .route(
            "/v1/frames",
            post(upload::frames).delete(totals::delete_frames),
        )
        .route("/v1/devices", get(totals::devices))
        .route("/v1/quarantine", get(totals::quarantine))
        .route("/v1/backup", post(backup::back_up))
        .route("/v1/damage", get(damage::damage).delete(damage::give_up))
        .route("/v1/descriptors", get(descriptors::descriptors))
        .route("/v1/jobs", post(jobs::ask).get(jobs::all_jobs))
        .route("/v1/jobs/{id}", get(jobs::one_job))
        .route("/v1/jobs/{id}/events", get(jobs::events))
        .route("/v1/jobs/{id}/results", get(jobs::results))
        .route("/v1/sql", post(sql::query).get(sql::queries))
        .route(
            "/v1/uplinks/{network}",
            post(uplink::deliver).layer(DefaultBodyLimit::max(MOST_BODY_BYTES)),
        )
        .route("/v1/totals", get(totals::totals))
        .route("/metrics", get(metrics::metrics))
        .layer(axum::middleware::from_fn_with_state(
            service.clone(),
            authorize,
        ));
    Router::new()
        .merge(known)
        .route("/healthz", get(healthz))
        .route("/readyz", get(readiness::readyz))
        .route("/openapi.json", get(description))
        .merge(dashboard::router())
        .fallback(|| async {
            Problem::missing("path", "path: nothing is here; /openapi.json lists all")
        })
        .method_not_allowed_fallback(|method: Method| async move {
            let detail = format!("method: {method}; /openapi.json lists those of this path");
            Problem::new(StatusCode::METHOD_NOT_ALLOWED, "method", detail)
        })
        .layer(axum::middleware::from_fn_with_state(
            service.clone(),
            record,
        ))
        .layer(DefaultBodyLimit::max(MOST_JSON))
        .with_state(service)
}

/// Who asked, for the log.
#[derive(Clone)]
struct Named(String);

/// Counts and logs every request: no address, header or body.
async fn record(State(service): State<Arc<Service>>, request: Request, next: Next) -> Response {
    let begun = Instant::now();
    let method = request.method().clone();
    let path = request
        .extensions()
        .get::<MatchedPath>()
        .map_or("other".to_owned(), |path| path.as_str().to_owned());
    let mut response = next.run(request).await;
    let status = response.status().as_u16();
    service.metrics.respond(&path, status, begun.elapsed());
    let by = response
        .extensions_mut()
        .remove::<Named>()
        .map_or(String::new(), |name| name.0);
    let milliseconds = begun.elapsed().as_millis() as u64;
    tracing::info!(%method, path, status, milliseconds, by, "request");
    let headers = response.headers_mut();
    headers.insert(
        header::X_CONTENT_TYPE_OPTIONS,
        HeaderValue::from_static("nosniff"),
    );
    if !headers.contains_key(header::CACHE_CONTROL) {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    response
}

/// Finds out who asks.
async fn authorize(
    State(service): State<Arc<Service>>,
    mut request: Request,
    next: Next,
) -> Answer<Response> {
    let peer = request.extensions().get::<Peer>().copied();
    let host = request
        .headers()
        .get(header::HOST)
        .and_then(|host| host.to_str().ok());
    let host = host.or(request
        .uri()
        .authority()
        .map(|authority| authority.as_str()));
    let caller = service.access.caller(peer, host, request.headers())?;
    if let Caller::Device(device) = caller {
        let revoked = service.pairs.all().all(|pair| {
            let list = pair.revoked();
            list.map_or(true, |list| {
                list.get(device).is_some_and(|entry| entry.kept.is_none())
            })
        });
        if revoked {
            let detail = format!("device: {device} is revoked; allowed are devices in use");
            return Err(Problem::forbidden("device", detail));
        }
    }
    let name = caller.name();
    request.extensions_mut().insert(caller);
    let mut response = next.run(request).await;
    response.extensions_mut().insert(Named(name));
    Ok(response)
}

/// Whether the process lives.
#[utoipa::path(get, path = "/healthz", tag = "state", responses((status = 200, description = "It does", body = String)))]
async fn healthz() -> &'static str {
    "ok\n"
}

async fn description() -> Json<utoipa::openapi::OpenApi> {
    Json(Description::openapi())
}
