//! The command `isopod-table`: tables of frames, and SQL on them, with the server's folder and no key that reads.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result};
use clap::{Args, Parser, Subcommand};
use isopod_table::{Cell, Error, Frames, Limits, Session, Stored, Table};
use isopod_workflow::{Class, Server};

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
        /// SQL with he_sum, he_mean, he_weighted_sum, he_dot and he_count
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
            ExitCode::from(code(&error))
        }
    }
}

/// The exit code of an error: 1 for the system, 4 for tags, 5 for keys, 3 for all other input, as of `isopod`.
fn code(error: &anyhow::Error) -> u8 {
    let class = error
        .chain()
        .find_map(|error| match error.downcast_ref::<Error>() {
            Some(Error::File { .. }) => Some(Class::System),
            Some(Error::Workflow(error)) => Class::of(error),
            _ => Class::of(error),
        });
    match class {
        Some(Class::System) => 1,
        Some(Class::Authentication) => 4,
        Some(Class::Keys) => 5,
        _ => 3,
    }
}

fn run(command: Command) -> Result<()> {
    match command {
        Command::Append { place, files } => append(&place, &files),
        Command::Sql {
            place,
            out,
            memory,
            query,
        } => sql(&place, &out, memory, &query),
    }
}

fn append(place: &Place, files: &[PathBuf]) -> Result<()> {
    let server = Server::open(&place.keys)?;
    let is_new = !place.table.exists();
    let table = match is_new {
        true => Table::create(&place.table)?,
        false => Table::open(&place.table)?,
    };
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

fn sql(place: &Place, out: &Path, memory: u32, query: &str) -> Result<()> {
    let server = Arc::new(Server::open(&place.keys)?);
    let limits = Limits {
        memory: (memory as usize) << 20,
        ..Limits::default()
    };
    let session = Session::new(server, limits)?;
    session.table("frames", &Table::open(&place.table)?)?;
    fs::create_dir(out).with_context(|| out.display().to_string())?;
    let mut rows = csv::Writer::from_writer(io::stdout().lock());
    let mut number = 0;
    session.query(query, |names, row| {
        if number == 0 {
            rows.write_record(names).map_err(stopped)?;
        }
        let texts = names
            .iter()
            .zip(row)
            .map(|(name, cell)| text(out, (number, name), cell));
        let texts: Vec<String> = texts.collect::<isopod_table::Result<_>>()?;
        rows.write_record(texts).map_err(stopped)?;
        number += 1;
        Ok(())
    })?;
    rows.flush()?;
    Ok(())
}

fn stopped(error: csv::Error) -> Error {
    Error::Query(format!("standard output: {error}"))
}

/// A cell as text; bytes go to a file of their own, whose path is the text.
fn text(out: &Path, (row, column): (u64, &str), cell: Cell) -> isopod_table::Result<String> {
    let bytes = match cell {
        Cell::Clear(serde_json::Value::Null) => return Ok(String::new()),
        Cell::Clear(serde_json::Value::String(text)) => return Ok(text),
        Cell::Clear(value) => return Ok(value.to_string()),
        Cell::Sealed(answer) => answer.items.concat(),
        Cell::Bytes(bytes) => bytes,
    };
    let kept = |letter: char| {
        if letter.is_ascii_alphanumeric() {
            letter
        } else {
            '_'
        }
    };
    let name: String = column.chars().map(kept).collect();
    let path = out.join(format!("{row}-{name}.bin"));
    let written = File::create_new(&path).and_then(|mut file| file.write_all(&bytes));
    match written {
        Ok(()) => Ok(path.display().to_string()),
        Err(source) => Err(Error::File { path, source }),
    }
}
