//! The command `isopod`.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(isopod_cli::run(std::env::args_os()))
}
