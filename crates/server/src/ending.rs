//! Reasons for which the server ends, and the exit status of each.

use std::process::ExitCode;
use std::time::Duration;

use anyhow::Result;
use tokio::signal::unix::{signal, Signal, SignalKind};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};
use tokio::task::JoinHandle;

use crate::service::Service;

/// Time between two looks at the log.
const PERIOD: Duration = Duration::from_millis(200);

/// Reason for which the server ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// A signal.
    Asked,
    /// A flush failed: only a new start finds out what is on disk.
    Broken,
    /// A part of the server that ended by a fault of the program.
    Fault(&'static str),
}

impl Ending {
    /// The exit status: 0, and otherwise that of `sysexits.h`, EX_IOERR or EX_SOFTWARE.
    pub fn status(self) -> ExitCode {
        match self {
            Self::Asked => ExitCode::SUCCESS,
            Self::Broken => ExitCode::from(74),
            Self::Fault(_) => ExitCode::from(70),
        }
    }

    /// Tells the operator.
    pub fn tell(self) {
        match self {
            Self::Asked => tracing::info!("stopping"),
            Self::Broken => tracing::error!("stopping: a flush to the disk failed, and only a new start can tell what is stored"),
            Self::Fault(part) => tracing::error!(part, "stopping: a part of the server failed by a fault of the program"),
        }
    }
}

/// Waits for a part of the server, and tells if it ended by a fault.
pub async fn supervise(part: &'static str, work: JoinHandle<()>, faults: UnboundedSender<Ending>) {
    if work.await.is_err_and(|error| error.is_panic()) {
        // Whether anybody listens or not: the server ends already.
        let _ = faults.send(Ending::Fault(part));
    }
}

/// Signals that ask the server to end. Those that come before anybody waits are kept.
pub struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    /// Takes signals from now on.
    ///
    /// # Errors
    /// Signals cannot be received.
    pub fn new() -> Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
    }

    /// Waits for one.
    pub async fn asked(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}

/// Waits until the server must end.
pub async fn reason(
    service: &Service,
    signals: &mut Signals,
    faults: &mut UnboundedReceiver<Ending>,
) -> Ending {
    tokio::select! {
        Some(fault) = faults.recv() => fault,
        () = broken(service) => Ending::Broken,
        () = signals.asked() => Ending::Asked,
    }
}

async fn broken(service: &Service) {
    while !service.opened().is_some_and(|store| store.log.is_broken()) {
        tokio::time::sleep(PERIOD).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_part_that_panics_is_a_fault_and_one_that_ends_is_none() {
        let (sender, mut faults) = tokio::sync::mpsc::unbounded_channel();
        let fine = tokio::task::spawn_blocking(|| {});
        supervise("upkeep", fine, sender.clone()).await;
        assert!(faults.try_recv().is_err());
        let fault = tokio::task::spawn_blocking(|| panic!("on purpose"));
        supervise("jobs", fault, sender).await;
        assert_eq!(faults.recv().await, Some(Ending::Fault("jobs")));
    }
}
