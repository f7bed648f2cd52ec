//! One module per command.

pub mod decrypt;
pub mod demo;
pub mod encrypt;
pub mod evaluate;
pub mod export;
pub mod export_tfhepp;
pub mod inspect;
pub mod keygen;
pub mod params;
pub mod rotate;
pub mod share;
pub mod split_key;

use anyhow::Result;

use crate::answer::Answer;
use crate::arguments::Command;

/// Runs a command.
pub fn run(command: &Command) -> Result<Answer> {
    match command {
        Command::Keygen(command) => command.run(),
        Command::Encrypt(command) => command.run(),
        Command::Evaluate(command) => command.run(),
        Command::ExportTfhepp(command) => command.run(),
        Command::Decrypt(command) => command.run(),
        Command::Export(command) => command.run(),
        Command::Share(command) => command.run(),
        Command::SplitKey(command) => command.run(),
        Command::Rotate(command) => command.run(),
        Command::Demo(command) => command.run(),
        Command::Inspect(command) => command.run(),
        Command::Params(command) => command.run(),
    }
}
