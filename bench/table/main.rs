//! Encrypted sums in SQL over Parquet beside the kernels alone: processor time, and peak memory over a large table. Writes its
//! records into bench/out/server.json, in place of those of the same cases.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::Arc;

use anyhow::{ensure, Context as _, Result};
use cpu_time::ProcessTime;
use isopod_keys::{NewFolder, Protection};
use isopod_linear::{Machine, Sum};
use isopod_table::{Cell, Limits, Session, Stored, Table};
use isopod_wire::{AnySet, Envelope, Label, Layout, PackedFrame, PackedPart};
use isopod_workflow::{
    Aggregation, AnySuite, Choices, Contents, Device, Group, Job, Message, NewKeys, PadChoice,
    Server,
};
use serde_json::{json, Value};

const SET: &str = "ckks-4096x2-linear";
const OUT: &str = "bench/out/server.json";
/// Frames of a run: 505 MB on the wire, more than a cache holds.
const FRAMES: u64 = 8192;
const RUNS: usize = 7;
const LIMIT_RATIO: f64 = 3.0;
const LIMIT_MEGABYTES: f64 = 256.0;
/// Frames of a table of 2.6 GB.
const MANY: u64 = 42_000;
const CHILD: &str = "--child";
const RATIO: &str = "CPU time of SELECT he_sum(frame) over a Delta table of 8,192 frames by public key, in the page cache, with \
one thread: file, Parquet, tags, headers, residues unpacked and added, answer sealed; over the CPU time of the same 8,192 frames \
in memory. The least of 7 runs each, by turns in one process.";
const MEMORY: &str = "VmHWM of a process that answers SELECT he_sum(frame), and of one that answers it for ten groups, over a \
table of 42,000 frames, 2.6 GB; the larger one. peaks_mb has both, and that of 512 groups, which are spilled.";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let done = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [CHILD, keys, table, sql] => child(keys.as_ref(), table.as_ref(), sql).map(|()| true),
        _ => measure(),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

struct Fleet(tempfile::TempDir);

impl Fleet {
    fn new() -> Result<Self> {
        let place = tempfile::tempdir()?;
        let keys = NewKeys {
            set: AnySet::by_name(SET).context("no such set")?,
            seeded_public_key: false,
            devices: vec![1.into()],
            evaluation: None,
        };
        let new = NewFolder::new(&place.path().join("keys"))?;
        keys.write(&new, &Protection::InsecurePlaintext, &mut |_| {})?;
        new.publish()?;
        Ok(Self(place))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn server(&self) -> Result<Server> {
        Ok(Server::open(&self.path("keys/server"))?)
    }

    /// A table of frames with these sequences, and its frames if there is room for them in memory.
    fn table(&self, name: &str, frames: u64) -> Result<(Table, Vec<Vec<u8>>)> {
        let device = Device::open(&self.path("keys/device-1"), false)?;
        let choices = Choices {
            precision: None,
            grid_bits: None,
            has_column_tag: false,
            scale_bits: None,
            bound_bits: 3,
            suite: AnySuite::Chacha20,
            level: 0,
            layout: Layout::Slots,
            whole_bodies: false,
            pad: PadChoice::USUAL,
            accept_label: Label::Bits128,
        };
        let server = self.server()?;
        let mut sender = device.sender(&choices, &Contents::default(), 1, 0)?;
        let slots = server.set().rns()?.slots();
        let mut kept = Vec::new();
        let table = Table::create(&self.path(name))?;
        let stored = (0..frames).map(|at| {
            let values = vec![at as f64 / frames as f64; slots];
            // Encryption refuses nothing of these values.
            let bytes = sender
                .frame(&Message::Real(values))
                .map(|parts| parts.concat())?;
            if frames <= FRAMES {
                kept.push(bytes.clone());
            }
            Ok(Stored {
                time: at as i64,
                bytes,
            })
        });
        table.append(&server, stored, None)?;
        Ok((table, kept))
    }
}

/// Megabytes of memory of this process at its peak.
fn peak() -> Result<f64> {
    let text = fs::read_to_string("/proc/self/status")?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.context("no VmHWM")?.trim().trim_end_matches(" kB");
    Ok(kilobytes.parse::<f64>()? * 1024.0 / 1e6)
}

/// Answers a query with the limits that are the default, and prints the peak.
fn child(keys: &Path, table: &Path, sql: &str) -> Result<()> {
    let session = Session::new(Arc::new(Server::open(keys)?), Limits::default())?;
    session.table("frames", &Table::open(table)?)?;
    let mut frames = 0;
    session.query(sql, |_, row| {
        frames += row
            .iter()
            .map(|cell| match cell {
                Cell::Sealed(answer) => answer.frames.count(),
                _ => 0,
            })
            .sum::<u64>();
        Ok(())
    })?;
    ensure!(frames == MANY, "{frames} frames for {MANY}");
    use std::io::Write as _;
    Ok(std::io::stdout().write_all(peak()?.to_string().as_bytes())?)
}

fn measure() -> Result<bool> {
    let fleet = Fleet::new()?;
    let mut records = ratios(&fleet)?;
    write(&records)?;
    records.push(memory(&fleet)?);
    write(&records)?;
    Ok(records
        .iter()
        .all(|record| record["within_limit"] != Value::Bool(false)))
}

/// Least CPU seconds of SQL, of tags and sums, and of sums.
struct Least {
    sql: f64,
    fold: f64,
    add: f64,
}

fn ratios(fleet: &Fleet) -> Result<Vec<Value>> {
    let (table, frames) = fleet.table("small", FRAMES)?;
    let server = Arc::new(fleet.server()?);
    let least = least(&server, &table, &frames)?;
    let bytes = frames.iter().map(Vec::len).sum::<usize>() as f64;
    let rate = |seconds: f64| (bytes / seconds / 1e6).round();
    let Least { sql, fold, add } = least;
    eprintln!(
        "MB per CPU second: SQL {}, tags and sums {}, sums {}",
        rate(sql),
        rate(fold),
        rate(add)
    );
    let record = |case: &str, over: f64, of: &str, limit: Option<f64>| {
        let value = (sql / over * 1000.0).round() / 1000.0;
        eprintln!("{case}: {value}");
        json!({"case": case, "set": SET, "value": value, "frames": FRAMES, "megabytes_per_cpu_second": rate(sql),
               "within_limit": limit.map(|limit| value <= limit), "method": format!("{RATIO} In memory: {of}.")})
    };
    let folded = "tags verified, headers parsed, residues unpacked and added";
    let added = "residues unpacked and added, of frames that were parsed before";
    Ok(vec![
        record("sum-cpu-ratio", fold, folded, Some(LIMIT_RATIO)),
        record("sum-cpu-ratio-without-tags", add, added, None),
    ])
}

fn least(server: &Arc<Server>, table: &Table, frames: &[Vec<u8>]) -> Result<Least> {
    let aggregation = Aggregation::new(server.clone(), Job::Sum)?;
    let parsed = frames.iter().map(|frame| parse(server, frame));
    let parsed: Vec<PackedFrame<'_>> = parsed.collect::<Result<_>>()?;
    let mut least = Least {
        sql: f64::MAX,
        fold: f64::MAX,
        add: f64::MAX,
    };
    for _ in 0..RUNS {
        let start = ProcessTime::now();
        query(server, table)?;
        least.sql = least.sql.min(start.elapsed().as_secs_f64());
        let start = ProcessTime::now();
        let mut group = Group::default();
        aggregation.fold(&mut group, frames.iter().map(|frame| (&frame[..], 1.0)))?;
        least.fold = least.fold.min(start.elapsed().as_secs_f64());
        let start = ProcessTime::now();
        let mut sum = Sum::new(
            parsed[0].header(),
            "sum",
            aggregation.digest(),
            Machine::best(),
        )?;
        parsed
            .iter()
            .try_for_each(|frame| sum.fold(frame, None, 1))?;
        least.add = least.add.min(start.elapsed().as_secs_f64());
        ensure!(sum.manifest()?.count() == group.frames()?, "other frames");
    }
    Ok(least)
}

/// One sum over the table in one thread.
fn query(server: &Arc<Server>, table: &Table) -> Result<()> {
    let limits = Limits {
        threads: 1.try_into()?,
        ..Limits::default()
    };
    let session = Session::new(server.clone(), limits)?;
    session.table("frames", table)?;
    let mut answered = 0;
    session.query("SELECT he_sum(frame) FROM frames", |_, row| {
        if let Some(Cell::Sealed(answer)) = row.first() {
            answered = answer.frames.count();
        }
        Ok(())
    })?;
    ensure!(answered == FRAMES, "{answered} frames for {FRAMES}");
    Ok(())
}

fn parse<'b>(server: &Server, frame: &'b [u8]) -> Result<PackedFrame<'b>> {
    let (mut parts, mut rest): (Vec<PackedPart<'b>>, _) = (Vec::new(), frame);
    while !rest.is_empty() {
        let (envelope, behind) = Envelope::read(rest)?;
        rest = behind;
        parts.push(envelope.authenticate(server)?.packed_part()?);
    }
    Ok(PackedFrame::new(parts)?)
}

fn memory(fleet: &Fleet) -> Result<Value> {
    let (table, _) = fleet.table("large", MANY)?;
    let bytes = table.snapshot()?.bytes as f64 / 1e6;
    ensure!(
        bytes >= 10.0 * LIMIT_MEGABYTES,
        "{bytes} MB are no large table"
    );
    let queries = [
        "SELECT he_sum(frame) FROM frames",
        "SELECT sequence % 10 AS g, he_sum(frame) FROM frames GROUP BY g",
        "SELECT sequence % 512 AS g, he_sum(frame) FROM frames GROUP BY g",
    ];
    let mut peaks = Vec::new();
    for sql in queries {
        let child = Command::new(std::env::current_exe()?)
            .args([
                CHILD.as_ref(),
                fleet.path("keys/server").as_os_str(),
                fleet.path("large").as_os_str(),
                sql.as_ref(),
            ])
            .output()?;
        ensure!(
            child.status.success(),
            "{}",
            String::from_utf8_lossy(&child.stderr)
        );
        peaks.push(String::from_utf8(child.stdout)?.trim().parse::<f64>()?);
    }
    let most = peaks[..2].iter().copied().fold(0.0, f64::max).round();
    eprintln!("peak memory in MB over {bytes:.0} MB: {peaks:?}");
    Ok(
        json!({"case": "sum-rss-mb", "set": SET, "value": most, "frames": MANY, "table_mb": bytes.round(), "peaks_mb": peaks,
              "within_limit": most <= LIMIT_MEGABYTES, "method": MEMORY}),
    )
}

/// Writes records in place of those of the same cases, and keeps the others.
fn write(records: &[Value]) -> Result<()> {
    let mut all = match fs::read(OUT) {
        Ok(bytes) => serde_json::from_slice::<Vec<Value>>(&bytes)?,
        Err(_) => Vec::new(),
    };
    all.retain(|old| records.iter().all(|new| new["case"] != old["case"]));
    all.extend_from_slice(records);
    fs::create_dir_all("bench/out")?;
    Ok(fs::write(OUT, serde_json::to_vec_pretty(&all)?)?)
}
