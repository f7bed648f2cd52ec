//! `isopod device tag-key`: keys of linear tags for devices, so that their sums can be verified.

use std::path::PathBuf;

use anyhow::{ensure, Context, Result};
use clap::Args;
use isopod_keys::{DeviceKeys, LinearAccount};
use isopod_workflow::Owner;
use serde_json::json;

use crate::input::device_numbers::{device_numbers, numbers};
use crate::input::passphrase::PassphraseSource;
use crate::output::escaped;
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
    /// Begin the next period, as after 64 refusals. Give all devices its keys: sums are of frames of one period
    #[arg(long)]
    next_period: bool,
    /// Begin the next period with secrets that follow from no earlier ones, when a device was captured. Give all other devices
    /// its keys
    #[arg(long)]
    new_group: bool,
    #[command(flatten)]
    passphrase: PassphraseSource,
}

impl TagKey {
    /// Writes `linear.key` into the folder of each device.
    pub fn run(&self) -> Result<Output> {
        let folder = self.keys.join("owner");
        let owner = Owner::open(&folder, || self.passphrase.existing())?;
        let key_id = owner.keys().key_id();
        let master = owner.keys().linear_master();
        let master = master.context("keys: a set without linear tags; allowed are sets of BFV")?;
        let devices = numbers(&self.devices)?;
        let out = self.out.as_ref().unwrap_or(&self.keys);
        for device in &devices {
            let folder = out.join(format!("device-{device}"));
            let found = DeviceKeys::open(&folder)?;
            ensure!(
                (found.key_id(), found.device()) == (key_id, *device),
                "{}: the folder of another device",
                escaped::path(&folder)
            );
        }
        let mut account = LinearAccount::open(&folder, key_id)?;
        if self.next_period || self.new_group {
            account.advance(self.new_group)?;
        }
        let period = account.period();
        let group = account.group(period);
        for device in &devices {
            let secrets = master.secrets(group, *device, period);
            secrets.save(&out.join(format!("device-{device}")), key_id, *device)?;
        }
        let count = devices.len();
        let text =
            format!("keys of linear tags, group {group}, period {period}, for {count} device(s)\n");
        Output::new(
            text,
            &json!({"group": group, "period": period, "devices": devices}),
        )
    }
}
