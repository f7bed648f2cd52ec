//! The command `isopod`: parses arguments, calls `isopod-workflow`, prints.
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

use std::process::ExitCode;

use clap::Parser;

use arguments::Arguments;

fn main() -> ExitCode {
    isopod_keys::forbid_core_dumps();
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return failure::wrong_command_line(&error),
    };
    let done = unfinished::remove_on_signals()
        .map_err(Into::into)
        .and_then(|()| arguments.command.run())
        .and_then(|output| output.print(arguments.json));
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failure::report(&error, arguments.json),
    }
}
