//! The command `isopod`: make keys, encrypt, inspect, evaluate, decrypt.
#![forbid(unsafe_code)]

mod answer;
mod arguments;
mod commands;
mod csv_rows;
mod decryption;
mod engine;
mod failure;
mod frames;
mod jobs;
mod label;
mod new_file;
mod packing;
mod passphrase;
mod progress;
mod secret;
mod table;
mod tfhe;
mod values;

use std::process::ExitCode;

use clap::Parser;

use arguments::Arguments;

fn main() -> ExitCode {
    isopod_keys::forbid_core_dumps();
    let arguments = Arguments::parse();
    let answered =
        commands::run(&arguments.command).and_then(|answer| answer.print(arguments.json));
    match answered {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failure::report(&error, arguments.json),
    }
}
