//! `isopod advise`: the cheapest measured way to send values to a job, from a board over a link.

use anyhow::{bail, ensure, Result};
use clap::Args;
use isopod_cost::model::{self, Board, Link, Work};
use isopod_eval::{rounded_up, Capacity, Key};
use isopod_wire::{by_name, AnySet, Label, ParameterSet, Scheme};
use serde::Serialize;

use crate::commands::parameters::boards::{footprints, Footprint};
use crate::output::report::Output;
use crate::output::table;

/// Jobs that advice is given for.
const JOBS: [&str; 7] = [
    "sum",
    "mean",
    "linear",
    "histogram",
    "alarm",
    "minimum",
    "maximum",
];
/// Frame and tag of rounded rows, as a frame of ten readings shows (docs/measurements/tables/bytes.md).
const ROUNDED_HEADER: f64 = 140.0;
/// Errors of rounded coefficients beside those of the set: the bits that are dropped add less than half of the noise.
const ROUNDED_ERROR: f64 = 1.5;
/// Bound on values that errors are given for.
const BOUND: f64 = 1.0;

/// Arguments of `isopod advise`.
#[derive(Debug, Args)]
pub struct Advise {
    /// Job: sum, mean, linear, histogram, alarm, minimum, maximum
    #[arg(long, value_name = "NAME")]
    job: String,
    /// Values of one message
    #[arg(long, default_value_t = 1, value_name = "NUMBER", value_parser = clap::value_parser!(u64).range(1..=32768))]
    values: u64,
    /// Error that a value may have, of values within 1; 0 asks for integers
    #[arg(long, default_value_t = 0.1, value_name = "ERROR")]
    precision: f64,
    /// Board, such as stm32u5
    #[arg(long, value_name = "NAME")]
    board: String,
    /// Link, such as lte-m
    #[arg(long, value_name = "NAME")]
    link: String,
    /// Give the device a public key only: whoever opens it reads nothing
    #[arg(long)]
    public_key: bool,
}

/// One way, with its price for one message.
#[derive(Debug, Clone, Serialize)]
pub struct Advice {
    set: String,
    key: String,
    layout: String,
    chunks: u32,
    /// Record of footprints.csv that everything is from.
    record: String,
    error: f64,
    ram: u64,
    flash: u64,
    bytes: f64,
    device_ms: f64,
    energy_mj: f64,
    latency_ms: f64,
    /// The server's time to take a frame in; None where it was not measured.
    server_ms: Option<f64>,
}

/// The core whose records stand for a board: larger machines have none, and need fewer instructions.
fn core_of(board: &Board) -> &str {
    match board.counted_as.as_str() {
        "aarch64" | "armv7a" => "cortex-m4",
        core => core,
    }
}

impl Advise {
    pub fn run(&self) -> Result<Output> {
        if !JOBS.contains(&self.job.as_str()) {
            bail!(
                "--job: {:?} is unknown; allowed are {}",
                self.job,
                JOBS.join(", ")
            );
        }
        if !(self.precision >= 0.0 && self.precision.is_finite()) {
            bail!("--precision: {}; allowed is 0 or more", self.precision);
        }
        let (board, link) = (model::board(&self.board)?, model::link(&self.link)?);
        let core = core_of(&board);
        let mut found: Vec<Advice> = footprints()
            .iter()
            .filter(|one| one.core == core && one.values >= self.values)
            .filter(|one| one.ram() <= board.ram && one.flash() <= board.flash)
            .filter(|one| !self.public_key || one.key.starts_with("public"))
            .filter_map(|one| self.way(one, &board, &link))
            .collect();
        found.sort_by(|one, other| one.energy_mj.total_cmp(&other.energy_mj));
        ensure!(
            !found.is_empty(),
            "--precision: nothing measured computes {} of {} values within {} on {}; allowed is a larger error, a \
             larger board or fewer values",
            self.job, self.values, self.precision, board.title
        );
        Output::new(self.text(&found, &board, &link), &found)
    }

    /// The price of one measured encryption, if the job can use it.
    fn way(&self, one: &Footprint, board: &Board, link: &Link) -> Option<Advice> {
        let error = self.error(one)?;
        if error > self.precision {
            return None;
        }
        let bytes = bytes(one, self.values);
        let server_ms = model::server_ms(&one.set);
        let work = Work {
            local: None,
            device: one.million_instructions * 1e6,
            up_bytes: bytes,
            down_bytes: 0.0,
            server_ms: server_ms.unwrap_or(0.0),
        };
        let costs = board.costs(link, &work);
        Some(Advice {
            set: one.set.clone(),
            key: one.key.clone(),
            layout: one.layout.clone(),
            chunks: one.chunks,
            record: one.case.clone(),
            error,
            ram: one.ram(),
            flash: one.flash(),
            bytes,
            device_ms: board.ms(work.device),
            energy_mj: costs.offloaded_mj,
            latency_ms: costs.offloaded_ms,
            server_ms,
        })
    }

    /// Error of a value under a record's set; None where the job does not compute under it.
    fn error(&self, one: &Footprint) -> Option<f64> {
        let set = AnySet::by_name(&one.set)?;
        if set.label() != Label::Bits128 {
            return None;
        }
        if matches!(self.job.as_str(), "alarm" | "minimum" | "maximum") {
            let is_wide = set.tfhe().is_ok_and(|set| set.message_bits == 2);
            return is_wide.then_some(0.0);
        }
        self.rns_error(one)
    }

    fn rns_error(&self, one: &Footprint) -> Option<f64> {
        let set = by_name(&one.set)?;
        let is_rounded = one.layout == "rounded";
        if !self.computes(set, is_rounded) {
            return None;
        }
        if set.scheme() == Scheme::Bfv {
            return Some(0.0);
        }
        let key = match one.key.starts_with("secret") {
            true => Key::Secret,
            false => Key::Public,
        };
        let capacity = Capacity::of(set, key, BOUND)?;
        Some(capacity.error * if is_rounded { ROUNDED_ERROR } else { 1.0 })
    }

    fn computes(&self, set: &ParameterSet, is_rounded: bool) -> bool {
        let is_real = set.scheme() == Scheme::Ckks;
        match self.job.as_str() {
            "sum" => true,
            "mean" => is_real,
            "histogram" => !is_real && !is_rounded,
            _ => is_real && (is_rounded || set.key_switching),
        }
    }

    /// The cheapest way, which is the first.
    fn text(&self, all: &[Advice], board: &Board, link: &Link) -> String {
        let best = &all[0];
        let server = best.server_ms.map_or("not measured".to_owned(), |ms| {
            format!("{ms:.2} ms to take a frame in")
        });
        let rows = [
            ("set", best.set.clone()),
            ("key", best.key.clone()),
            ("layout", format!("{}, {} chunks", best.layout, best.chunks)),
            (
                "error of a value",
                format!(
                    "{}, {} was asked for",
                    rounded_up(best.error, 1),
                    self.precision
                ),
            ),
            (
                "RAM and flash",
                format!("{} and {} bytes", best.ram, best.flash),
            ),
            ("bytes", format!("{:.0}", best.bytes)),
            ("device", format!("{:.1} ms", best.device_ms)),
            ("energy", format!("{:.1} mJ", best.energy_mj)),
            (
                "latency",
                format!("{:.0} ms to the server", best.latency_ms),
            ),
            ("server", server),
            (
                "measured as",
                format!("{} on {}", best.record, core_of(board)),
            ),
            ("assumed", format!("{}; {}", board.source, link.source)),
        ];
        let mut text = table::list(&rows);
        if let Some(safer) = all.iter().find(|one| one.key.starts_with("public")) {
            if best.key.starts_with("secret") {
                text += &format!(
                    "\nWhoever opens the device reads what it sent. By public key: {}, {:.0} bytes, {:.1} mJ (--public-key).\n",
                    safer.set, safer.bytes, safer.energy_mj
                );
            }
        }
        text
    }
}

/// Bytes of a message; rounded coefficients travel alone, by secret key as many as there are values.
fn bytes(one: &Footprint, values: u64) -> f64 {
    let whole = one.wire_bytes as f64;
    if one.layout != "rounded" {
        return whole;
    }
    let share = values as f64 / one.values as f64;
    // By public key c1 travels whole, which is half or more.
    let varying = (whole - ROUNDED_HEADER)
        * if one.key.starts_with("secret") {
            1.0
        } else {
            0.5
        };
    whole - varying * (1.0 - share)
}
