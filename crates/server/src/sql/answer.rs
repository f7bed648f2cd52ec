//! The answer to a query over HTTP: computed into a file without a name, so that it is whole or a refusal, and never in memory.

use std::fs::{self, File};
use std::io::{BufWriter, Seek, SeekFrom, Write};
use std::sync::Arc;

use axum::body::Body;
use axum::http::{header, StatusCode};
use axum::response::{IntoResponse, Response};
use base64::engine::general_purpose::STANDARD;
use base64::Engine;
use isopod_store::StoreError;
use isopod_table::{Cell, Error, Limits, Session};
use isopod_wire::KeyId;
use isopod_workflow::Summary;
use serde_json::{json, Value};

use crate::http::jobs::chunks;
use crate::http::totals::panicked;
use crate::jobs::queries::Asked;
use crate::problem::{chain, Answer, Problem};
use crate::service::Service;

/// Name of the table in queries.
pub const TABLE: &str = "frames";
/// Rows of an answer.
const MOST_ROWS: u64 = 100_000;

/// Answers a query, after the one before it.
pub async fn answer(
    service: Arc<Service>,
    key_id: KeyId,
    query: String,
    state: &Asked<'_>,
) -> Answer<Response> {
    let waiting = service.querying.clone().acquire_owned();
    let turn = tokio::time::timeout(service.limits.patience, waiting).await;
    let Ok(Ok(turn)) = turn else {
        let detail = "query: another one is being answered; ask again later";
        return Err(Problem::busy("query", detail));
    };
    state.run();
    let work = move || {
        let answered = service.answer_alone(&key_id, || compute(&service, &key_id, &query));
        drop(turn);
        answered
    };
    let file = tokio::task::spawn_blocking(work)
        .await
        .unwrap_or_else(|_| Err(panicked()))?;
    let body = Body::from_stream(chunks(tokio::fs::File::from_std(file)));
    Ok(([(header::CONTENT_TYPE, "application/json")], body).into_response())
}

/// The answer as a file that is gone when it is closed.
fn compute(service: &Service, key_id: &KeyId, query: &str) -> Answer<File> {
    let store = service.store()?;
    let pair = service.pairs.get(key_id);
    let (Some(pair), Some(table)) = (pair, store.tables.table(key_id)) else {
        let detail = "key: has no table; allowed are those of CKKS, BFV and pads, on a server without --no-tables";
        return Err(Problem::content("key", detail));
    };
    store.tables.compact(&store.log).map_err(refused)?;
    service.commit_for_answer(store);
    let checked = store.tables.check_damage(&store.log, key_id);
    checked.map_err(refused)?;
    let _files = store.tables.hold();
    let spill = service.data.join("spill");
    // A crash may have left some.
    let _ = fs::remove_dir_all(&spill);
    fs::create_dir(&spill).map_err(|error| refused(error.into()))?;
    let limits = service.limits.sql;
    let session = Session::new(
        pair.server.clone(),
        Limits {
            memory: limits.memory,
            spill: Some(spill),
            rows: MOST_ROWS,
            time: limits.time,
            ..Limits::default()
        },
    )?;
    session.table(TABLE, table)?;
    let mut sheet = Sheet::new(service, limits.answer)?;
    let columns = session.query(query, |_, row| sheet.row(row))?;
    Ok(sheet.finish(&columns)?)
}

/// The answer in JSON, on its way to disk.
struct Sheet {
    file: BufWriter<File>,
    rows: u64,
    bytes: u64,
    most: u64,
}

impl Sheet {
    fn new(service: &Service, most: u64) -> Answer<Self> {
        let file = tempfile::tempfile_in(&service.data).map_err(|error| refused(error.into()))?;
        let file = BufWriter::new(file);
        Ok(Self {
            file,
            rows: 0,
            bytes: 0,
            most,
        })
    }

    fn row(&mut self, row: Vec<Cell>) -> isopod_table::Result<()> {
        let row: Vec<Value> = row.into_iter().map(value).collect();
        let begin = if self.rows == 0 { "{\"rows\":[" } else { "," };
        let text = format!("{begin}{}", Value::Array(row));
        self.rows += 1;
        self.bytes += text.len() as u64;
        if self.bytes > self.most {
            let problem = format!(
                "its answer has more than {} bytes; allowed are fewer groups, or LIMIT",
                self.most
            );
            return Err(Error::Query(problem));
        }
        self.write(&text)
    }

    fn finish(mut self, columns: &[String]) -> isopod_table::Result<File> {
        if self.rows == 0 {
            self.write("{\"rows\":[")?;
        }
        self.write(&format!("],\"columns\":{}}}\n", json!(columns)))?;
        let file = self.file.into_inner().map_err(|error| error.into_error());
        let mut file = file.map_err(disk)?;
        file.seek(SeekFrom::Start(0)).map_err(disk)?;
        Ok(file)
    }

    fn write(&mut self, text: &str) -> isopod_table::Result<()> {
        self.file.write_all(text.as_bytes()).map_err(disk)
    }
}

fn disk(source: std::io::Error) -> Error {
    let path = "answer".into();
    Error::File { path, source }
}

fn value(cell: Cell) -> Value {
    match cell {
        Cell::Clear(value) => value,
        Cell::Sealed(answer) => {
            let sealed = STANDARD.encode(answer.items.concat());
            match answer.summary {
                Summary::Lattigo { gap, error, .. } => {
                    json!({"sealed": sealed, "gap": gap, "error": error})
                }
                _ => json!({ "sealed": sealed }),
            }
        }
        Cell::Bytes(bytes) => json!({"bytes": STANDARD.encode(bytes)}),
    }
}

/// The refusal of what the disk did not do.
fn refused(error: anyhow::Error) -> Problem {
    let error = match error.downcast::<StoreError>() {
        Ok(error) => return Problem::from(error),
        Err(error) => error,
    };
    match error.downcast::<Error>() {
        Ok(error) => Problem::from(error),
        Err(error) => {
            tracing::error!("query: {}", chain(error.as_ref()));
            let status = StatusCode::INTERNAL_SERVER_ERROR;
            Problem::new(
                status,
                "storage",
                "the server's disk failed; ask again later",
            )
        }
    }
}
