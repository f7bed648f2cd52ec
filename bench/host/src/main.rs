//! `bench-host`, from the root of the repository: Isopod and SEAL encode and encrypt the same values under the same primes, or
//! decrypt and decode them, by turns in one thread; compares medians of its CPU time. Writes `bench/out/host.json`.
//!
//! Equal work: values in, a ciphertext out, or the reverse. Our ciphertext is bit-packed residues, SEAL's a `Ciphertext` in
//! memory, both without framing or serialization; ours with frames is reported beside. Exit status: 0 within `budget.toml`, or 1.
//!
//! `bench-host --case CASE` measures one case and writes nothing. `bench-host --only SIDE CASE` runs one side: the program starts
//! itself so under callgrind and for the peak of memory.

mod budget;
mod cases;
mod heap;
mod machine;
mod record;
mod sides;

use anyhow::{bail, Context as _, Result};
use cases::Case;
use record::Record;
use std::path::Path;
use std::process::ExitCode;

const OUT: &str = "bench/out/host.json";
const BUDGET: &str = "bench/host/budget.toml";

fn main() -> Result<ExitCode> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => measure_all(),
        ["--only", side, case] => {
            machine::only(side, &Case::find(case)?)?;
            Ok(ExitCode::SUCCESS)
        }
        ["--case", name] => {
            eprintln!("{}", measure(&Case::find(name)?)?);
            Ok(ExitCode::SUCCESS)
        }
        _ => bail!("usage: bench-host [--case CASE]"),
    }
}

fn measure_all() -> Result<ExitCode> {
    let limits = budget::load(Path::new(BUDGET))?;
    let mut records = Vec::new();
    for case in cases::all() {
        let record = measure(&case)?;
        eprintln!("{record}");
        records.push(record);
    }
    write(&records)?;
    let complaints = budget::missed(&limits, &records);
    for complaint in &complaints {
        eprintln!("{complaint}");
    }
    Ok(ExitCode::from(u8::from(!complaints.is_empty())))
}

fn measure(case: &Case) -> Result<Record> {
    Record::measure(case).with_context(|| format!("cannot measure {}", case.name))
}

fn write(records: &[Record]) -> Result<()> {
    let out = Path::new(OUT);
    if let Some(folder) = out.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let text = serde_json::to_string_pretty(records)? + "\n";
    std::fs::write(out, text).with_context(|| format!("cannot write {OUT}"))
}
