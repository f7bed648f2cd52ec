//! `isopod owner`: keys that several owners hold together, and answers that they open together.

mod answers;
mod board;
mod ceremony;
mod change;
mod fleet;
mod purpose;
mod tag_key;

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
    /// Make your keys of linear tags for devices, so that a spoiled answer is found
    TagKey(tag_key::TagKey),
    /// Show what an answer is of, and add your part, so that it opens
    Contribute(answers::Contribute),
    /// Move your share out of the folder, to a board that contributes from then on
    Move(board::Move),
    /// Open an answer with the contributions of enough holders
    Combine(answers::Combine),
    /// Refresh all shares under the same key, so that older ones open nothing
    Refresh(change::Refresh),
    /// Give a lost holder's number to a newcomer, with the help of enough others
    Replace(change::Replace),
    /// Take over a lost holder's number, with the pieces of those who help
    TakeOver(change::TakeOver),
    /// Wipe your share, or note that others wiped theirs
    End(change::End),
}

impl Owner {
    /// Runs the action.
    pub fn run(&self) -> Result<Output> {
        match &self.action {
            Action::Begin(begin) => begin.run(),
            Action::Join(join) => join.run(),
            Action::Finish(finish) => finish.run(),
            Action::Devices(devices) => devices.run(),
            Action::TagKey(tag_key) => tag_key.run(),
            Action::Contribute(contribute) => contribute.run(),
            Action::Move(share) => share.run(),
            Action::Combine(combine) => combine.run(),
            Action::Refresh(refresh) => refresh.run(),
            Action::Replace(replace) => replace.run(),
            Action::TakeOver(take_over) => take_over.run(),
            Action::End(end) => end.run(),
        }
    }
}
