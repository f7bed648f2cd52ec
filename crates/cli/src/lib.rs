//! The command `isopod`: parses arguments, calls `isopod-workflow`, prints. A library, so that the Python package holds it too.
#![forbid(unsafe_code)]

mod arguments;
mod certificates;
mod commands;
mod counts;
mod csv_rows;
mod describe;
mod device_numbers;
mod facts;
mod failure;
mod input;
mod jobs;
mod label;
mod new_file;
mod new_folder;
mod opened;
mod output;
mod passphrase;
mod progress;
mod quarantine;
mod row_ids;
mod separator;
mod set_choice;
mod shown;
mod sources;
mod table;
mod unfinished;
mod values;

use std::ffi::OsString;

use clap::Parser;

use arguments::Arguments;

/// Runs a command line, whose first argument is the program's name, and gives its exit code. Call it once: it takes over signals.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    isopod_keys::forbid_core_dumps();
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) => return failure::wrong_command_line(&error),
    };
    let done = unfinished::remove_on_signals()
        .map_err(Into::into)
        .and_then(|()| arguments.command.run())
        .and_then(|output| output.print(arguments.json));
    match done {
        Ok(()) => 0,
        Err(error) => failure::report(&error, arguments.json),
    }
}
