//! `isopod device tag-key`: keys of linear tags for devices, so that their sums can be verified.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use isopod_workflow::{Owner, TagPeriod, TagPeriodChoice};
use serde_json::json;

use crate::input::device_numbers::{device_numbers, numbers};
use crate::input::passphrase::PassphraseSource;
use crate::output::report::Output;

/// Arguments of `isopod device tag-key`.
#[derive(Debug, Args)]
pub struct TagKey {
    /// Numbers of devices that have folders, such as 7 or 100-199
    #[arg(required = true, value_name = "ID", value_parser = device_numbers)]
    devices: Vec<(u64, u64)>,
    /// The folder that keygen wrote, with the owner's in it
    #[arg(long, value_name = "DIR")]
    keys: PathBuf,
    /// Folder with the folders device-ID [default: that of --keys]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    period: PeriodArguments,
    #[command(flatten)]
    passphrase: PassphraseSource,
}

/// The period that devices get keys of: the present one without arguments.
#[derive(Debug, Args)]
pub struct PeriodArguments {
    /// Begin the next period, as after 64 refusals. Give all devices its keys: sums are of frames of one period
    #[arg(long)]
    next_period: bool,
    /// Begin the next period with secrets that follow from no earlier ones, when a device was captured. Give all other devices
    /// its keys
    #[arg(long)]
    new_group: bool,
}

impl PeriodArguments {
    /// The choice.
    pub fn choice(&self) -> TagPeriodChoice {
        TagPeriodChoice::new(self.next_period, self.new_group)
    }
}

impl TagKey {
    /// Writes `linear.key` into the folder of each device.
    pub fn run(&self) -> Result<Output> {
        let owner = Owner::open(&self.keys.join("owner"), || self.passphrase.existing())?;
        let devices = numbers(&self.devices)?;
        let out = self.out.as_ref().unwrap_or(&self.keys);
        let choice = self.period.choice();
        let TagPeriod { group, period } = owner.give_tag_keys(out, &devices, choice)?;
        let count = devices.len();
        let text =
            format!("keys of linear tags, group {group}, period {period}, for {count} device(s)\n");
        Output::new(
            text,
            &json!({"group": group, "period": period, "devices": devices}),
        )
    }
}
