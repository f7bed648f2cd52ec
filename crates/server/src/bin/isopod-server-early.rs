//! The control of the tests: the same server, which acknowledges before anything is written.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    isopod_store::early::begin();
    isopod_server::run()
}
