#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod admit;
mod arguments;
mod elsewhere;
mod ending;
mod evaluate;
mod health;
mod http;
mod jobs;
#[cfg(feature = "kafka")]
mod kafka;
mod limits;
mod mqtt;
mod pairs;
mod problem;
mod router;
mod service;
mod sql;
mod tables;
mod upkeep;
mod upload;

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::Parser;
use rustix::process::{getrlimit, setrlimit, Resource};
use tokio::net::TcpListener;
use tokio::sync::mpsc::{self, UnboundedSender};
use tokio::sync::watch;
use tokio::task::{spawn_blocking, JoinSet};
use tracing_subscriber::EnvFilter;

use crate::admit::access::Access;
use crate::admit::uplinks::Uplinks;
use crate::arguments::{Arguments, LogForm};
use crate::ending::{supervise, Ending, Signals};
use crate::http::listener::Listener;
use crate::pairs::Pairs;
use crate::service::Service;
use crate::upkeep::Plan;

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
        Ok(ending) => ending.status(),
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
    std::panic::set_hook(Box::new(|fault| tracing::error!("{fault}")));
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
    let pairs = Pairs::open(&arguments.keys, &arguments.large_ring)?;
    let first = arguments
        .keys
        .first()
        .context("--keys: missing; allowed is at least one folder")?;
    let tls = http::tls::acceptor(first)?;
    arguments.check_tls(tls.is_some())?;
    let access = Access::read(first, arguments.is_local())?;
    let bound = TcpListener::bind(arguments.listen).await;
    let listener = bound.with_context(|| format!("--listen {}", arguments.listen))?;
    let limits = arguments.limits();
    let uplinks = Uplinks::open(arguments.euis.clone(), arguments.ports()?)?;
    let places = arguments.places()?;
    let service = Service::new(places, pairs, access, uplinks, limits)?;
    let service = Arc::new(service);
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
    let recovered = spawn_blocking(move || service.recover()).await?;
    let recovered = recovered.with_context(|| format!("--data {}", arguments.data.display()))?;
    if let Some(torn) = recovered.torn_tail {
        let (bytes, kept) = (torn.bytes, torn.kept.display());
        tracing::warn!(bytes, %kept, "the log has a torn tail, which was not acknowledged");
    }
    for damage in &recovered.damage {
        tracing::error!(path = %damage.path.display(), "{damage}");
    }
    tracing::info!(records = recovered.records, "ready");
    Ok(())
}

/// Serves until a signal, or until only a new start heals.
async fn serve(arguments: Arguments) -> Result<Ending> {
    // First of all: a stop that comes while the log is recovered, or just after it, is as orderly as a later one.
    let mut signals = Signals::new()?;
    let link = mqtt::Link::of(&arguments)?;
    let listener = open(&arguments).await?;
    let service = listener.service.clone();
    if link.is_some() {
        service.broker.lose();
    }
    let (stop, stopped) = watch::channel(false);
    let serving = tokio::spawn(listener.serve(stopped.clone()));
    tokio::select! {
        recovered = recover(&service, &arguments) => recovered?,
        () = signals.asked() => {
            Ending::Asked.tell();
            return Ok(Ending::Asked);
        }
    }
    let (faults, mut found) = mpsc::unbounded_channel();
    let mut working = work(&service, arguments.plan(), &faults);
    #[cfg(feature = "kafka")]
    if let Some(options) = arguments.kafka.options()? {
        let (service, period) = (service.clone(), arguments.plan().table_period);
        if service.places.has_stream {
            let reading = spawn_blocking(move || kafka::work(&service, &options, period));
            working.spawn(supervise("kafka", reading, faults.clone()));
        }
    }
    if let Some(link) = link {
        let taking = tokio::spawn(link.run(service.clone(), stopped));
        working.spawn(supervise("mqtt", taking, faults));
    }
    let ending = ending::reason(&service, &mut signals, &mut found).await;
    ending.tell();
    service.stop();
    // Whether anybody listens or not: all who wait see a stop.
    let _ = stop.send(true);
    serving.await?;
    // A job that takes longer is refused at the next start.
    let _ = tokio::time::timeout(Duration::from_secs(20), working.join_all()).await;
    tracing::info!("stopped");
    Ok(ending)
}

/// Begins to work off jobs, and to keep log and tables.
fn work(service: &Arc<Service>, plan: Plan, faults: &UnboundedSender<Ending>) -> JoinSet<()> {
    let (upkeep, watch, jobs) = (service.clone(), service.clone(), service.clone());
    let (verify, brokers) = (service.clone(), service.clone());
    let parts = [
        (
            "upkeep",
            spawn_blocking(move || upkeep::work(&upkeep, plan)),
        ),
        ("watch", spawn_blocking(move || upkeep::watch(&watch))),
        ("verify", spawn_blocking(move || upkeep::verify(&verify))),
        (
            "brokers",
            spawn_blocking(move || upkeep::watch_brokers(&brokers)),
        ),
        (
            "jobs",
            spawn_blocking(move || evaluate::worker::work(&jobs)),
        ),
    ];
    let parts = parts.map(|(part, work)| supervise(part, work, faults.clone()));
    parts.into_iter().collect()
}
