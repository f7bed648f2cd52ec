//! Every job on every set that lists it, with frames of the device library and with SEAL, against the clear: writes
//! `bench/out/eval.json`. `--runs 1000` is the number per job, set and kind of key; `--sets` and `--jobs` choose; `--tries` and
//! `--seed` are those of the case `attacked`.

#[cfg(feature = "tfhe")]
mod alarm;
mod attack;
mod cases;
mod coefficients;
mod device_folder;
mod fleet;
mod in_step;
mod inner_product;
mod keyring;
mod owner;
mod process;
mod record;
mod scores;
mod throughput;
mod values;

use anyhow::{bail, Context as _, Result};
use cases::Case;
use record::{Named, Record, Tally};
use std::path::Path;

const OUT: &str = "bench/out/eval.json";
const RUNS: usize = 1000;
const TRIES: u64 = 100_000;

/// Choices of the command line.
struct Choices {
    runs: usize,
    /// Number and first seed of the case attacked.
    tries: u64,
    seed: u64,
    sets: Vec<String>,
    jobs: Vec<String>,
    out: String,
}

impl Choices {
    fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self> {
        let mut choices = Choices {
            runs: RUNS,
            tries: TRIES,
            seed: 1,
            sets: Vec::new(),
            jobs: Vec::new(),
            out: OUT.to_owned(),
        };
        let list = |text: String| text.split(',').map(str::to_owned).collect();
        while let Some(name) = arguments.next() {
            let value = arguments
                .next()
                .with_context(|| format!("{name} takes a value"))?;
            match name.as_str() {
                "--runs" => choices.runs = value.parse().context("--runs is a number")?,
                "--tries" => choices.tries = value.parse().context("--tries is a number")?,
                "--seed" => choices.seed = value.parse().context("--seed is a number")?,
                "--sets" => choices.sets = list(value),
                "--jobs" => choices.jobs = list(value),
                "--out" => choices.out = value,
                _ => bail!(
                    "{name} is unknown; allowed are --runs, --tries, --seed, --sets, --jobs and --out"
                ),
            }
        }
        Ok(choices)
    }

    fn wants(&self, case: Named) -> bool {
        let in_list =
            |list: &[String], name: &str| list.is_empty() || list.iter().any(|x| x == name);
        in_list(&self.sets, case.set) && in_list(&self.jobs, case.job)
    }
}

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [process::CHILD, server, file] =
        arguments.iter().map(String::as_str).collect::<Vec<_>>()[..]
    {
        return throughput::child(Path::new(server), Path::new(file));
    }
    let choices = Choices::parse(arguments.into_iter())?;
    let wants = |case: &str| choices.jobs.is_empty() || choices.jobs.iter().any(|job| job == case);
    #[cfg(not(feature = "tfhe"))]
    if choices.jobs.iter().any(|job| job.starts_with("alarm-")) {
        bail!("alarms need the feature tfhe");
    }
    let mut records = single(wants)?;
    records.extend(searched(&choices, wants)?);
    record::write(Path::new(&choices.out), &records)?;
    let mut take = |case: Named, tally: Tally| {
        records.extend(Record::of(case, &tally));
        eprintln!("{}", tally.line(case));
        record::write(Path::new(&choices.out), &records)
    };
    for case in coefficients::all().filter(|case| choices.wants(case.named())) {
        take(case.named(), case.run(choices.runs)?)?;
    }
    for case in cases::all().filter(|case| choices.wants(case.named())) {
        take(case.named(), run(&case, choices.runs)?)?;
    }
    match records.iter().filter(|record| !record.is_good()).count() {
        0 => Ok(()),
        bad => bail!(
            "{bad} of {} records miss their limit; see {}",
            records.len(),
            choices.out
        ),
    }
}

/// Records of attempts to make answers miss their errors.
fn searched(choices: &Choices, wants: impl Fn(&str) -> bool) -> Result<Vec<Record>> {
    let mut records = Vec::new();
    if wants(attack::CASE) {
        records.extend(attack::records(choices.seed, choices.tries)?);
    }
    if wants(attack::search::CASE) {
        records.extend(attack::search::records()?);
    }
    if wants(in_step::CASE) {
        records.extend(in_step::records(&choices.sets)?);
    }
    Ok(records)
}

/// Records that are no jobs on sets.
fn single(wants: impl Fn(&str) -> bool) -> Result<Vec<Record>> {
    let mut records = throughput::records(&wants)?;
    if wants(scores::CASE) {
        records.push(scores::record()?);
    }
    if wants(inner_product::CASE) {
        records.extend(inner_product::records()?);
    }
    if wants(device_folder::CASE) {
        records.push(device_folder::record()?);
    }
    #[cfg(feature = "tfhe")]
    for case in [alarm::CASE, alarm::ANY_CASE] {
        if wants(case) {
            records.push(alarm::record(case)?);
        }
    }
    Ok(records)
}

/// Runs a case under several key pairs, since part of the noise is constant for a key.
fn run(case: &Case, runs: usize) -> Result<Tally> {
    let mut tally = Tally::default();
    if let Err(refusal) = case.check() {
        tally.refused = Some(refusal.to_string());
        return Ok(tally);
    }
    let pairs = case.pairs(runs);
    for pair in 0..pairs {
        let mut owner = owner::Owner::new(case)?;
        for run in (pair..runs).step_by(pairs) {
            owner.run(run as u64, &mut tally)?;
        }
    }
    Ok(tally)
}

#[cfg(test)]
mod tests {
    use super::{attack, cases, coefficients, run, Named, Tally};

    /// Degrees beyond this one take long.
    const LARGEST: usize = 4096;
    const TRIES: u64 = 1000;

    #[test]
    fn three_runs_of_every_job_are_right_and_within_their_estimates() {
        let all = cases::all().filter(|case| case.set.ring_degree <= LARGEST);
        for case in all {
            check(case.named(), run(&case, 3));
        }
        for case in coefficients::all() {
            check(case.named(), case.run(3));
        }
    }

    #[test]
    fn a_thousand_tries_stay_within_their_printed_errors() {
        let tallies = attack::run(1, TRIES, 2).expect("tries");
        let sum = |of: fn(&attack::Tally) -> usize| tallies.values().map(of).sum::<usize>();
        let [tries, refused] = [sum(|tally| tally.tries), sum(|tally| tally.refused)];
        assert!(
            tries == TRIES as usize && refused < tries / 3,
            "{refused} refused"
        );
        let failed = [sum(|tally| tally.beyond), sum(|tally| tally.unopenable)];
        assert_eq!(
            failed,
            [0, 0],
            "beyond and unopenable; the lines above make them again"
        );
    }

    #[test]
    fn a_short_search_finds_no_error_beyond_the_printed_one() {
        let effort = attack::search::Effort {
            steps: 10,
            climbs: 1,
            degree: 2048,
        };
        let tallies = attack::search::run(&effort).expect("tries");
        assert!(tallies.len() > 20, "{} jobs on sets", tallies.len());
        for ((set, job), tally) in tallies {
            let failed = [tally.beyond, tally.unopenable];
            assert_eq!(failed, [0, 0], "{set} {job}: {}", tally.line());
            assert!(tally.refused < tally.tries, "{set} {job}: {}", tally.line());
        }
    }

    fn check(case: Named, tally: anyhow::Result<Tally>) {
        let tally = tally.unwrap_or_else(|error| panic!("{case}: {error}"));
        assert_eq!((tally.runs, tally.wrong), (3, 0), "{}", tally.line(case));
        let bound = tally.ratio().is_none_or(|ratio| ratio >= 1.0);
        assert!(bound, "{}", tally.line(case));
    }
}
