//! Measurements that need a process of their own: instructions under callgrind, and peak memory.

use crate::cases::Case;
use crate::sides::{seal_key, Ours, Seals};
use anyhow::{bail, Context as _, Result};
use isopod_seal::Context;
use std::fs;
use std::hint::black_box;
use std::process::Command;

/// The names of the sides on the command line.
pub const SIDES: [&str; 2] = ["ours", "seal"];

/// The call that callgrind watches, by this name.
#[inline(never)]
fn watched_run(run: &mut dyn FnMut() -> Result<usize>) -> Result<usize> {
    run()
}

/// Runs once unwatched and once watched, then prints the peak of this process's memory in bytes.
pub fn only(side: &str, case: &Case) -> Result<()> {
    if side == SIDES[0] {
        let mut ours = Ours::new(case)?;
        twice(&mut || ours.run())?;
    } else if side == SIDES[1] {
        let context = Context::for_set(case.set)?;
        let key = seal_key(case, &context)?;
        let seals = Seals::new(case, &context, &key)?;
        twice(&mut || seals.run())?;
    } else {
        bail!("no side {side}; there are {SIDES:?}");
    }
    let mut out = std::io::stdout();
    Ok(std::io::Write::write_fmt(
        &mut out,
        format_args!("{}\n", own_peak()?),
    )?)
}

fn twice(run: &mut dyn FnMut() -> Result<usize>) -> Result<()> {
    black_box(run()?);
    black_box(watched_run(run)?);
    Ok(())
}

fn own_peak() -> Result<u64> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|rest| rest.split_whitespace().next());
    let number: u64 = kilobytes
        .context("no VmHWM in /proc/self/status")?
        .parse()?;
    Ok(number * 1024)
}

/// Runs a program: its output, or an error if it fails.
pub fn run(command: &mut Command) -> Result<String> {
    let done = command
        .output()
        .with_context(|| format!("cannot start {command:?}"))?;
    if !done.status.success() {
        bail!("{command:?}: {}", String::from_utf8_lossy(&done.stderr));
    }
    Ok(String::from_utf8(done.stdout)?)
}

/// Peak resident bytes of a process that sets one side up and runs twice.
pub fn peak(side: &str, case: &Case) -> Result<u64> {
    let mut command = Command::new(std::env::current_exe()?);
    Ok(run(command.args(["--only", side, &case.name]))?
        .trim()
        .parse()?)
}

/// Instructions of the second run of one side.
pub fn instructions(side: &str, case: &Case) -> Result<u64> {
    let folder = std::env::temp_dir().join(format!("bench-host-{}", std::process::id()));
    fs::create_dir_all(&folder)?;
    let counts = folder.join("counts");
    let mut command = Command::new("valgrind");
    command
        .args(["--tool=callgrind", "--toggle-collect=*watched_run*"])
        .arg(format!("--callgrind-out-file={}", counts.display()))
        .arg(std::env::current_exe()?)
        .args(["--only", side, &case.name]);
    run(&mut command)?;
    let text = fs::read_to_string(&counts)?;
    fs::remove_dir_all(&folder)?;
    let total = text.lines().find_map(|line| line.strip_prefix("totals: "));
    Ok(total.context("callgrind wrote no totals")?.trim().parse()?)
}

/// First line of a tool's version text.
pub fn version(tool: &str) -> Result<String> {
    let said = run(Command::new(tool).arg("--version"))?;
    Ok(said.lines().next().unwrap_or_default().to_owned())
}

/// The measured commit, marked if the tree differs from it.
pub fn commit() -> String {
    let describe = [
        "describe",
        "--always",
        "--dirty",
        "--abbrev=12",
        "--exclude=*",
    ];
    run(Command::new("git").args(describe))
        .map_or_else(|_| "unknown".to_owned(), |said| said.trim().to_owned())
}

/// The processor's name.
pub fn processor() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let line = text.lines().find(|line| line.starts_with("model name"));
    line.and_then(|line| line.split(": ").nth(1))
        .unwrap_or("unknown")
        .to_owned()
}
