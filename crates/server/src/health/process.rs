//! Measures of the process, from `/proc`, under the names that are usual with Prometheus.

use std::fs;

use rustix::param::{clock_ticks_per_second, page_size};
use rustix::process::{getrlimit, Resource};
use rustix::time::{clock_gettime, ClockId};

use crate::health::clock::now;
use crate::health::exposition::Page;

/// Measures of a process.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Measures {
    processor_seconds: f64,
    virtual_bytes: f64,
    resident_bytes: f64,
    /// Seconds since the machine's start at which the process began.
    begun: f64,
}

impl Measures {
    /// Reads the text of `/proc/PID/stat`. The name of the program, in brackets, may hold anything.
    fn parse(stat: &str) -> Option<Self> {
        let (_, behind) = stat.rsplit_once(')')?;
        let fields: Vec<&str> = behind.split_whitespace().collect();
        // The first of them is field 3 in the manual of /proc.
        let number = |field: usize| fields.get(field - 3)?.parse::<f64>().ok();
        let ticks = clock_ticks_per_second() as f64;
        Some(Self {
            processor_seconds: (number(14)? + number(15)?) / ticks,
            begun: number(22)? / ticks,
            virtual_bytes: number(23)?,
            resident_bytes: number(24)? * page_size() as f64,
        })
    }
}

/// Adds the measures of this process; those that cannot be read are left out.
pub fn expose(page: &mut Page) {
    if let Some(found) = fs::read_to_string("/proc/self/stat")
        .ok()
        .as_deref()
        .and_then(Measures::parse)
    {
        page.counter(
            "process_cpu_seconds_total",
            "Processor time in seconds",
            found.processor_seconds,
        );
        page.gauge(
            "process_resident_memory_bytes",
            "Memory in use",
            found.resident_bytes,
        );
        page.gauge(
            "process_virtual_memory_bytes",
            "Addresses in use",
            found.virtual_bytes,
        );
        let running = clock_gettime(ClockId::Boottime);
        let since_begin = running.tv_sec as f64 + running.tv_nsec as f64 / 1e9 - found.begun;
        let start = now() as f64 / 1000.0 - since_begin;
        page.gauge(
            "process_start_time_seconds",
            "Start, in seconds since 1970",
            start,
        );
    }
    if let Ok(open) = fs::read_dir("/proc/self/fd") {
        page.gauge("process_open_fds", "Open files", open.count() as f64);
    }
    if let Some(most) = getrlimit(Resource::Nofile).current {
        page.gauge("process_max_fds", "Files that may be open", most as f64);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_program_of_any_name_is_measured() {
        let rest =
            "S 1 2 3 4 5 6 7 8 9 10 250 150 0 0 20 0 4 0 1000 4096000 25 18446744073709551615";
        let plain = Measures::parse(&format!("77 (isopod-server) {rest}")).unwrap();
        let odd = Measures::parse(&format!("77 (a) b) ( 1 2) {rest}")).unwrap();
        assert_eq!(plain, odd);
        assert_eq!(
            plain.processor_seconds,
            400.0 / clock_ticks_per_second() as f64
        );
        assert_eq!(plain.resident_bytes, 25.0 * page_size() as f64);
        for text in ["", "77 (isopod", "77 (isopod) S 1 2", "77 (isopod) S x"] {
            assert_eq!(Measures::parse(text), None, "{text}");
        }
    }
}
