//! Keys of a large ring, and the program that bootstraps with them, from the command line.

use std::num::NonZero;
use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use isopod_workflow::{Backend, BackendOptions, Error};

/// The program that bootstraps merged frames.
const PROGRAM: &str = "isopod-deep";
const MEBIBYTE: u64 = 1 << 20;

/// Keys and program with which a server bootstraps.
#[derive(Debug, Default, Args)]
pub struct LargeRing {
    /// Keys of a large ring, of `isopod server-keys --size`, for jobs on merged frames of the set that they are for
    #[arg(long, value_name = "DIR")]
    pub deep_keys: Option<PathBuf>,
    /// Most memory of the program that bootstraps, in MiB [default: what the size needs]
    #[arg(long, value_name = "NUMBER", requires = "deep_keys", value_parser = clap::value_parser!(u32).range(1..))]
    pub deep_memory: Option<u32>,
    /// Folder of the programs that `make deep` builds [default: that of this program]
    #[arg(long, value_name = "DIR", requires = "deep_keys")]
    pub programs: Option<PathBuf>,
}

impl LargeRing {
    /// The program with its keys, not started yet; None without keys.
    pub fn backend(&self, threads: Option<NonZero<usize>>) -> Result<Option<Backend>> {
        let Some(keys) = &self.deep_keys else {
            return Ok(None);
        };
        let cores = std::thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN);
        let options = BackendOptions::of_keys(
            program(self.programs.as_deref(), PROGRAM)?,
            keys,
            self.deep_memory.map(|number| u64::from(number) * MEBIBYTE),
            threads.unwrap_or(cores).get(),
        );
        Ok(Some(Backend::new(options.map_err(Error::from)?)))
    }
}

/// A program that `make deep` builds, in a folder or beside this program.
pub fn program(folder: Option<&Path>, name: &str) -> std::io::Result<PathBuf> {
    match folder {
        Some(folder) => Ok(folder.join(name)),
        None => Ok(std::env::current_exe()?.with_file_name(name)),
    }
}
