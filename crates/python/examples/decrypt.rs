//! Seconds of the owner's calls on one answer, for bench/owner: the least of many rounds. Usage: decrypt FOLDER ANSWER ROUNDS
#![allow(clippy::print_stdout, reason = "its output is its purpose")]

use std::error::Error;
use std::time::Instant;

use isopod_keys::{KeysError, Passphrase};
use isopod_workflow::Owner;

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().collect();
    let [_, folder, answer, rounds] = words.as_slice() else {
        return Err("usage: decrypt FOLDER ANSWER ROUNDS".into());
    };
    let owner = Owner::open::<KeysError>(folder.as_ref(), || Passphrase::new(String::new()))?;
    let answer = std::fs::read(answer)?;
    let mut least = f64::INFINITY;
    for _ in 0..rounds.parse::<usize>()? {
        let start = Instant::now();
        let results = owner.read(answer.as_slice())?;
        let opened = owner.open_results(&results, &mut |_| {})?;
        owner.remember(&results)?;
        least = least.min(start.elapsed().as_secs_f64());
        drop(opened);
    }
    println!("{least:e}");
    Ok(())
}
