//! Links in network namespaces: a rate by a token bucket where the kernel has one, delay and loss by netem where it has that.
//! What a kernel lacks is skipped by name and never imitated.

use std::process::Command;

use anyhow::Result;
use isopod_cost::{model, Skipped};

use crate::device::Measured;

/// Links whose rates a token bucket can hold in reasonable time.
const TIMED: [&str; 3] = ["lan", "wifi", "lte-m"];
const ROUNDS: &str = "3";
/// Only the smallest degree: a satellite would take minutes for others.
const DEGREE: usize = 4096;

/// Runs words as a script in a fresh network namespace.
fn inside(script: &str) -> std::io::Result<std::process::Output> {
    let begin = format!("ip link set lo up && ip link set lo mtu 1500 && {script}");
    Command::new("unshare")
        .args(["-n", "sh", "-c", &begin])
        .output()
}

fn refusal(script: &str) -> Option<String> {
    match inside(script) {
        Ok(done) if done.status.success() => None,
        Ok(done) => Some(String::from_utf8_lossy(&done.stderr).trim().to_owned()),
        Err(error) => Some(error.to_string()),
    }
}

/// Measures BFV over emulated links at the smallest degree; gives what this machine cannot emulate.
///
/// # Errors
/// A device or a server that fails on a link that is there.
pub fn measure(degrees: &[usize], measured: &mut Vec<Measured>) -> Result<Vec<Skipped>> {
    let netem = refusal("tc qdisc add dev lo root netem delay 1ms");
    let bucket = refusal("tc qdisc add dev lo root tbf rate 10mbit burst 32k latency 1s");
    let mut skipped = Vec::new();
    for link in model::links().iter().filter(|link| link.name != "loopback") {
        let mut skip = |what: &str, why: String| {
            skipped.push(Skipped {
                what: format!("{}: {what}", link.title),
                why,
            });
        };
        let rate = link.up_kbits;
        // Both directions of loopback pass the same queue, so each has half of the delay.
        let shape = match (&netem, &bucket) {
            (None, _) => format!(
                "tc qdisc add dev lo root netem delay {}us loss {}% rate {rate}kbit",
                link.round_trip_ms * 500.0,
                link.loss * 100.0
            ),
            (Some(why), None) => {
                skip("delay and loss", why.clone());
                format!("tc qdisc add dev lo root tbf rate {rate}kbit burst 32k latency 60s")
            }
            (Some(why), Some(other)) => {
                skip("all of it", format!("{why}; {other}"));
                continue;
            }
        };
        if !TIMED.contains(&link.name.as_str()) {
            skip(
                "any run",
                "minutes for each operation; modelled only".to_owned(),
            );
            continue;
        }
        if !degrees.contains(&DEGREE) {
            continue;
        }
        eprintln!("{} bfv {DEGREE}", link.name);
        measured.extend(over(&link.name, &shape)?);
    }
    Ok(skipped)
}

fn over(link: &str, shape: &str) -> Result<Vec<Measured>> {
    let program = std::env::current_exe()?;
    let script = format!(
        "{shape} && '{}' device {link} bfv {DEGREE} {ROUNDS}",
        program.display()
    );
    let done = inside(&script)?;
    let told = String::from_utf8_lossy(&done.stderr);
    anyhow::ensure!(done.status.success(), "{link}: {told}");
    Ok(serde_json::from_slice(&done.stdout)?)
}
