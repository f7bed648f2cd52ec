//! A program behind a pipe: started, heard with a time limit, killed.

use crate::error::{self, Error, Result};
use crate::message::{self, Fields, Kind, Message};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{channel, sync_channel, Receiver, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use zeroize::Zeroizing;

/// Most bytes that are kept of what a program prints for people.
const PRINTED: u64 = 4096;
/// Messages that wait for the host; a program that sends more has to wait itself.
const WAITING: usize = 16;
/// Time that a program has to end after its pipe has closed.
const GRACE: Duration = Duration::from_secs(2);

/// A program that runs. Dropping it kills it.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    input: Option<Sender<Zeroizing<Vec<u8>>>>,
    output: Receiver<Result<Message>>,
    printed: Option<JoinHandle<String>>,
    patience: Duration,
    /// Stage that it announced last.
    pub stage: &'static str,
}

impl Process {
    /// Starts a program. It inherits nothing but the search path: the environment of a host may hold secrets.
    pub fn start(path: &Path, arguments: &[String], patience: Duration) -> Result<Self> {
        let mut command = Command::new(path);
        command.args(arguments).env_clear();
        command.envs(std::env::var_os("PATH").map(|value| ("PATH", value)));
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|source| Error::Start {
                path: PathBuf::from(path),
                source,
            })?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let printed = child.stderr.take().map(|from| thread::spawn(|| last(from)));
        Ok(Self {
            child,
            input: input.map(writing),
            output: reading(output),
            printed,
            patience,
            stage: "start",
        })
    }

    /// Sends bytes in the background, so that a program that does not read cannot block the host. A program that has ended is
    /// noticed by [`Process::receive`].
    pub fn send(&self, bytes: Vec<u8>) {
        if let Some(input) = &self.input {
            drop(input.send(Zeroizing::new(bytes)));
        }
    }

    /// The next message that is no failure.
    pub fn receive(&mut self) -> Result<Message> {
        let begun = Instant::now();
        let message = match self.output.recv_timeout(self.patience) {
            Ok(message) => message?,
            Err(RecvTimeoutError::Timeout) => {
                return Err(Error::Late {
                    seconds: begun.elapsed().as_secs(),
                    stage: self.stage,
                    allowed: self.patience.as_secs(),
                })
            }
            Err(RecvTimeoutError::Disconnected) => return Err(self.died()),
        };
        match (message.kind, &message.body[..]) {
            (Kind::Failure, [code, text @ ..]) => {
                let text = String::from_utf8_lossy(text).into_owned();
                Err(Error::reported(*code, text))
            }
            (Kind::Failure, []) => Err(Error::Message("failure: without a code".into())),
            _ => Ok(message),
        }
    }

    /// The next message of a kind.
    pub fn expect(&mut self, kind: Kind) -> Result<Vec<u8>> {
        let message = self.receive()?;
        if message.kind == kind {
            return Ok(message.body);
        }
        Err(unexpected(message.kind, kind))
    }

    /// Why a program ended that closed its pipe.
    fn died(&mut self) -> Error {
        self.input = None;
        let begun = Instant::now();
        let mut status = self.child.try_wait();
        while matches!(status, Ok(None)) && begun.elapsed() < GRACE {
            thread::sleep(Duration::from_millis(10));
            status = self.child.try_wait();
        }
        drop(self.child.kill());
        let printed = self
            .printed
            .take()
            .and_then(|printed| printed.join().ok())
            .unwrap_or_default();
        let text = printed.lines().last().unwrap_or("no message").to_owned();
        match status {
            Ok(Some(status)) if status.code() == Some(error::MEMORY.into()) => Error::Memory(text),
            Ok(Some(status)) => Error::Died {
                status: status.to_string(),
                text,
            },
            _ => Error::Died {
                status: "a closed pipe".into(),
                text,
            },
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.input = None;
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// A message of another kind than the protocol has at this place.
pub(crate) fn unexpected(found: Kind, wanted: Kind) -> Error {
    Error::Message(format!("kind: {found:?}; allowed is {wanted:?}"))
}

/// The numbers of a message of progress: stage, done and total.
pub(crate) fn progress(body: &[u8]) -> Result<(u8, u32, u32)> {
    let mut fields = Fields(body);
    let numbers = (fields.u8()?, fields.u32()?, fields.u32()?);
    fields.end()?;
    Ok(numbers)
}

/// Writes what arrives on a channel, and wipes it, because it may be a secret key. It ends with the channel, or with the program.
fn writing(mut to: impl Write + Send + 'static) -> Sender<Zeroizing<Vec<u8>>> {
    let (sender, bytes) = channel::<Zeroizing<Vec<u8>>>();
    thread::spawn(move || {
        for message in bytes {
            if to.write_all(&message).and_then(|()| to.flush()).is_err() {
                return;
            }
        }
    });
    sender
}

/// Reads messages up to the first that is none.
fn reading(from: Option<impl Read + Send + 'static>) -> Receiver<Result<Message>> {
    let (sender, messages) = sync_channel(WAITING);
    thread::spawn(move || {
        let Some(from) = from else { return };
        let mut from = std::io::BufReader::new(from);
        loop {
            let message = match message::read(&mut from) {
                Ok(Some(message)) => Ok(message),
                Ok(None) => return,
                Err(error) => Err(error),
            };
            let ends = message.is_err();
            if sender.send(message).is_err() || ends {
                return;
            }
        }
    });
    messages
}

/// The end of what a program prints, read to its end so that it never waits for a reader.
fn last(mut from: impl Read) -> String {
    let mut kept = Vec::new();
    drop(from.by_ref().take(PRINTED).read_to_end(&mut kept));
    drop(std::io::copy(&mut from, &mut std::io::sink()));
    String::from_utf8_lossy(&kept).into_owned()
}
