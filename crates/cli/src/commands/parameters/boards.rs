//! `isopod params --board`: the sets, keys and layouts that fit a board, by the records of `make bench-device`.

use std::str::FromStr;

use anyhow::{bail, Result};
use serde::{Deserialize, Serialize};

use crate::output::report::Output;
use crate::output::table::TextTable;

/// Sizes of every measured encryption; bench/device/footprint.py and bench/device/cores.py write them.
const RECORDS: [&str; 2] = [
    include_str!("footprints.csv"),
    include_str!("footprints_of_cores.csv"),
];
const DEFAULT_CORE: &str = "cortex-m4";
/// Cores that run the Cortex-M4's code, for which none of their own is written.
const LIKE_CORTEX_M4: [&str; 2] = ["cortex-m7", "cortex-m33"];
/// Largest memory of a board, in bytes.
const MOST_BYTES: u64 = 1 << 32;

/// Memory of a board: `ram=64K,flash=256K`, and `core=` where it is not a Cortex-M4.
#[derive(Debug, Clone, Serialize)]
pub struct Board {
    core: String,
    ram: u64,
    flash: u64,
}

impl FromStr for Board {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut given = Given::default();
        for part in text.split(',') {
            given.read(part)?;
        }
        let missing = |name: &str| format!("{name} is missing; ram and flash are needed");
        Ok(Self {
            core: given.core.unwrap_or_else(|| DEFAULT_CORE.to_owned()),
            ram: given.ram.ok_or_else(|| missing("ram"))?,
            flash: given.flash.ok_or_else(|| missing("flash"))?,
        })
    }
}

/// The parts of a board that were named.
#[derive(Default)]
struct Given {
    core: Option<String>,
    ram: Option<u64>,
    flash: Option<u64>,
}

impl Given {
    /// Takes a part, such as `ram=64K`, that was not named before.
    fn read(&mut self, part: &str) -> Result<(), String> {
        let (name, value) = part.split_once('=').ok_or_else(|| {
            format!("{part:?} has no value; allowed is ram=BYTES,flash=BYTES[,core=NAME]")
        })?;
        let is_repeated = match name {
            "core" => self.core.replace(known_core(value)?).is_some(),
            "ram" => self.ram.replace(bytes(name, value)?).is_some(),
            "flash" => self.flash.replace(bytes(name, value)?).is_some(),
            _ => {
                return Err(format!(
                    "{name:?} is unknown; allowed is ram, flash or core"
                ))
            }
        };
        match is_repeated {
            true => Err(format!("{name} is given twice; allowed is once")),
            false => Ok(()),
        }
    }
}

/// A processor that there are records of.
fn known_core(name: &str) -> Result<String, String> {
    let footprints = footprints();
    let mut cores: Vec<&str> = footprints.iter().map(|one| one.core.as_str()).collect();
    cores.dedup();
    match cores.contains(&name) {
        true => Ok(name.to_owned()),
        false => Err(format!(
            "core: {name:?} was not measured; allowed is {}",
            cores.join(", ")
        )),
    }
}

/// Bytes, in K = 1024 or M = 1024 K.
fn bytes(name: &str, text: &str) -> Result<u64, String> {
    let lower = text.to_ascii_lowercase();
    let (digits, unit) = if let Some(digits) = lower.strip_suffix("k") {
        (digits, 1 << 10)
    } else if let Some(digits) = lower.strip_suffix("m") {
        (digits, 1 << 20)
    } else {
        (lower.as_str(), 1)
    };
    let number = match digits.bytes().all(|digit| digit.is_ascii_digit()) {
        true => digits.parse().ok().and_then(|n: u64| n.checked_mul(unit)),
        false => None,
    };
    match number {
        Some(bytes @ 1..=MOST_BYTES) => Ok(bytes),
        _ => Err(format!(
            "{name}: {text:?} is out of range; allowed is 1 to 4096M bytes, such as 64K"
        )),
    }
}

/// One measured encryption with its frame.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub struct Footprint {
    /// Processor.
    pub core: String,
    /// Name of the record.
    pub case: String,
    /// Parameter set.
    pub set: String,
    /// Kind of key.
    pub key: String,
    /// Layout of values.
    pub layout: String,
    /// Chunks of the transform.
    pub chunks: u32,
    /// Values at most.
    pub values: u64,
    library_ram: u64,
    values_ram: u64,
    frame_ram: u64,
    stack: u64,
    code: u64,
    tables: u64,
    key_bytes: u64,
    /// Bytes of the frame.
    pub wire_bytes: u64,
    /// Instructions with the frame.
    pub million_instructions: f64,
}

impl Footprint {
    /// Bytes of RAM.
    pub fn ram(&self) -> u64 {
        self.library_ram + self.values_ram + self.frame_ram + self.stack
    }

    /// Bytes of flash.
    pub fn flash(&self) -> u64 {
        self.code + self.tables + self.key_bytes
    }

    fn row(&self) -> Vec<String> {
        let parts = |sizes: &[u64]| {
            sizes
                .iter()
                .map(u64::to_string)
                .collect::<Vec<_>>()
                .join("+")
        };
        vec![
            self.set.clone(),
            self.key.clone(),
            self.layout.clone(),
            self.values.to_string(),
            self.chunks.to_string(),
            self.ram().to_string(),
            parts(&[
                self.library_ram,
                self.values_ram,
                self.frame_ram,
                self.stack,
            ]),
            self.flash().to_string(),
            parts(&[self.code, self.tables, self.key_bytes]),
            self.wire_bytes.to_string(),
            format!("{:.2}", self.million_instructions),
        ]
    }
}

/// Every record, in the order of the files.
pub fn footprints() -> Vec<Footprint> {
    let of_file = |text: &'static str| csv::Reader::from_reader(text.as_bytes());
    (RECORDS.into_iter())
        .flat_map(|text| of_file(text).into_deserialize())
        .filter_map(Result::ok)
        .collect()
}

/// Whatever fits the board, of one set or of all; an error that names the least memory if nothing does.
pub fn fitting(board: &Board, set: Option<&str>) -> Result<Output> {
    let mut all = footprints();
    all.retain(|one| one.core == board.core && set.is_none_or(|name| one.set == name));
    all.sort_by(|one, other| (&one.set, one.ram()).cmp(&(&other.set, other.ram())));
    let fits = |one: &&Footprint| one.ram() <= board.ram && one.flash() <= board.flash;
    let found: Vec<&Footprint> = all.iter().filter(fits).collect();
    if found.is_empty() {
        bail!("--board: {}", shortage(board, &all, set));
    }
    let columns = [
        "set",
        "key",
        "layout",
        "values",
        "chunks",
        "RAM",
        "library+values+frame+stack",
        "flash",
        "code+tables+key",
        "bytes sent",
        "M instructions",
    ];
    let mut table = TextTable::new(&columns);
    found.iter().for_each(|one| table.row(one.row()));
    let code = match LIKE_CORTEX_M4.contains(&board.core.as_str()) {
        true => ", which runs the Cortex-M4's code,",
        false => "",
    };
    let text = format!(
        "{}{} of {} measured on {}{code} fit {} bytes of RAM and {} of flash, without the application's own\n",
        table.text(),
        found.len(),
        all.len(),
        board.core,
        board.ram,
        board.flash
    );
    Output::new(text, &found)
}

/// The reason that nothing fits.
fn shortage(board: &Board, all: &[Footprint], set: Option<&str>) -> String {
    let least = |size: fn(&Footprint) -> u64| all.iter().map(size).min();
    match (least(Footprint::ram), least(Footprint::flash)) {
        (Some(ram), Some(flash)) => format!(
            "nothing fits ram={}, flash={}; the least RAM of any is {ram} bytes, the least flash {flash}",
            board.ram, board.flash
        ),
        _ => format!("{} was not measured on {}", set.unwrap_or("no set"), board.core),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_record_is_read() {
        let lines: usize = RECORDS.map(|text| text.lines().count() - 1).iter().sum();
        assert_eq!(footprints().len(), lines);
    }

    #[test]
    fn every_set_of_a_record_is_known() {
        for one in footprints() {
            assert!(
                crate::commands::parameters::sets::find(&one.set).is_ok(),
                "{}",
                one.set
            );
        }
    }
}
