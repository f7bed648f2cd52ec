//! `isopod-protocol`: searches all states of the protocol within bounds, then shows that each fault breaks a promise.
#![allow(clippy::print_stdout, reason = "a program")]

use std::fmt::Debug;
use std::hash::Hash;
use std::process::ExitCode;
use std::time::Instant;

use isopod_protocol::{Bounds, PacketFault, PacketProtocol, Protocol, FAULTS};
use serde_json::json;
use stateright::{Checker, HasDiscoveries, Model};

/// The searches: with one more of either number, they take more memory than most machines have.
const SEARCHES: [Bounds; 2] = [
    Bounds {
        sent: 3,
        crashes: 0,
    },
    Bounds {
        sent: 2,
        crashes: 2,
    },
];
/// The searches for faults, which end with the first state that shows one.
const SMALL: Bounds = Bounds {
    sent: 3,
    crashes: 1,
};
const THREADS: usize = 2;

fn main() -> ExitCode {
    let mut found = SEARCHES
        .map(|bounds| {
            let Bounds { sent, crashes } = bounds;
            searched(
                &format!("{sent} frames, {crashes} crashes"),
                Protocol::new(None, bounds),
            )
        })
        .to_vec();
    found.push(searched("packets", PacketProtocol(None)));
    let states: usize = found.iter().map(|one| one.states).sum();
    let broken: usize = found.iter().map(|one| one.broken).sum();
    let mut caught: Vec<bool> = Vec::new();
    for fault in FAULTS {
        caught.push(shows(fault, Protocol::new(Some(fault), SMALL)));
    }
    for fault in [PacketFault::TagOfCounter, PacketFault::CounterSetBack] {
        caught.push(shows(fault, PacketProtocol(Some(fault))));
    }
    let count = caught.iter().filter(|&&one| one).count();
    let is_whole = broken == 0 && found.iter().all(|one| one.is_reached) && count == caught.len();
    println!(
        "{}",
        json!([
            {"case": "protocol-states", "value": states, "broken": broken},
            {"case": "protocol-faults", "value": count, "of": caught.len()},
        ])
    );
    match is_whole {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}

/// Outcome of a search.
#[derive(Clone, Copy)]
struct Found {
    states: usize,
    /// Promises that some state breaks.
    broken: usize,
    /// Whether the states are there that show that the search got far.
    is_reached: bool,
}

/// Every state of a model.
fn searched<M>(name: &str, model: M) -> Found
where
    M: Model + Send + Sync + 'static,
    M::State: Clone + Debug + Hash + PartialEq + Send + Sync,
    M::Action: Debug + Clone + PartialEq,
{
    let begun = Instant::now();
    let checker = model.checker().threads(THREADS).spawn_bfs().join();
    let states = checker.unique_state_count();
    println!(
        "{name}: {states} states, in {} s",
        begun.elapsed().as_secs()
    );
    let (examples, broken): (Vec<_>, Vec<_>) = checker
        .discoveries()
        .into_iter()
        .partition(|(name, _)| name.starts_with("every"));
    for (name, path) in &broken {
        println!("BROKEN: {name}: {:?}", path.clone().into_actions());
    }
    Found {
        states,
        broken: broken.len(),
        is_reached: !examples.is_empty(),
    }
}

/// Whether some promise is broken with a fault.
fn shows<M>(fault: impl Debug, model: M) -> bool
where
    M: Model + Send + Sync + 'static,
    M::State: Clone + Debug + Hash + PartialEq + Send + Sync,
    M::Action: Debug + Clone + PartialEq,
{
    let checker = model
        .checker()
        .threads(THREADS)
        .finish_when(HasDiscoveries::AnyFailures)
        .spawn_bfs()
        .join();
    let broken = checker
        .discoveries()
        .into_iter()
        .find(|(name, _)| !name.starts_with("every"));
    match broken {
        Some((name, path)) => println!("{fault:?}, so not: {name}: {:?}", path.into_actions()),
        None => {
            println!(
                "{fault:?}: NOT SHOWN by {} states",
                checker.unique_state_count()
            );
            return false;
        }
    }
    true
}
