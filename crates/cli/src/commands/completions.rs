//! `isopod completions`: the argument definitions as a script that completes them in a shell.

use anyhow::Result;
use clap::{Args, Command};
use clap_complete::Shell;
use serde_json::json;

use crate::output::report::Output;

const USE: &str = "Where a shell looks for it:
  bash  isopod completions bash > ~/.local/share/bash-completion/completions/isopod
  zsh   isopod completions zsh  > a folder of $fpath, as _isopod
  fish  isopod completions fish > ~/.config/fish/completions/isopod.fish";

/// Arguments of `isopod completions`.
#[derive(Debug, Args)]
#[command(after_help = USE)]
pub struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    /// Prints the script for the program that `command` defines.
    pub fn run(&self, mut command: Command) -> Result<Output> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut command, "isopod", &mut script);
        let script = String::from_utf8(script)?;
        let facts = json!({"shell": self.shell.to_string(), "script": script});
        Output::new(script, &facts)
    }
}
