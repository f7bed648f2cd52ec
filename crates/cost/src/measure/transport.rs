//! Bytes through a TCP connection of this machine, there and acknowledged.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::thread::JoinHandle;

use anyhow::{anyhow, Result};

use super::Bench;
use crate::operation::Operation;
use crate::timer::Clock;

/// Measures the way of these bytes by the clock, if it is wanted.
///
/// # Errors
/// The errors of [`Loopback`].
pub fn transport(bench: &mut Bench<'_>, side: &str, bytes: Vec<u8>) -> Result<()> {
    let length = bytes.len();
    bench.record(side, Operation::Transport, |timer| {
        let mut loopback = Loopback::new(bytes)?;
        let sampled = timer.repeat(Clock::Wall, || loopback.send())?;
        loopback.close()?;
        Ok((sampled, length))
    })
}

/// A connection to a thread that reads messages of one length and answers each with one byte.
pub struct Loopback {
    stream: TcpStream,
    reader: JoinHandle<std::io::Result<()>>,
    message: Vec<u8>,
}

impl Loopback {
    /// Connects.
    ///
    /// # Errors
    /// A system without loopback.
    pub fn new(message: Vec<u8>) -> Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let stream = TcpStream::connect(listener.local_addr()?)?;
        stream.set_nodelay(true)?;
        let length = message.len();
        let reader = std::thread::spawn(move || {
            let (mut taken, _) = listener.accept()?;
            taken.set_nodelay(true)?;
            let mut buffer = vec![0; length];
            while taken.read_exact(&mut buffer).is_ok() {
                taken.write_all(&[1])?;
            }
            Ok(())
        });
        Ok(Self {
            stream,
            reader,
            message,
        })
    }

    /// Sends the message and waits for the answer.
    ///
    /// # Errors
    /// A connection that broke.
    pub fn send(&mut self) -> Result<()> {
        self.stream.write_all(&self.message)?;
        self.stream.read_exact(&mut [0])?;
        Ok(())
    }

    /// Ends the thread.
    ///
    /// # Errors
    /// What the thread met.
    pub fn close(self) -> Result<()> {
        drop(self.stream);
        let ended = self.reader.join();
        ended.map_err(|_| anyhow!("the reader panicked"))??;
        Ok(())
    }
}
