//! `isopod owner tag-key`: one holder's keys of linear tags, so that a spoiled answer is found.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use isopod_workflow::{HolderTagKeys, TagPeriod};
use serde_json::json;

use crate::commands::device::tag_key::PeriodArguments;
use crate::input::device_numbers::{device_numbers, numbers};
use crate::input::passphrase::PassphraseSource;
use crate::output::escaped;
use crate::output::new_folder::new_folder;
use crate::output::report::Output;

const ALL_HOLDERS: &str = "Every holder of --with does this with equal arguments. The files of all go into the folders of the \
devices, where no holder reads those of another: together, they show what a device sends.";

/// Arguments of `isopod owner tag-key`.
#[derive(Debug, Args)]
#[command(after_help = ALL_HOLDERS)]
pub struct TagKey {
    /// Numbers of devices, such as 7 or 100-199
    #[arg(required = true, value_name = "ID", value_parser = device_numbers)]
    devices: Vec<(u64, u64)>,
    /// Your folder
    #[arg(long, value_name = "DIR")]
    keys: PathBuf,
    /// Holders whose answers are verified, you among them: as many as the threshold
    #[arg(long, value_name = "NAME,...", value_delimiter = ',', required = true)]
    with: Vec<String>,
    /// The one of them who verifies
    #[arg(long, value_name = "NAME")]
    verifier: String,
    /// Folder to make, with a folder device-ID each
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    #[command(flatten)]
    period: PeriodArguments,
    #[command(flatten)]
    passphrase: PassphraseSource,
}

impl TagKey {
    /// Makes the folder, whole or not at all.
    pub fn run(&self) -> Result<Output> {
        let devices = numbers(&self.devices)?;
        let (_unfinished, new) = new_folder(&self.out)?;
        let wanted = HolderTagKeys {
            with: &self.with,
            verifier: &self.verifier,
            devices: &devices,
            period: self.period.choice(),
        };
        let given = wanted.give(&self.keys, &new, || self.passphrase.existing())?;
        new.publish()?;
        let TagPeriod { group, period } = given;
        let text = format!(
            "{}: your keys of linear tags, group {group}, period {period}, for {} device(s)\n",
            escaped::path(&self.out),
            devices.len()
        );
        let facts =
            json!({"folder": self.out, "group": group, "period": period, "devices": devices});
        Output::new(text, &facts)
    }
}
