//! `isopod man`: the argument definitions as manual pages, one for the program and one for each command.

use std::path::PathBuf;

use anyhow::Result;
use clap::{Args, Command};
use clap_mangen::Man;
use serde::Serialize;

use crate::output::escaped;
use crate::output::new_folder::new_folder;
use crate::output::report::Output;

const USE: &str = "Read one with: man -l DIR/isopod-keygen.1";

/// Arguments of `isopod man`.
#[derive(Debug, Args)]
#[command(after_help = USE)]
pub struct ManPages {
    /// Folder to make, with isopod.1 and isopod-COMMAND.1
    #[arg(value_name = "DIR")]
    out: PathBuf,
}

#[derive(Serialize)]
struct Facts {
    folder: PathBuf,
    pages: Vec<String>,
}

impl ManPages {
    /// Writes the folder for the program, whole or not at all.
    pub fn run(&self, mut program: Command) -> Result<Output> {
        let (_unfinished, new) = new_folder(&self.out)?;
        program.build();
        let mut pages = Vec::new();
        for command in commands(program) {
            let name = command.get_display_name().unwrap_or(command.get_name());
            let (file, mut page) = (format!("{name}.1"), Vec::new());
            Man::new(command).render(&mut page)?;
            new.write(&file, &page)?;
            pages.push(file);
        }
        new.publish()?;
        let text = format!("{}: {} pages\n", escaped::path(&self.out), pages.len());
        let folder = self.out.clone();
        Output::new(text, &Facts { folder, pages })
    }
}

/// A command and all below it.
fn commands(command: Command) -> Vec<Command> {
    let below = command.get_subcommands();
    let below = below.filter(|below| below.get_name() != "help").cloned();
    let below: Vec<Command> = below.flat_map(commands).collect();
    [vec![command], below].concat()
}
