//! Sums of frames as a server makes them, side by side with SEAL's load and add of the same ciphertexts.

use crate::fleet::{Fleet, SET};
use crate::process::peak_of_child;
use crate::record::{Measured, Record};
use anyhow::{ensure, Context as _, Result};
use cpu_time::ProcessTime;
use isopod_seal::peer::Peer;
use isopod_seal::{Ciphertext, Context, Evaluator, Residues, SecretKey};
use isopod_wire::{by_name, Partial};
use std::io::Write as _;
use std::num::NonZero;
use std::path::Path;
use std::time::Instant;

/// Frames of a run: 31 MB on the wire, more than a cache holds.
const FRAMES: usize = 512;
const RUNS: usize = 12;
const LIMIT: f64 = 0.6;
const LIMIT_BYTES: f64 = 64e6;
const LIMIT_CORES: f64 = 1.6;
const SUM: &str = "512 frames by public key, read from memory by an Inbox in one thread, as isopod evaluate does: items found, \
device keys derived, XChaCha20-Poly1305 verified, headers parsed and judged, residues checked, unpacked and added, the state \
sealed; beside it Ciphertext::load of the same ciphertexts in SEAL's uncompressed format and add_inplace, by turns in the same \
process; both sums are compared. ratio_to_seal is the least CPU time of ours over the least of SEAL's, of 12 runs.";
const MEMORY: &str = "VmHWM of a process that opens a server's folder and reads a file of frames into a partial state, with a \
thread for each core.";
const CORES: &str = "Elapsed time of an Inbox with one thread over that of one with two, on the same 512 frames in memory, by \
turns; the least of 12 runs each.";

/// Measures the cases of these names.
pub fn records(wanted: impl Fn(&str) -> bool) -> Result<Vec<Record>> {
    let mut records = Vec::new();
    if wanted("sum") || wanted("two-cores") {
        let fleet = Fleet::new()?;
        let frames = fleet.frames(FRAMES)?;
        if wanted("sum") {
            records.push(sum(&fleet, &frames)?);
        }
        if wanted("two-cores") {
            records.push(two_cores(&fleet, &frames)?);
        }
    }
    for (case, number) in [("sum-100", 100), ("sum-20000", 20_000)] {
        if wanted(case) {
            records.push(memory(case, number)?);
        }
    }
    Ok(records)
}

fn sum(fleet: &Fleet, frames: &[Vec<u8>]) -> Result<Record> {
    let set = by_name(SET).context("no such set")?;
    let context = Context::for_set(set)?;
    let images = images(&context, (fleet, frames))?;
    let secret = secret(&context)?;
    let peer = Peer::new(&context, &secret)?;
    let file = frames.concat();
    let (mut ours, mut seals) = (f64::MAX, f64::MAX);
    for _ in 0..RUNS {
        let start = ProcessTime::now();
        let state = fleet.fold(&file[..], NonZero::<usize>::MIN)?;
        ours = ours.min(start.elapsed().as_secs_f64());
        let start = ProcessTime::now();
        let sum = load_and_add(&context, &peer, &images)?;
        seals = seals.min(start.elapsed().as_secs_f64());
        same(&fleet.open(&state)?, &context.residues(&sum)?)?;
    }
    let ratio = ours / seals;
    let measured = Measured {
        frames_per_cpu_second: Some(FRAMES as f64 / ours),
        ratio_to_seal: Some(ratio),
        ..Measured::within(ratio <= LIMIT)
    };
    Ok(Record::measured(("sum", SET), FRAMES, RUNS, measured, SUM))
}

fn two_cores(fleet: &Fleet, frames: &[Vec<u8>]) -> Result<Record> {
    let file = frames.concat();
    let mut least = [f64::MAX; 2];
    for _ in 0..RUNS {
        for (at, least) in least.iter_mut().enumerate() {
            let threads = NonZero::new(at + 1).context("no threads")?;
            let start = Instant::now();
            fleet.fold(&file[..], threads)?;
            *least = least.min(start.elapsed().as_secs_f64());
        }
    }
    let ratio = least[0] / least[1];
    let measured = Measured {
        ratio: Some(ratio),
        ..Measured::within(ratio >= LIMIT_CORES)
    };
    let name = ("two-cores", SET);
    Ok(Record::measured(name, FRAMES, RUNS, measured, CORES))
}

fn memory(case: &'static str, number: usize) -> Result<Record> {
    let fleet = Fleet::new()?;
    let file = fleet.write(number)?;
    let peak = peak_of_child(&fleet.server_folder(), &file)?;
    let measured = Measured {
        rss_bytes: Some(peak),
        ..Measured::within(peak as f64 <= LIMIT_BYTES)
    };
    Ok(Record::measured((case, SET), number, 1, measured, MEMORY))
}

/// The child's part: reads a file of frames into a partial state, and prints its own peak.
pub fn child(server: &Path, file: &Path) -> Result<()> {
    let state = Fleet::at(server)?.fold_file(file)?;
    ensure!(!state.is_empty(), "no state");
    let peak = crate::process::peak()?.to_string();
    Ok(std::io::stdout().write_all(peak.as_bytes())?)
}

fn same(state: &Partial, residues: &Residues) -> Result<()> {
    let same = residues.c0 == state.c0 && residues.c1 == state.c1;
    ensure!(same, "the sum is not SEAL's");
    Ok(())
}

/// The simplest secret key: time does not depend on it.
pub fn secret(context: &Context) -> Result<SecretKey> {
    let mut coefficients = vec![0; context.parameters().ring_degree];
    coefficients[0] = 1;
    Ok(SecretKey::new(context, &coefficients)?)
}

/// SEAL's bytes of each frame.
pub fn images(context: &Context, (fleet, frames): (&Fleet, &[Vec<u8>])) -> Result<Vec<Vec<u8>>> {
    let image = |bytes: &Vec<u8>| {
        let state = fleet.open(&fleet.fold(&bytes[..], NonZero::<usize>::MIN)?)?;
        let scale = f64::from(state.header.log2_scale).exp2();
        let ciphertext = context.ciphertext(&state.c0, &state.c1, scale)?;
        Ok(context.export(&ciphertext)?)
    };
    frames.iter().map(image).collect()
}

fn load_and_add(context: &Context, peer: &Peer<'_>, images: &[Vec<u8>]) -> Result<Ciphertext> {
    let evaluator = Evaluator::new(context);
    let mut sum = peer.load(&images[0])?;
    for image in &images[1..] {
        evaluator.add(&mut sum, &peer.load(image)?)?;
    }
    Ok(sum)
}
