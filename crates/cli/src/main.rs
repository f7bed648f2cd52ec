//! The command `isopod`: make keys, encrypt, inspect, evaluate, decrypt.
#![forbid(unsafe_code)]

mod answer;
mod arguments;
mod commands;
mod failure;
mod new_file;
mod passphrase;
mod progress;
mod table;

use std::process::ExitCode;

use clap::Parser;

use arguments::Arguments;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let answered =
        commands::run(&arguments.command).and_then(|answer| answer.print(arguments.json));
    match answered {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failure::report(&error, arguments.json),
    }
}
