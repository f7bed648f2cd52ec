//! A copy of the index for a back-up.

use std::sync::Arc;

use axum::extract::State;
use axum::{Extension, Json};
use serde::Serialize;
use utoipa::ToSchema;

use crate::admit::access::Caller;
use crate::http::totals::panicked;
use crate::problem::{Answer, Problem};
use crate::service::Service;

/// A copy of the index for a back-up.
#[derive(Debug, Serialize, ToSchema)]
pub struct BackUp {
    /// Its name in the log's folder; it becomes `devices` in the back-up.
    file: String,
}

/// Writes a copy of the log's index, which alone cannot be copied while the server runs. Copy it first, and the segments after
/// it.
#[utoipa::path(post, path = "/v1/backup", tag = "state", responses(
    (status = 200, description = "It is written", body = BackUp),
    (status = 401, description = "No token", body = Problem, content_type = "application/problem+json"),
    (status = 403, description = "Not the owner", body = Problem, content_type = "application/problem+json"),
    (status = 500, description = "The disk failed", body = Problem, content_type = "application/problem+json"),
    (status = 503, description = "Not ready", body = Problem, content_type = "application/problem+json"),
    (status = 507, description = "No room on the disk", body = Problem, content_type = "application/problem+json")))]
pub async fn back_up(
    State(service): State<Arc<Service>>,
    Extension(caller): Extension<Caller>,
) -> Answer<Json<BackUp>> {
    caller.may_own()?;
    let work = move || -> Answer<BackUp> {
        let path = service.store()?.log.back_up_index()?;
        let name = path.file_name().unwrap_or_default();
        Ok(BackUp {
            file: name.to_string_lossy().into_owned(),
        })
    };
    let written = tokio::task::spawn_blocking(work)
        .await
        .unwrap_or_else(|_| Err(panicked()))?;
    Ok(Json(written))
}
