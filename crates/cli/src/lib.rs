//! The command `isopod`: parses arguments, calls `isopod-workflow`, prints. A library, so that the Python package holds it too.
#![forbid(unsafe_code)]

mod arguments;
mod commands;
mod input;
mod inspect;
mod keys;
mod output;

use std::ffi::OsString;

use clap::Parser;

use arguments::Arguments;

pub use commands::owner::share::anchors;

/// Runs a command line, whose first argument is the program's name, and gives its exit code. Call it once: it takes over signals.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    isopod_keys::forbid_core_dumps();
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) => return output::failure::wrong_command_line(&error),
    };
    let done = output::unfinished::remove_on_signals()
        .map_err(Into::into)
        .and_then(|()| arguments.command.run())
        .and_then(|output| output.print(arguments.json));
    match done {
        Ok(()) => 0,
        Err(error) => output::failure::report(&error, arguments.json),
    }
}
