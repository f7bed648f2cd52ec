//! The steps by name, on byte strings.

use crate::changes;
use crate::steps::{self, Chunks, Outcome};

/// Runs a step. The first byte string is its name, the second its parameters in JSON; the first that it gives are facts in JSON.
///
/// # Errors
/// [`Refusal`] names what is allowed.
pub fn run(chunks: &[&[u8]]) -> Outcome<Chunks> {
    let [step, parameters, rest @ ..] = chunks else {
        return Err("call: allowed are a step and its parameters"
            .to_owned()
            .into());
    };
    match (*step, rest) {
        (b"begin", []) => steps::begin(serde_json::from_slice(parameters)?),
        (b"join", [invitation]) => steps::join(serde_json::from_slice(parameters)?, invitation),
        (b"facts", [file]) => steps::facts(file),
        (b"go on", [file, received @ ..]) => {
            steps::continue_with(serde_json::from_slice(parameters)?, file, received)
        }
        (b"keys", [file]) => steps::keys(file),
        (b"review", [file, results]) => steps::review(file, results),
        (b"contribute", [file, results]) => {
            steps::contribute(serde_json::from_slice(parameters)?, file, results)
        }
        (b"combine", [file, results, contributions @ ..]) => {
            steps::combine(file, results, contributions)
        }
        (step, rest) => change(step, parameters, rest),
    }
}

/// A step of a change of holders.
fn change(step: &[u8], parameters: &[u8], chunks: &[&[u8]]) -> Outcome<Chunks> {
    let change = || serde_json::from_slice(parameters);
    match (step, chunks) {
        (b"refresh", [file, received @ ..]) => changes::refresh(change()?, file, received),
        (b"replace", [file, newcomer, received @ ..]) => {
            changes::replace(change()?, file, newcomer, received)
        }
        (b"take over", [file, received @ ..]) => changes::take(change()?, file, received),
        (b"end", [file]) => changes::end(file),
        (b"note ended", [file, received @ ..]) => changes::note(change()?, file, received),
        _ => Err("call: no such step of as many byte strings"
            .to_owned()
            .into()),
    }
}
