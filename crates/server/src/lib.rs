#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod admit;
mod arguments;
mod clock;
mod evaluate;
mod http;
mod jobs;
mod metrics;
mod mqtt;
mod pairs;
mod problem;
mod router;
mod service;
mod sql;
mod tables;
mod upload;

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::Parser;
use rustix::process::{getrlimit, setrlimit, Resource};
use tokio::net::TcpListener;
use tokio::signal::unix::{signal, SignalKind};
use tokio::sync::watch;
use tracing_subscriber::EnvFilter;

use crate::admit::access::Access;
use crate::arguments::{Arguments, LogForm};
use crate::http::listener::Listener;
use crate::pairs::Pairs;
use crate::service::Service;

/// The program: serves as the command line says, until a signal, or answers the query of `sql`; its exit status.
pub fn run() -> ExitCode {
    isopod_keys::forbid_core_dumps();
    if std::env::args()
        .nth(1)
        .is_some_and(|first| first == sql::COMMAND)
    {
        return sql::run();
    }
    let arguments = Arguments::parse();
    log_to_standard_error(arguments.log);
    raise_open_files();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build();
    let served = runtime.context("runtime").and_then(|runtime| {
        let served = runtime.block_on(serve(arguments));
        runtime.shutdown_timeout(Duration::from_secs(1));
        served
    });
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::error!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

fn log_to_standard_error(form: LogForm) {
    let filter = EnvFilter::try_from_env("ISOPOD_LOG").unwrap_or_else(|_| EnvFilter::new("info"));
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr);
    match form {
        LogForm::Json => log.json().flatten_event(true).with_target(false).init(),
        LogForm::Text => log.with_target(false).init(),
    }
}

/// Lets the process open as many files as it may: each connection is one.
fn raise_open_files() {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    if let Err(error) = setrlimit(Resource::Nofile, limit) {
        tracing::warn!("open files: {error}");
    }
}

/// Opens keys and port; no request comes before that.
async fn open(arguments: &Arguments) -> Result<Listener> {
    let pairs = Pairs::open(&arguments.keys)?;
    let first = arguments
        .keys
        .first()
        .context("--keys: missing; allowed is at least one folder")?;
    let tls = http::tls::acceptor(first)?;
    arguments.check_tls(tls.is_some())?;
    let access = Access::read(first, arguments.is_local())?;
    let bound = TcpListener::bind(arguments.listen).await;
    let listener = bound.with_context(|| format!("--listen {}", arguments.listen))?;
    let (data, limits) = (arguments.data.clone(), arguments.limits());
    let service = Arc::new(Service::new(data, pairs, access, limits)?);
    tracing::info!(address = %listener.local_addr()?, tls = tls.is_some(), "listening");
    Ok(Listener {
        listener,
        tls,
        router: router::router(service.clone()),
        service,
        connections: arguments.connections,
    })
}

/// Opens the log; requests are refused until it is recovered.
async fn recover(service: &Arc<Service>, arguments: &Arguments) -> Result<()> {
    let service = service.clone();
    let recovered = tokio::task::spawn_blocking(move || service.recover()).await?;
    let recovered = recovered.with_context(|| format!("--data {}", arguments.data.display()))?;
    if let Some((bytes, kept)) = recovered.torn_tail {
        tracing::warn!(bytes, kept = %kept.display(), "the log has a torn tail, which was not acknowledged");
    }
    tracing::info!(records = recovered.records, "ready");
    Ok(())
}

/// Serves until a signal, or until the log cannot be opened.
async fn serve(arguments: Arguments) -> Result<()> {
    let link = mqtt::Link::of(&arguments)?;
    let listener = open(&arguments).await?;
    let service = listener.service.clone();
    let (stop, stopped) = watch::channel(false);
    let serving = tokio::spawn(listener.serve(stopped.clone()));
    recover(&service, &arguments).await?;
    let work = tokio::spawn(work(service.clone(), arguments));
    let taking = link.map(|link| tokio::spawn(link.run(service.clone(), stopped)));
    signalled().await?;
    tracing::info!("stopping");
    service.stop();
    // Whether anybody listens or not: all who wait see a stop.
    let _ = stop.send(true);
    serving.await?;
    if let Some(taking) = taking {
        taking.await?;
    }
    // A job that takes longer is refused at the next start.
    let _ = tokio::time::timeout(Duration::from_secs(20), work).await;
    tracing::info!("stopped");
    Ok(())
}

/// Begins to work off jobs, and to keep log and tables.
async fn work(service: Arc<Service>, arguments: Arguments) {
    let upkeep = service.clone();
    let (seconds, days) = (arguments.table_seconds, arguments.retain_days);
    let upkeep = tokio::task::spawn_blocking(move || {
        if let Some(store) = upkeep.opened() {
            tables::work(&store.tables, &store.log, seconds, days);
        }
    });
    let jobs = tokio::task::spawn_blocking(move || evaluate::worker::work(&service));
    let _ = tokio::join!(upkeep, jobs);
}

/// Waits for a signal to stop.
async fn signalled() -> Result<()> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
    Ok(())
}
