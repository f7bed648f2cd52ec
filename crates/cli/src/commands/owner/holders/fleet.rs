//! `isopod owner devices`: server and devices of a key that several owners hold.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use isopod_workflow::write_fleet;
use serde_json::json;

use crate::input::device_numbers::{device_numbers, numbers};
use crate::input::passphrase::PassphraseSource;
use crate::output::escaped;
use crate::output::new_folder::new_folder;
use crate::output::report::Output;

const ONE_HOLDER: &str = "Let one holder do this, always the same: each folder keeps its own list of numbers that were given.";

/// Arguments of `isopod owner devices`.
#[derive(Debug, Args)]
#[command(after_help = ONE_HOLDER)]
pub struct Devices {
    /// Numbers that were never given, such as 7 or 100-199
    #[arg(required = true, value_name = "ID", value_parser = device_numbers)]
    devices: Vec<(u64, u64)>,
    /// Your folder
    #[arg(long, value_name = "DIR")]
    keys: PathBuf,
    /// Folder to make: public key, devices, and with the first of them the server
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    #[command(flatten)]
    passphrase: PassphraseSource,
}

impl Devices {
    /// Makes the folder, whole or not at all; the numbers are given before it appears.
    pub fn run(&self) -> Result<Output> {
        let devices = numbers(&self.devices)?;
        let (_unfinished, new) = new_folder(&self.out)?;
        let with_server = write_fleet(&self.keys, &devices, &new, || self.passphrase.existing())?;
        new.publish()?;
        let server = if with_server { "server, " } else { "" };
        let text = format!(
            "{}: {server}public key and {} devices\n",
            escaped::path(&self.out),
            devices.len()
        );
        let facts = json!({"folder": self.out, "server": with_server, "devices": devices});
        Output::new(text, &facts)
    }
}
