#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod columns;
mod device;
mod error;
mod holder;
mod holder_change;
mod keys;
mod owner;
mod progress;
mod rows;
mod server;
mod sets;

use std::ffi::OsString;

use pyo3::prelude::*;

/// The compiled part of the package; `python/isopod` gives it names, types and defaults.
#[pymodule]
mod _isopod {
    #[pymodule_export]
    use super::columns::{column_names, description_fields, description_file, jobs, summary};
    #[pymodule_export]
    use super::device::Device;
    #[pymodule_export]
    use super::holder::{begin_ceremony, finish, holder_tag_keys, join, write_devices, Asked};
    #[pymodule_export]
    use super::holder_change::{end, noted, refresh, replace, take_over};
    #[pymodule_export]
    use super::keys::keygen;
    #[pymodule_export]
    use super::owner::{Opened, Owner};
    #[pymodule_export]
    use super::run_command;
    #[pymodule_export]
    use super::server::{Rejected, Server};
    #[pymodule_export]
    use super::sets::sets;
    #[pymodule_export]
    use super::version;
}

/// Runs the command line and gives its exit code.
#[pyfunction]
fn run_command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| isopod_cli::run(arguments))
}

/// Version of the package.
#[pyfunction]
fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}
