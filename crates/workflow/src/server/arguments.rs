//! Keys of a large ring, and the program that bootstraps merged frames with them, as programs of a server take them.

use std::num::NonZero;
use std::path::{Path, PathBuf};

use clap::Args;
use isopod_lattigo::{Backend, Options};

use crate::{Error, Result, Server};

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
    /// The program with its keys, not started yet; None without keys.
    ///
    /// # Errors
    /// [`Error::At`] for keys that are missing, or of a size that this build does not have.
    pub fn backend(&self) -> Result<Option<Backend>> {
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
        let options = Options::of_keys(program, keys, memory, self.deep_cores.get());
        let options = options.map_err(|error| {
            let place = format!("--deep-keys {}", keys.display());
            Error::from(error).at(place)
        });
        Ok(Some(Backend::new(options?)))
    }

    /// Gives the program to the one server of its set.
    ///
    /// # Errors
    /// Those of [`LargeRing::backend`]; [`Error::Parameter`] for no key pair of the set, or several, of which nobody knows whose
    /// the keys are.
    pub fn attach(&self, mut servers: Vec<Server>) -> Result<Vec<Server>> {
        let Some(backend) = self.backend()? else {
            return Ok(servers);
        };
        let set = backend.size().frames;
        let is_of_set = |server: &Server| server.set().name() == set;
        let found = servers.iter().filter(|server| is_of_set(server)).count();
        let Some(at) = servers.iter().position(is_of_set).filter(|_| found == 1) else {
            let problem = format!("{found} key pairs of set {set} among --keys; allowed is one");
            return Err(Error::parameter("--deep-keys", problem));
        };
        let server = servers.remove(at).with_backend(backend);
        servers.insert(at, server);
        Ok(servers)
    }

    /// Opens the folder of a key pair, whose server the program is for if there is one.
    ///
    /// # Errors
    /// Those of [`Server::open`] and [`LargeRing::attach`].
    pub fn open(&self, keys: &Path) -> Result<Server> {
        let mut servers = self.attach(vec![Server::open(keys)?])?;
        Ok(servers.remove(0))
    }
}
