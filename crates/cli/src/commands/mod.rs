//! One module per command.

pub mod inspect;
pub mod params;

use anyhow::Result;

use crate::answer::Answer;
use crate::arguments::Command;

/// Runs a command.
pub fn run(command: &Command) -> Result<Answer> {
    match command {
        Command::Inspect(command) => command.run(),
        Command::Params(command) => command.run(),
    }
}
