//! The machine.

use std::fs;

use crate::record::Machine;
use crate::timer::Timer;

/// This machine, as its own files say.
pub fn machine(timer: &Timer) -> Machine {
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    Machine {
        processor: processor(),
        system: format!(
            "{} {} {}",
            std::env::consts::ARCH,
            std::env::consts::OS,
            kernel.trim()
        ),
        threads: std::thread::available_parallelism().map_or(1, usize::from),
        instructions: timer.instructions(),
        libraries: vec![
            format!("isopod {}", env!("CARGO_PKG_VERSION")),
            format!("seal {}", isopod_seal::seal_version()),
        ],
    }
}

fn processor() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let names = ["model name", "Hardware", "CPU part"];
    let line = names
        .iter()
        .find_map(|name| text.lines().find(|line| line.starts_with(name)));
    line.and_then(|line| line.split(": ").nth(1))
        .unwrap_or("unknown")
        .trim()
        .to_owned()
}
