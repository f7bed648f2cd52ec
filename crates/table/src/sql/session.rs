//! Sessions: tables by name, queries, and rows of values in the clear beside sealed answers.

use std::num::NonZero;
use std::path::PathBuf;
use std::sync::mpsc::{sync_channel, Receiver, RecvTimeoutError, SyncSender};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use datafusion::arrow::util::display::{ArrayFormatter, FormatOptions};
use datafusion::catalog::TableProvider;
use datafusion::datasource::empty::EmptyTable;
use datafusion::error::DataFusionError;
use datafusion::execution::context::SQLOptions;
use datafusion::execution::disk_manager::{DiskManagerBuilder, DiskManagerMode};
use datafusion::execution::memory_pool::FairSpillPool;
use datafusion::execution::object_store::ObjectStoreUrl;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::prelude::{ParquetReadOptions, SessionConfig, SessionContext};
use futures::future::{abortable, AbortHandle};
use futures::StreamExt;
use isopod_wire::AnySet;
use isopod_workflow::{Aggregation, Answer, Server};
use tokio::runtime::Runtime;

use super::disk_store::{self, DiskStore};
use super::folding::binary;
use super::functions;
use super::shared::{HeAggregate, Shared};
use crate::rows::columns;
use crate::{Error, Result, Table};

/// Rows of a batch, at most: some megabytes of ciphertexts.
const BATCH_ROWS: usize = 64;
/// Batches of sums that the memory of groups holds. A sort holds two and what it makes of them, and a merge two runs, in the
/// share of the memory that each operator of a query has.
const BATCHES: usize = 32;
/// Threads that read row groups.
const READERS: usize = 2;

/// Resources of a session.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Bytes of groups in memory; beyond them groups are spilled. A batch and a row group come on top.
    pub memory: usize,
    /// Threads that authenticate and add frames.
    pub threads: NonZero<usize>,
    /// Folder of spilled groups; the system's for temporary files if None.
    pub spill: Option<PathBuf>,
    /// Bytes of spilled groups; beyond them a query is refused.
    pub spill_bytes: u64,
    /// Rows of an answer; beyond them a query is refused.
    pub rows: u64,
    /// Time of a query; beyond it the query is refused.
    pub time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            memory: 128 << 20,
            threads: std::thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN),
            spill: None,
            spill_bytes: 16 << 30,
            rows: 100_000,
            time: Duration::from_secs(24 * 3600),
        }
    }
}

/// Value of a column in a row of an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// A value in the clear, of what devices and server say openly.
    Clear(serde_json::Value),
    /// The sealed result of an encrypted aggregate, an answer by itself.
    Sealed(Box<Answer>),
    /// Other bytes, such as a frame.
    Bytes(Vec<u8>),
}

/// A row of an answer.
pub type Row = Vec<Cell>;

/// Bytes of a group of packets of pads, about: its sums, and runs of a hundred devices.
const SUM_OF_PADS: usize = 8 << 10;

/// Queries of one server.
pub struct Session {
    context: SessionContext,
    shared: Arc<Shared>,
    runtime: Arc<Runtime>,
    rows: u64,
    time: Duration,
}

impl Session {
    /// A session without tables.
    ///
    /// # Errors
    /// [`Error::Query`] for limits that cannot be kept, and for keys of TFHE.
    pub fn new(server: Arc<Server>, limits: Limits) -> Result<Self> {
        let set = server.set();
        let sum = match set {
            // Two polynomials of eight bytes a residue.
            AnySet::Rns(set) => 16 * set.ring_degree * set.data_primes.len(),
            AnySet::Pads => SUM_OF_PADS,
            AnySet::Tfhe(_) => {
                let allowed = "allowed are sets that begin with ckks- or bfv-, and pads";
                return Err(Error::Query(format!("set: {}; {allowed}", set.name())));
            }
        };
        let shared = Arc::new(Shared::new(server, limits.threads));
        let context = context(&limits, sum).map_err(refused)?;
        for function in functions::all(&shared, set.is_exact()) {
            context.register_udaf(function);
        }
        // A query runs in one thread: what it takes of its memory, and whether that is enough, is the same each time.
        let runtime = tokio::runtime::Builder::new_current_thread()
            .max_blocking_threads(READERS)
            .build()
            .map_err(|error| Error::Query(format!("threads: {error}")))?;
        Ok(Self {
            context,
            shared,
            runtime: Arc::new(runtime),
            rows: limits.rows,
            time: limits.time,
        })
    }

    /// Names a table as it is now. Each of its files is verified before it is used first.
    ///
    /// # Errors
    /// [`Error::Damaged`], [`Error::File`], [`Error::Log`], [`Error::Query`].
    pub fn table(&self, name: &str, table: &Table) -> Result<()> {
        let at = match table.disk.is_local() {
            true => "",
            false => disk_store::URL,
        };
        let files = table.verified_snapshot()?.files;
        let files = files.iter().map(|path| format!("{at}{}", path.display()));
        let files: Vec<String> = files.collect();
        if let Ok(url) = ObjectStoreUrl::parse(at) {
            let store = Arc::new(DiskStore(table.disk.clone()));
            self.context.register_object_store(url.as_ref(), store);
        }
        let schema = viewed();
        let provider: Arc<dyn TableProvider> = match files.is_empty() {
            true => Arc::new(EmptyTable::new(schema)),
            false => {
                let options = ParquetReadOptions::default().schema(&schema);
                let read = self.context.read_parquet(files, options);
                self.runtime.block_on(read).map_err(refused)?.into_view()
            }
        };
        let registered = self.context.register_table(name, provider);
        registered.map(drop).map_err(refused)
    }

    /// Answers a query, which reads and changes nothing, row by row with the names of the columns. Encrypted aggregates
    /// are sealed for the owner batch by batch, after their frames were entered into the server's memory. Memory is bounded by
    /// the limits. Blocks: not for a thread of an asynchronous runtime.
    ///
    /// # Errors
    /// [`Error::Workflow`] for frames that are not added up together, by name, and for answers that do not fit; [`Error::Query`]
    /// for SQL that is refused and limits that are reached; those of `each`. Rows that were given before stay right.
    pub fn query(
        &self,
        sql: &str,
        mut each: impl FnMut(&[String], Row) -> Result<()>,
    ) -> Result<Vec<String>> {
        let answered = self.answer(sql, &mut each);
        match self.shared.failure() {
            Some(error) if answered.is_err() => Err(error.into()),
            _ => answered,
        }
    }

    fn answer(
        &self,
        sql: &str,
        each: &mut impl FnMut(&[String], Row) -> Result<()>,
    ) -> Result<Vec<String>> {
        let deadline = Instant::now() + self.time;
        let (sender, batches) = sync_channel(1);
        let _running = self.start(sql, sender)?;
        let (mut names, mut rows) = (Vec::new(), 0);
        while let Some(batch) = self.next(&batches, deadline)? {
            rows += batch.num_rows() as u64;
            if rows > self.rows {
                let problem = format!(
                    "more than {} rows; allowed are fewer groups, or LIMIT",
                    self.rows
                );
                return Err(Error::Query(problem));
            }
            let schema = batch.schema();
            names = schema
                .fields()
                .iter()
                .map(|field| field.name().clone())
                .collect();
            for row in self.cells(&batch, deadline)? {
                each(&names, row)?;
            }
        }
        match names.is_empty() {
            true => Err(Error::Query("it ended without an answer".to_owned())),
            false => Ok(names),
        }
    }

    /// Starts a query in a thread of its own: operators that do not yield hold up that thread, and not this one.
    fn start(&self, sql: &str, batches: SyncSender<Batch>) -> Result<Running> {
        let running = run(self.context.clone(), sql.to_owned(), batches);
        let (running, handle) = abortable(running);
        let runtime = self.runtime.clone();
        let started = thread::Builder::new().spawn(move || runtime.block_on(running));
        match started {
            Ok(_) => Ok(Running(handle)),
            Err(error) => Err(Error::Query(format!("threads: {error}"))),
        }
    }

    /// The next batch; none at the end.
    fn next(&self, batches: &Receiver<Batch>, deadline: Instant) -> Result<Option<RecordBatch>> {
        let left = deadline.saturating_duration_since(Instant::now());
        match batches.recv_timeout(left) {
            Ok(batch) => batch.map(Some).map_err(refused),
            Err(RecvTimeoutError::Timeout) => Err(self.late()),
            Err(RecvTimeoutError::Disconnected) => Ok(None),
        }
    }

    fn late(&self) -> Error {
        let seconds = self.time.as_secs();
        Error::Query(format!(
            "longer than {seconds} seconds; allowed are fewer frames, by a WHERE, or a higher limit"
        ))
    }

    /// The rows of a batch.
    fn cells(&self, batch: &RecordBatch, deadline: Instant) -> Result<Vec<Row>> {
        let mut rows: Vec<Row> = vec![Row::new(); batch.num_rows()];
        for column in batch.columns() {
            let cells = match column.data_type() {
                DataType::Binary | DataType::LargeBinary | DataType::BinaryView => {
                    self.answers(column, deadline)?
                }
                _ => clear(column)?,
            };
            for (row, cell) in rows.iter_mut().zip(cells) {
                row.push(cell);
            }
        }
        Ok(rows)
    }

    /// Bytes of a column; states that an aggregate made here become answers.
    fn answers(&self, column: &ArrayRef, deadline: Instant) -> Result<Vec<Cell>> {
        let mut cells = Vec::with_capacity(column.len());
        let (mut places, mut states) = (Vec::new(), Vec::new());
        let mut aggregate = None;
        for row in 0..column.len() {
            if column.is_null(row) {
                cells.push(Cell::Clear(serde_json::Value::Null));
                continue;
            }
            let bytes = binary(column, row).map_err(refused)?;
            if Aggregation::is_state(bytes) {
                if aggregate.is_none() {
                    aggregate = self.shared.of_state(bytes)?;
                }
                places.push(row);
                states.push(bytes);
            }
            cells.push(Cell::Bytes(bytes.to_vec()));
        }
        if let Some(aggregate) = aggregate {
            let answers = self.answers_of(&aggregate, &states, deadline)?;
            for (row, answer) in places.into_iter().zip(answers) {
                cells[row] = Cell::Sealed(Box::new(answer));
            }
        }
        Ok(cells)
    }

    /// The answers to states of one aggregate. Those of merged frames are computed one after the other, if there is time left.
    fn answers_of(
        &self,
        aggregate: &HeAggregate,
        states: &[&[u8]],
        deadline: Instant,
    ) -> Result<Vec<Answer>> {
        let aggregation = &aggregate.aggregation;
        let explain = |error| aggregate.explain(error);
        aggregation.check_answers(states).map_err(explain)?;
        let at_once = match aggregation.is_merged() {
            true => 1,
            false => states.len().max(1),
        };
        let mut answers = Vec::with_capacity(states.len());
        for states in states.chunks(at_once) {
            if aggregation.is_merged() && Instant::now() >= deadline {
                return Err(self.late());
            }
            let few = aggregation.answers(states.iter().copied());
            answers.extend(few.map_err(explain)?);
        }
        Ok(answers)
    }
}

/// A query that ends with this, at its next yield.
struct Running(AbortHandle);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// DataFusion within these limits, for sums of so many bytes.
///
/// Everything is one partition. With several, operators of each would share the memory, and whether the last batch fits would
/// depend on which of them came first.
fn context(limits: &Limits, sum: usize) -> std::result::Result<SessionContext, DataFusionError> {
    let disk = DiskManagerBuilder::default().with_max_temp_directory_size(limits.spill_bytes);
    let disk = match &limits.spill {
        Some(folder) => disk.with_mode(DiskManagerMode::Directories(vec![folder.clone()])),
        None => disk,
    };
    let environment = RuntimeEnvBuilder::new()
        .with_memory_pool(Arc::new(FairSpillPool::new(limits.memory)))
        .with_disk_manager_builder(disk)
        .build_arc()?;
    let rows = (limits.memory / BATCHES / sum).clamp(1, BATCH_ROWS);
    let mut config = SessionConfig::new()
        .with_batch_size(rows)
        .with_target_partitions(1);
    let execution = &mut config.options_mut().execution;
    // A sort sets aside what merging needs; the default is more than small limits have.
    let most = limits.memory / 8;
    execution.sort_spill_reservation_bytes = execution.sort_spill_reservation_bytes.min(most);
    // Pages of frames that a condition leaves out are not read.
    execution.parquet.pushdown_filters = true;
    Ok(SessionContext::new_with_config_rt(config, environment))
}

/// Runs a query, and hands on an empty batch of its columns, its batches, and its error.
type Batch = std::result::Result<RecordBatch, DataFusionError>;

async fn run(context: SessionContext, sql: String, batches: SyncSender<Batch>) {
    let options = SQLOptions::new()
        .with_allow_ddl(false)
        .with_allow_dml(false)
        .with_allow_statements(false);
    let streaming = async {
        let planned = context.sql_with_options(&sql, options).await?;
        planned.execute_stream().await
    };
    match streaming.await {
        Err(error) => drop(batches.send(Err(error))),
        Ok(mut stream) => {
            let mut batch = Some(Ok(RecordBatch::new_empty(stream.schema())));
            while let Some(next) = batch {
                if batches.send(next).is_err() {
                    return;
                }
                batch = stream.next().await;
            }
        }
    }
}

/// Columns of a table as a scan gives them: texts and frames where they lie, without a copy.
fn viewed() -> SchemaRef {
    let columns = columns();
    let fields = columns.fields().iter().map(|field| {
        let of = match field.data_type() {
            DataType::Binary => DataType::BinaryView,
            DataType::Utf8 => DataType::Utf8View,
            other => other.clone(),
        };
        Field::new(field.name(), of, field.is_nullable())
    });
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
}

/// Values in the clear.
fn clear(column: &ArrayRef) -> Result<Vec<Cell>> {
    let options = FormatOptions::default();
    let texts = ArrayFormatter::try_new(column, &options)?;
    let value = |row: usize| {
        Cell::Clear(match column.data_type() {
            _ if column.is_null(row) => serde_json::Value::Null,
            DataType::Int64 => column.as_primitive::<Int64Type>().value(row).into(),
            DataType::Float64 => column.as_primitive::<Float64Type>().value(row).into(),
            DataType::Boolean => column.as_boolean().value(row).into(),
            _ => texts.value(row).to_string().into(),
        })
    };
    Ok((0..column.len()).map(value).collect())
}

fn refused(error: DataFusionError) -> Error {
    Error::Query(error.strip_backtrace())
}
