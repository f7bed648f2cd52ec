//! `isopod bench`: operations on this machine, the device library and its peers side by side.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{ensure, Context as _, Result};
use clap::Args;
use isopod_cost::{
    alone, of_this_process, page, set_at, table, Operation, Peak, Plan, Run, Scheme, Side, DEGREES,
};

use crate::output::progress;
use crate::output::report::Output;
use crate::output::table::TextTable;

/// Milliseconds of an operation at most: a minute.
const MOST_MILLISECONDS: u64 = 60_000;

/// Arguments of `isopod bench`.
#[derive(Debug, Args)]
pub struct Bench {
    /// Schemes: bfv, ckks, tfhe, air
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    schemes: Vec<Scheme>,
    /// Ring degrees of BFV and CKKS, from 1024 to 32768
    #[arg(long, value_delimiter = ',', value_name = "NUMBERS", value_parser = isopod_cost::degree)]
    degrees: Vec<usize>,
    /// Operations, such as encrypt,multiply
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    operations: Vec<Operation>,
    /// Milliseconds for each operation of each side
    #[arg(long, default_value_t = 200, value_name = "MS",
        value_parser = clap::value_parser!(u64).range(1..=MOST_MILLISECONDS))]
    time: u64,
    /// Folder for bench.json, bench.csv and report.html
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// A bench.json of another machine, to stand beside this one in the report
    #[arg(long, value_name = "FILE", requires = "out")]
    compare: Vec<PathBuf>,
    /// Set a side up under a parameter set, encrypt and print the peak of memory: a process of its own
    #[arg(long, hide = true, num_args = 2, value_names = ["SIDE", "SET"])]
    peak: Vec<String>,
}

impl Bench {
    pub fn run(&self) -> Result<Output> {
        if let [side, set] = &self.peak[..] {
            return peak_here(side, set);
        }
        let others = self.compare.iter().map(|path| read(path));
        let others: Vec<Run> = others.collect::<Result<_>>()?;
        let run = measure(&self.plan())?;
        if let Some(folder) = &self.out {
            write(folder, &run, &others)?;
        }
        Output::new(self.text(&run), &run)
    }

    fn plan(&self) -> Plan {
        let or_all = |chosen: &[usize], all: &[usize]| match chosen {
            [] => all.to_vec(),
            some => some.to_vec(),
        };
        Plan {
            schemes: match &self.schemes[..] {
                [] => Scheme::ALL.to_vec(),
                some => some.to_vec(),
            },
            degrees: or_all(&self.degrees, &DEGREES),
            operations: match &self.operations[..] {
                [] => Operation::ALL.to_vec(),
                some => some.to_vec(),
            },
            budget: Duration::from_millis(self.time),
        }
    }

    fn text(&self, run: &Run) -> String {
        let mut shown = TextTable::new(&table::COLUMNS);
        table::rows(run).into_iter().for_each(|row| shown.row(row));
        let mut text = shown.text();
        let machine = &run.machine;
        text += &format!("\nLibraries: {}\n", machine.libraries.join(", "));
        text += &format!("Instruction counts: {}\n", machine.instructions);
        for skipped in &run.skipped {
            text += &format!("Skipped: {}: {}\n", skipped.what, skipped.why);
        }
        if let Some(folder) = &self.out {
            text += &format!("Report: {}\n", folder.join("report.html").display());
        }
        text
    }
}

/// Measures group after group, and the peaks in processes of this program.
fn measure(plan: &Plan) -> Result<Run> {
    let mut run = plan.begin();
    let groups = plan.groups();
    let bar = progress::steps(groups.len() as u64);
    for group in groups {
        let mut report = |what: &str| bar.set_message(what.to_owned());
        plan.measure(group, &mut run, &mut report)
            .with_context(|| format!("{} at {}", group.scheme, group.degree))?;
        if let Some(set) = set_at(group.scheme, group.degree) {
            for side in ["isopod", "seal"] {
                run.peaks.push(Peak {
                    side: side.to_owned(),
                    scheme: group.scheme.name().to_owned(),
                    degree: group.degree,
                    bytes: peak_of(side, set)?,
                });
            }
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(run)
}

fn peak_here(side: &str, set: &str) -> Result<Output> {
    let side = match side {
        "isopod" => Side::Ours,
        _ => Side::Peer,
    };
    alone(side, set)?;
    let bytes = of_this_process()?;
    Output::new(format!("{bytes}\n"), &bytes)
}

fn peak_of(side: &str, set: &str) -> Result<u64> {
    let words: Vec<OsString> = ["bench", "--peak", side, set].map(Into::into).to_vec();
    let done = Command::new(std::env::current_exe()?)
        .args(words)
        .output()?;
    let told = String::from_utf8_lossy(&done.stderr);
    ensure!(done.status.success(), "peak of {side} under {set}: {told}");
    Ok(String::from_utf8(done.stdout)?.trim().parse()?)
}

fn read(path: &Path) -> Result<Run> {
    let text = fs::read(path).with_context(|| format!("--compare {}", path.display()))?;
    let run: Run = serde_json::from_slice(&text)
        .with_context(|| format!("--compare {}: not a bench.json", path.display()))?;
    let version = isopod_cost::VERSION;
    ensure!(
        run.version == version,
        "--compare {}: version {}; allowed is {version}",
        path.display(),
        run.version
    );
    Ok(run)
}

fn write(folder: &Path, run: &Run, others: &[Run]) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("--out {}", folder.display()))?;
    let mut runs = vec![run.clone()];
    runs.extend_from_slice(others);
    let files = [
        ("bench.json", serde_json::to_string_pretty(run)? + "\n"),
        ("bench.csv", table::csv(run)?),
        ("report.html", page::html(&page::Content::of_runs(runs))?),
    ];
    for (name, text) in files {
        let path = folder.join(name);
        fs::write(&path, text).with_context(|| path.display().to_string())?;
    }
    Ok(())
}
