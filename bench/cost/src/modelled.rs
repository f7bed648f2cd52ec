//! The experiment as the page shows it: measured bytes and times of the server beside counted instructions of boards.

use std::collections::BTreeMap;

use anyhow::Result;
use isopod_cost::model::{boards, instructions, links, Board, Link, Work};
use isopod_cost::Skipped;
use isopod_wire::AnySet;
use serde::{Deserialize, Serialize};

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
    jobs: Vec<Job>,
    measured: Vec<Measured>,
    skipped: Vec<Skipped>,
}

/// A job through isopod-server, as jobs.py measured it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Job {
    title: String,
    set: String,
    frames: usize,
    local: BTreeMap<String, f64>,
    device: BTreeMap<String, f64>,
    up_bytes: usize,
    down_bytes: usize,
    server_ms: f64,
    total_ms: f64,
}

/// Puts measurements and counts together.
///
/// # Errors
/// A table that is malformed.
pub fn experiment(
    measured: &[Measured],
    jobs: Vec<Job>,
    skipped: Vec<Skipped>,
) -> Result<Experiment> {
    let boards: Vec<Board> = boards()
        .into_iter()
        .filter(|board| {
            let counted = instructions(&board.counted_as, "isopod", "bfv", 4096, "send-secret");
            counted.is_some() || jobs.iter().any(|job| job.device.contains_key(&board.name))
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
        jobs,
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

/// Work that a board does alone or offloads.
struct Offer<'a> {
    name: String,
    degree: usize,
    local: &'a BTreeMap<String, f64>,
    device: &'a BTreeMap<String, f64>,
    up_bytes: usize,
    down_bytes: usize,
    server_ms: f64,
}

impl<'a> From<&'a Offered> for Offer<'a> {
    fn from(one: &'a Offered) -> Self {
        Self {
            name: format!("{} {}", one.scheme, one.operation),
            degree: one.degree,
            local: &one.local,
            device: &one.device,
            up_bytes: one.up_bytes,
            down_bytes: one.down_bytes,
            server_ms: one.server_ms,
        }
    }
}

impl<'a> From<&'a Job> for Offer<'a> {
    fn from(job: &'a Job) -> Self {
        Self {
            name: job.title.clone(),
            degree: match AnySet::by_name(&job.set) {
                Some(AnySet::Rns(set)) => set.ring_degree,
                Some(AnySet::Tfhe(set)) => set.ring_degree,
                Some(AnySet::Pads) | None => 0,
            },
            local: &job.local,
            device: &job.device,
            up_bytes: job.up_bytes,
            down_bytes: job.down_bytes,
            server_ms: job.server_ms,
        }
    }
}

impl Offer<'_> {
    /// Rows of local computation and of offloading on one board.
    fn rows(&self, board: &Board, links: &[Link]) -> Vec<Row> {
        let Some(&device) = self.device.get(&board.name) else {
            return Vec::new();
        };
        let work = Work {
            local: self.local.get(&board.name).copied(),
            device,
            up_bytes: self.up_bytes as f64,
            down_bytes: self.down_bytes as f64,
            server_ms: self.server_ms,
        };
        let row = |case, ms, bytes, break_even_kbits| Row {
            case,
            degree: self.degree,
            operation: self.name.clone(),
            ms,
            bytes,
            break_even_kbits,
        };
        let local = work.local.map(|count| {
            let case = format!("local-{}", board.name);
            row(case, board.ms(count), 0, None)
        });
        let offloaded = links.iter().map(|link| {
            let costs = board.costs(link, &work);
            let case = format!("offloaded-{}-{}", board.name, link.name);
            let bytes = self.up_bytes + self.down_bytes;
            row(case, costs.offloaded_ms, bytes, costs.break_even_kbits)
        });
        local.into_iter().chain(offloaded).collect()
    }
}

impl Experiment {
    /// Rows of every operation and job on every board over every link.
    pub fn modelled(&self) -> Vec<Row> {
        let operations = self.operations.iter().map(Offer::from);
        let offers: Vec<Offer<'_>> = operations
            .chain(self.jobs.iter().map(Offer::from))
            .collect();
        let of = |offer: &Offer<'_>| -> Vec<Row> {
            let boards = self.boards.iter();
            boards
                .flat_map(|board| offer.rows(board, &self.links))
                .collect()
        };
        offers.iter().flat_map(of).collect()
    }
}
