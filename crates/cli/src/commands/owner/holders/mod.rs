//! `isopod owner`: keys that several owners hold together, and answers that they open together.

mod answers;
mod board;
mod ceremony;
mod fleet;

use anyhow::Result;
use clap::{Args, Subcommand};

use crate::output::report::Output;

/// Arguments of `isopod owner`.
#[derive(Debug, Args)]
pub struct Owner {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Invite other holders to make a key together; you are the first of them
    Begin(ceremony::Begin),
    /// Join a ceremony to which you are invited
    Join(ceremony::Join),
    /// Go on with a ceremony, with the files that other holders sent
    Finish(ceremony::Finish),
    /// Make the folders of server and devices
    Devices(fleet::Devices),
    /// Show what an answer is of, and add your part, so that it opens
    Contribute(answers::Contribute),
    /// Move your share out of the folder, to a board that contributes from then on
    Move(board::Move),
    /// Open an answer with the contributions of enough holders
    Combine(answers::Combine),
}

impl Owner {
    /// Runs the action.
    pub fn run(&self) -> Result<Output> {
        match &self.action {
            Action::Begin(begin) => begin.run(),
            Action::Join(join) => join.run(),
            Action::Finish(finish) => finish.run(),
            Action::Devices(devices) => devices.run(),
            Action::Contribute(contribute) => contribute.run(),
            Action::Move(share) => share.run(),
            Action::Combine(combine) => combine.run(),
        }
    }
}
