//! Damage of the log: what it is, and giving it up.

use std::sync::Arc;

use axum::extract::State;
use axum::{Extension, Json};
use isopod_keys::key_name;
use isopod_store::DamageState;
use serde::Serialize;
use utoipa::ToSchema;

use crate::admit::access::Caller;
use crate::http::totals::panicked;
use crate::problem::{Answer, Problem};
use crate::service::Service;

/// A stretch of the log that cannot be read.
#[derive(Debug, Serialize, ToSchema)]
pub struct Damage {
    /// Name of the file in the log's folder.
    file: String,
    /// First byte in the file.
    offset: u64,
    /// Number of bytes.
    bytes: u64,
    /// `open`: whoever asks for its frames is refused. `given up`: they are left out. `replaced`: the frame came once more.
    #[schema(value_type = String)]
    state: &'static str,
    /// Key pair in hexadecimal; none where the names of the frames cannot be read.
    key: Option<String>,
    /// Device, epoch and sequence of the frame.
    #[schema(value_type = Option<Vec<u64>>)]
    frame: Option<(u64, u32, u64)>,
}

impl From<&isopod_store::Damage> for Damage {
    fn from(damage: &isopod_store::Damage) -> Self {
        let name = damage.path.file_name().unwrap_or_default();
        let frame = damage.frame();
        Self {
            file: name.to_string_lossy().into_owned(),
            offset: damage.offset,
            bytes: damage.bytes,
            state: match damage.state {
                DamageState::Open => "open",
                DamageState::GivenUp => "given up",
                DamageState::Replaced => "replaced",
            },
            key: frame.map(|(key_id, _)| key_name(&key_id)),
            frame: frame.map(|(_, id)| (id.device, id.epoch, id.sequence)),
        }
    }
}

/// Damage of the log that is known.
#[utoipa::path(get, path = "/v1/damage", tag = "state", responses(
    (status = 200, description = "The damage", body = Vec<Damage>),
    (status = 401, description = "No token", body = Problem, content_type = "application/problem+json"),
    (status = 403, description = "May not read this", body = Problem, content_type = "application/problem+json"),
    (status = 503, description = "Not ready", body = Problem, content_type = "application/problem+json")))]
pub async fn damage(
    State(service): State<Arc<Service>>,
    Extension(caller): Extension<Caller>,
) -> Answer<Json<Vec<Damage>>> {
    caller.may_monitor()?;
    let known = service.store()?.log.damage();
    Ok(Json(known.iter().map(Damage::from).collect()))
}

/// Gives up all open damage: answers leave its frames out from now on. A device that still has such a frame may send it once
/// more.
#[utoipa::path(delete, path = "/v1/damage", tag = "state", responses(
    (status = 200, description = "What was given up", body = Vec<Damage>),
    (status = 401, description = "No token", body = Problem, content_type = "application/problem+json"),
    (status = 403, description = "Not the owner", body = Problem, content_type = "application/problem+json"),
    (status = 500, description = "The disk failed", body = Problem, content_type = "application/problem+json"),
    (status = 503, description = "Not ready", body = Problem, content_type = "application/problem+json"),
    (status = 507, description = "No room on the disk", body = Problem, content_type = "application/problem+json")))]
pub async fn give_up(
    State(service): State<Arc<Service>>,
    Extension(caller): Extension<Caller>,
) -> Answer<Json<Vec<Damage>>> {
    caller.may_own()?;
    let work = move || -> Answer<Vec<Damage>> {
        let given_up = service.store()?.log.give_up_damage()?;
        for damage in &given_up {
            tracing::warn!("given up: {damage}");
        }
        Ok(given_up.iter().map(Damage::from).collect())
    };
    let given_up = tokio::task::spawn_blocking(work)
        .await
        .unwrap_or_else(|_| Err(panicked()))?;
    Ok(Json(given_up))
}
