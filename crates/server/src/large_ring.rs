//! Keys of a large ring, and the program that bootstraps merged frames with them, for one key pair of the server.

use std::num::NonZero;
use std::path::PathBuf;

use anyhow::{bail, Context, Result};
use clap::Args;
use isopod_workflow::{Backend, BackendOptions, Server};

/// The program that bootstraps merged frames.
const PROGRAM: &str = "isopod-deep";
const MEGABYTE: u64 = 1 << 20;

/// Keys, program and bounds of jobs on merged frames.
#[derive(Debug, Args)]
pub struct LargeRing {
    /// Keys of a large ring, of `isopod server-keys --size`, for jobs on merged frames of the one key pair of their set
    #[arg(long, value_name = "DIR")]
    pub deep_keys: Option<PathBuf>,
    /// Megabytes of the program that bootstraps [default: what the size of the keys needs]
    #[arg(long, value_name = "NUMBER", requires = "deep_keys", value_parser = clap::value_parser!(u32).range(1..=1_048_576))]
    pub deep_memory_mb: Option<u32>,
    /// Processor cores of that program
    #[arg(
        long,
        value_name = "NUMBER",
        requires = "deep_keys",
        default_value = "1"
    )]
    pub deep_cores: NonZero<usize>,
    /// Folder of the programs that `make deep` builds [default: that of this program]
    #[arg(long, value_name = "DIR", requires = "deep_keys")]
    pub programs: Option<PathBuf>,
}

impl LargeRing {
    /// The program with its keys, not started yet, and the set of the frames that it takes; None without keys.
    ///
    /// # Errors
    /// Keys that are missing, or of a size that this build does not have.
    pub fn backend(&self) -> Result<Option<(Backend, &'static str)>> {
        let Some(keys) = &self.deep_keys else {
            return Ok(None);
        };
        let program = match &self.programs {
            Some(folder) => folder.join(PROGRAM),
            None => std::env::current_exe()?.with_file_name(PROGRAM),
        };
        let memory = self
            .deep_memory_mb
            .map(|number| u64::from(number) * MEGABYTE);
        let options = BackendOptions::of_keys(program, keys, memory, self.deep_cores.get());
        let options = options.with_context(|| format!("--deep-keys {}", keys.display()))?;
        let set = options.size.frames;
        Ok(Some((Backend::new(options), set)))
    }

    /// Gives the program to the one server of its set.
    ///
    /// # Errors
    /// Those of [`LargeRing::backend`]; no key pair of the set, or several, of which nobody knows whose the keys are.
    pub fn attach(&self, mut servers: Vec<Server>) -> Result<Vec<Server>> {
        let Some((backend, set)) = self.backend()? else {
            return Ok(servers);
        };
        let is_of_set = |server: &Server| server.set().name() == set;
        let found = servers.iter().filter(|server| is_of_set(server)).count();
        let Some(at) = servers.iter().position(is_of_set).filter(|_| found == 1) else {
            bail!("--deep-keys: {found} key pairs of set {set} among --keys; allowed is one");
        };
        let server = servers.remove(at).with_backend(backend);
        servers.insert(at, server);
        Ok(servers)
    }
}
