//! `isopod pads`: pads that leave their owner.

use anyhow::Result;
use clap::{Args, Subcommand};

use crate::commands::owner::encrypt_pads::EncryptPads;
use crate::commands::owner::grant::Grant;
use crate::output::report::Output;

/// Arguments of `isopod pads`.
#[derive(Debug, Args)]
pub struct Pads {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Give a reader the pads of a range of packets: sums of these can be opened, and nothing else
    Grant(Grant),
    /// Encrypt the pads of packets under a TFHE key: a server then compares what the packets hold
    Encrypt(EncryptPads),
}

impl Pads {
    /// Runs the action.
    pub fn run(&self) -> Result<Output> {
        match &self.action {
            Action::Grant(grant) => grant.run(),
            Action::Encrypt(encrypt) => encrypt.run(),
        }
    }
}
