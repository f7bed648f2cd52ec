//! The command `isopod-table`: tables of frames, and SQL on them, with the server's folder and no key that reads.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Result;
use clap::{Args, Parser, Subcommand};
use isopod_table::{Error, Frames, Limits, Session, Stored, Table};
use isopod_workflow::{LargeRing, Server};

/// Frames in tables, and encrypted aggregates over them in SQL
#[derive(Parser)]
#[command(version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Append the frames of files to a table, all or none; a new folder becomes a table
    Append {
        #[command(flatten)]
        place: Place,
        /// Files of parts, each frame in one file
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
    /// Answer a query on the table `frames`; values in the clear go to standard output as CSV
    Sql {
        #[command(flatten)]
        place: Place,
        /// New folder for sealed results, one file each, which `isopod decrypt` opens
        #[arg(long)]
        out: PathBuf,
        /// Memory of groups in megabytes, before they are spilled to disk
        #[arg(long, default_value_t = 128, value_parser = clap::value_parser!(u32).range(16..))]
        memory: u32,
        #[command(flatten)]
        large_ring: LargeRing,
        /// SQL with he_sum, he_mean, he_column_sum, he_column_mean, he_weighted_sum, he_dot and he_count; with --deep-keys also
        /// with he_count_above, he_alarms_above, he_histogram, he_variance and others: docs/guides/tables.md
        query: String,
    },
}

#[derive(Args)]
struct Place {
    /// The server's folder of keys
    #[arg(long)]
    keys: PathBuf,
    /// Folder of the table
    #[arg(long)]
    table: PathBuf,
}

fn main() -> ExitCode {
    match run(Arguments::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(isopod_table::exit_code(&error))
        }
    }
}

fn run(command: Command) -> Result<()> {
    match command {
        Command::Append { place, files } => append(&place, &files),
        Command::Sql {
            place,
            out,
            memory,
            large_ring,
            query,
        } => {
            let server = large_ring.open(&place.keys)?;
            sql((server, &place.table), &out, memory, &query)
        }
    }
}

fn append(place: &Place, files: &[PathBuf]) -> Result<()> {
    let server = Server::open(&place.keys)?;
    let table = Table::open_or_create(&place.table)?;
    let since = SystemTime::now().duration_since(UNIX_EPOCH)?;
    let frames = files
        .iter()
        .flat_map(|path| frames(&server, path, since.as_micros() as i64));
    let appended = table.append(&server, frames, None)?;
    eprintln!(
        "{} frames; version {} of {}",
        appended.rows,
        appended.version,
        place.table.display()
    );
    Ok(())
}

/// The frames of a file, or the error that it cannot be opened.
fn frames<'s>(
    server: &'s Server,
    path: &Path,
    time: i64,
) -> Box<dyn Iterator<Item = isopod_table::Result<Stored>> + 's> {
    match File::open(path) {
        Ok(file) => Box::new(Frames::new(server, file, time)),
        Err(source) => {
            let path = path.to_owned();
            Box::new(std::iter::once(Err(Error::File { path, source })))
        }
    }
}

fn sql((server, table): (Server, &Path), out: &Path, memory: u32, query: &str) -> Result<()> {
    let limits = Limits {
        memory: (memory as usize) << 20,
        ..Limits::default()
    };
    let session = Session::new(Arc::new(server), limits)?;
    session.table("frames", &Table::open(table)?)?;
    session.to_files(query, out, io::stdout().lock(), io::stderr())?;
    Ok(())
}
