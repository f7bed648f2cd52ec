//! The program `isopod-server`.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    isopod_server::run()
}
