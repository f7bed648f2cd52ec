//! `bench-cost`, from the root of the repository: the experiment of a device, a server and their owner over links. Writes
//! bench/out/cost.json and bench/out/report.html. Exit status: 0 within the limits of this file, otherwise 1.
//!
//! `bench-cost [--rounds N] [--degrees 4096,8192] [--bench FILE]... [--jobs FILE] [--memory FILE] [--advice FILE]`; files of
//! `isopod bench`, jobs.py, memory.py and advice.py stand in the report. The program starts itself as the server, and in network
//! namespaces as the device.

mod device;
mod links;
mod message;
mod modelled;
mod server;

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{bail, Context as _, Result};
use isopod_cost::{page, Scheme};
use serde::Serialize;

use crate::device::Measured;

const OUT: &str = "bench/out";
const DEGREES: [usize; 4] = [4096, 8192, 16384, 32768];
const SCHEMES: [Scheme; 2] = [Scheme::Bfv, Scheme::Ckks];

/// A row of cost.json.
#[derive(Debug, Serialize)]
pub struct Row {
    /// Name of the measurement or of the model.
    pub case: String,
    /// Ring degree.
    pub degree: usize,
    /// Operation, with the scheme.
    pub operation: String,
    /// Milliseconds.
    pub ms: f64,
    /// Bytes that travel.
    pub bytes: usize,
    /// Rate of both directions from which offloading takes less time, with the link's delay and loss.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub break_even_kbits: Option<f64>,
}

struct Options {
    rounds: usize,
    degrees: Vec<usize>,
    jobs: Vec<modelled::Job>,
    page: page::Content,
}

fn options(words: &[String]) -> Result<Options> {
    let mut options = Options {
        rounds: 21,
        degrees: DEGREES.to_vec(),
        jobs: Vec::new(),
        page: page::Content::default(),
    };
    for pair in words.chunks(2) {
        let [name, value] = pair else {
            bail!("{} has no value", pair[0]);
        };
        match name.as_str() {
            "--rounds" => options.rounds = value.parse().context("--rounds: a number")?,
            "--degrees" => {
                let degrees = value.split(',').map(isopod_cost::degree);
                options.degrees = degrees.collect::<Result<_, _>>().map_err(anyhow::Error::msg)?;
            }
            "--bench" => options.page.runs.push(read(value)?),
            "--memory" => options.page.memory = read(value)?,
            "--jobs" => options.jobs = read(value)?,
            "--advice" => options.page.advice = Some(read(value)?),
            other => bail!(
                "{other} is unknown; allowed are --rounds, --degrees, --bench, --jobs, --memory and --advice"
            ),
        }
    }
    if options
        .degrees
        .iter()
        .any(|degree| !DEGREES.contains(degree))
    {
        bail!("--degrees: allowed are {DEGREES:?}, where products have keys");
    }
    Ok(options)
}

fn read<T: serde::de::DeserializeOwned>(path: &str) -> Result<T> {
    let text = fs::read(path).with_context(|| path.to_owned())?;
    serde_json::from_slice(&text).with_context(|| path.to_owned())
}

fn main() -> Result<ExitCode> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["server", folder, address] => server::serve(Path::new(folder), address)?,
        ["device", link, scheme, degree, rounds] => {
            let scheme = scheme.parse().map_err(anyhow::Error::msg)?;
            let found = device::measure(link, (scheme, degree.parse()?), rounds.parse()?)?;
            serde_json::to_writer(std::io::stdout(), &found)?;
        }
        _ => return experiment(options(&words)?),
    }
    Ok(ExitCode::SUCCESS)
}

fn experiment(options: Options) -> Result<ExitCode> {
    let mut measured = Vec::new();
    for scheme in SCHEMES {
        for &degree in &options.degrees {
            eprintln!("loopback {scheme} {degree}");
            measured.extend(device::measure(
                "loopback",
                (scheme, degree),
                options.rounds,
            )?);
        }
    }
    let skipped = links::measure(&options.degrees, &mut measured)?;
    let experiment = modelled::experiment(&measured, options.jobs, skipped)?;
    let rows = rows(&measured, &experiment);
    fs::create_dir_all(OUT)?;
    let page = page::html(&page::Content {
        experiment: Some(serde_json::to_value(&experiment)?),
        ..options.page
    })?;
    fs::write(
        Path::new(OUT).join("cost.json"),
        serde_json::to_string_pretty(&rows)? + "\n",
    )?;
    fs::write(Path::new(OUT).join("report.html"), page)?;
    let complaints = complaints(&rows);
    complaints
        .iter()
        .for_each(|complaint| eprintln!("{complaint}"));
    Ok(ExitCode::from(u8::from(!complaints.is_empty())))
}

fn rows(measured: &[Measured], experiment: &modelled::Experiment) -> Vec<Row> {
    let mut rows = Vec::new();
    for one in measured {
        let row = |case: String, ms| Row {
            case,
            degree: one.degree,
            operation: format!("{} {}", one.scheme, one.operation),
            ms,
            bytes: one.up_bytes + one.down_bytes,
            break_even_kbits: None,
        };
        let which = match (one.link.as_str(), one.operands.as_str()) {
            ("loopback", "kept") => "offload-overhead".to_owned(),
            ("loopback", _) => "offload-overhead-fresh".to_owned(),
            (link, operands) => format!("emulated-{link}-{operands}-overhead"),
        };
        rows.push(row(which, one.overhead_ms));
        rows.push(row(
            format!("measured-{}-{}", one.link, one.operands),
            one.total_ms,
        ));
        if one.link == "loopback" && one.operands == "fresh" && one.operation == "square" {
            rows.push(Row {
                case: "fresh-ciphertext".to_owned(),
                operation: format!("{} send-secret", one.scheme),
                bytes: one.up_bytes,
                ..row(String::new(), 0.0)
            });
        }
    }
    rows.extend(experiment.modelled());
    rows
}

/// One line per row beyond its limit, and for every limit without a row.
fn complaints(rows: &[Row]) -> Vec<String> {
    let mut complaints = Vec::new();
    let of = |case: &str, degree| {
        let found = rows.iter().filter(move |row| row.degree == degree);
        found.filter(|row| row.case == case).collect::<Vec<_>>()
    };
    for (degree, most) in [(4096, 1.5), (16384, 6.0)] {
        for row in of("offload-overhead", degree) {
            if row.ms > most {
                complaints.push(format!(
                    "offload-overhead {degree} {}: {:.2} ms; the limit is {most}",
                    row.operation, row.ms
                ));
            }
        }
    }
    for row in of("fresh-ciphertext", 4096) {
        if row.bytes > 47_000 {
            complaints.push(format!(
                "fresh-ciphertext {}: {} bytes; the limit is 47000",
                row.operation, row.bytes
            ));
        }
    }
    for degree in DEGREES {
        let find = |case| {
            of(case, degree)
                .into_iter()
                .find(|row| row.operation == "bfv multiply")
        };
        let (local, over) = (
            find("local-raspberry-pi-4"),
            find("offloaded-raspberry-pi-4-lan"),
        );
        if let (Some(local), Some(over)) = (local, over) {
            if over.ms >= local.ms {
                complaints.push(format!(
                    "bfv multiply at {degree}: offloading takes {:.1} ms, the device {:.1}",
                    over.ms, local.ms
                ));
            }
        }
    }
    complaints
}
