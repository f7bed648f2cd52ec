//! The experiment as the page shows it: measured bytes and times of the server beside counted instructions of boards.

use std::collections::BTreeMap;

use anyhow::Result;
use isopod_cost::model::{boards, instructions, links, Board, Link, Work};
use isopod_cost::Skipped;
use serde::Serialize;

use crate::device::Measured;
use crate::message::operands;
use crate::Row;

/// Assumptions about the server.
#[derive(Debug, Serialize)]
pub struct Prices {
    server_factor: f64,
    source: &'static str,
}

/// One operation at one degree.
#[derive(Debug, Serialize)]
pub struct Offered {
    scheme: String,
    degree: usize,
    operation: String,
    /// Instructions of each board that computes alone.
    local: BTreeMap<String, f64>,
    /// Instructions of each board that encrypts and sends the operands.
    device: BTreeMap<String, f64>,
    up_bytes: usize,
    down_bytes: usize,
    server_ms: f64,
}

/// Everything that the page needs.
#[derive(Debug, Serialize)]
pub struct Experiment {
    boards: Vec<Board>,
    links: Vec<Link>,
    prices: Prices,
    operations: Vec<Offered>,
    measured: Vec<Measured>,
    skipped: Vec<Skipped>,
}

/// Puts measurements and counts together.
///
/// # Errors
/// A table that is malformed.
pub fn experiment(measured: &[Measured], skipped: Vec<Skipped>) -> Result<Experiment> {
    let boards: Vec<Board> = boards()
        .into_iter()
        .filter(|board| {
            instructions(&board.counted_as, "isopod", "bfv", 4096, "send-secret").is_some()
        })
        .collect();
    let fresh = measured
        .iter()
        .filter(|one| one.link == "loopback" && one.operands == "fresh");
    Ok(Experiment {
        operations: fresh.map(|one| offered(&boards, one)).collect(),
        boards,
        links: links(),
        prices: Prices {
            server_factor: 1.0,
            source: "Processor time of this machine, SEAL's and the overhead over loopback; a factor for others",
        },
        measured: measured.to_vec(),
        skipped,
    })
}

fn offered(boards: &[Board], one: &Measured) -> Offered {
    let operation = one.operation.parse().ok();
    let frames = operation.map_or(1, operands) as f64;
    let count = |board: &Board, side: &str, operation: &str| {
        let found = instructions(&board.counted_as, side, &one.scheme, one.degree, operation);
        found.map(|count| (board.name.clone(), count))
    };
    let local = |board: &Board| count(board, "seal", &one.operation);
    let device = |board: &Board| {
        count(board, "isopod", "send-secret").map(|(name, count)| (name, count * frames))
    };
    Offered {
        scheme: one.scheme.clone(),
        degree: one.degree,
        operation: one.operation.clone(),
        local: boards.iter().filter_map(local).collect(),
        device: boards.iter().filter_map(device).collect(),
        up_bytes: one.up_bytes,
        down_bytes: one.down_bytes,
        server_ms: one.seal_ms + one.overhead_ms,
    }
}

impl Experiment {
    /// Rows of local computation and of offloading, and where energy is least, for every board and link.
    pub fn modelled(&self) -> Vec<Row> {
        let mut rows = Vec::new();
        for one in &self.operations {
            for board in &self.boards {
                let Some(&device) = one.device.get(&board.name) else {
                    continue;
                };
                let work = Work {
                    local: one.local.get(&board.name).copied(),
                    device,
                    up_bytes: one.up_bytes as f64,
                    down_bytes: one.down_bytes as f64,
                    server_ms: one.server_ms,
                };
                let row = |case, ms, bytes| Row {
                    case,
                    degree: one.degree,
                    operation: format!("{} {}", one.scheme, one.operation),
                    ms,
                    bytes,
                };
                if let Some(count) = work.local {
                    rows.push(row(format!("local-{}", board.name), board.ms(count), 0));
                }
                rows.extend(self.links.iter().map(|link| {
                    let case = format!("offloaded-{}-{}", board.name, link.name);
                    let ms = board.costs(link, &work).offloaded_ms;
                    row(case, ms, one.up_bytes + one.down_bytes)
                }));
            }
        }
        rows
    }
}
