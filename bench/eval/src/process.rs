//! Peak memory of this process and of a child.

use anyhow::{ensure, Context as _, Result};
use std::fs;
use std::path::Path;
use std::process::Command;

/// The argument by which this program is its own child.
pub const CHILD: &str = "--fold";

/// Largest memory of this process so far.
pub fn peak() -> Result<u64> {
    let text = fs::read_to_string("/proc/self/status")?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.context("no VmHWM")?.trim().trim_end_matches(" kB");
    Ok(kilobytes.parse::<u64>()? * 1024)
}

/// Largest memory of a child that folds this file.
pub fn peak_of_child(server: &Path, file: &Path) -> Result<u64> {
    let program = std::env::current_exe()?;
    let child = Command::new(program)
        .arg(CHILD)
        .args([server, file])
        .output()?;
    ensure!(
        child.status.success(),
        "the child failed: {}",
        String::from_utf8_lossy(&child.stderr)
    );
    Ok(String::from_utf8(child.stdout)?.trim().parse()?)
}
