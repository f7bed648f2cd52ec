//! The command `isopod-server sql`: a query on the tables of a data folder, beside a running server or without one.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{ensure, Result};
use clap::Parser;
use isopod_store::{Options, StoreError};
use isopod_table::{Limits, Session, Table};
use isopod_workflow::{LargeRing, Server};

use super::answer::TABLE;
use crate::tables::{folder, open, Root};

/// Answers a query on the table `frames`: values in the clear go to standard output as CSV, sealed ones are files.
///
/// Without a running server it first brings the table up to date. Beside one it sees the frames that the server has brought
/// there, as `--table-seconds` of the server says.
#[derive(Debug, Parser)]
#[command(name = "isopod-server sql", version)]
struct Arguments {
    /// The server's data folder
    #[arg(long, value_name = "DIR", default_value = "data")]
    data: PathBuf,
    /// The server's folder of the key pair
    #[arg(long, value_name = "DIR", default_value = "keys/server")]
    keys: PathBuf,
    /// New folder for sealed results, one file each, which `isopod decrypt` opens
    #[arg(long, value_name = "DIR", default_value = "answers")]
    out: PathBuf,
    /// Megabytes of groups in memory, before they are spilled to disk
    #[arg(long, value_name = "NUMBER", default_value_t = 128, value_parser = clap::value_parser!(u32).range(16..=65_536))]
    memory_mb: u32,
    #[command(flatten)]
    large_ring: LargeRing,
    /// SQL with he_sum, he_mean, he_column_sum, he_column_mean, he_weighted_sum, he_dot and he_count; with --deep-keys also
    /// with he_count_above, he_alarms_above, he_histogram, he_variance and others: docs/guides/tables.md
    query: String,
}

/// Runs the command; its exit status.
pub fn run() -> ExitCode {
    let arguments = Arguments::parse_from(std::env::args().skip(1));
    match answer(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(isopod_table::exit_code(&error))
        }
    }
}

fn answer(arguments: &Arguments) -> Result<()> {
    let server = Arc::new(arguments.large_ring.open(&arguments.keys)?);
    catch_up(&arguments.data, &server)?;
    let table = Table::open(&folder(&arguments.data, &server.key_id()))?;
    let limits = Limits {
        memory: (arguments.memory_mb as usize) << 20,
        ..Limits::default()
    };
    let session = Session::new(server, limits)?;
    session.table(TABLE, &table)?;
    let (rows, notes) = (std::io::stdout().lock(), std::io::stderr());
    session.to_files(&arguments.query, &arguments.out, rows, notes)?;
    Ok(())
}

/// Brings the table up to date, unless a server works on the folder.
fn catch_up(data: &std::path::Path, server: &Arc<Server>) -> Result<()> {
    let log = data.join("log");
    ensure!(
        log.is_dir(),
        "--data {}: has no log; allowed is the data folder of a server",
        data.display()
    );
    match open(data, &Root::of_data(data), [server], Options::default()) {
        Ok((log, tables, _)) => {
            tables.compact(&log)?;
            tables.check_damage(&log, &server.key_id())
        }
        Err(error) => match error.downcast_ref() {
            Some(StoreError::Locked(_)) => {
                eprintln!(
                    "a server works on this folder: over frames that are in its table by now"
                );
                Ok(())
            }
            _ => Err(error),
        },
    }
}
