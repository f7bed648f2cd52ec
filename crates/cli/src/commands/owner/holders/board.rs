//! `isopod owner move`: a holder's share, from the folder to a board.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use isopod_workflow::MovingShare;
use serde_json::json;

use crate::commands::owner::share::anchors;
use crate::input::passphrase::PassphraseSource;
use crate::output::escaped;
use crate::output::new_file::{check_apart, NewFile};
use crate::output::report::Output;

const ALONE: &str = "Flash the file, then destroy it: whoever has it has your share. The move counts as one answer, so that \
older copies of the folder are refused.";

/// Arguments of `isopod owner move`.
#[derive(Debug, Args)]
#[command(after_help = ALONE)]
pub struct Move {
    /// Your folder
    #[arg(long, value_name = "DIR")]
    keys: PathBuf,
    /// File for the board's flash
    #[arg(long, value_name = "FILE")]
    to: PathBuf,
    #[command(flatten)]
    passphrase: PassphraseSource,
}

impl Move {
    /// Writes the file, and only then takes the share out of the folder.
    pub fn run(&self) -> Result<Output> {
        check_apart(&self.to, [self.keys.as_path()])?;
        let moving = MovingShare::open(&self.keys, || self.passphrase.existing())?;
        let file = moving.file()?;
        let anchors = anchors()?;
        NewFile::new(&self.to, None)?.publish_with(&file)?;
        let left = moving.finish(&anchors)?;
        let text = format!(
            "{}: {} bytes for the board's flash, secret; the folder has the share no longer\nanswers left: {left}\n",
            escaped::path(&self.to),
            file.len()
        );
        Output::new(
            text,
            &json!({"file": self.to, "bytes": file.len(), "left": left}),
        )
    }
}
