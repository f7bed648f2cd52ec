//! The device and the owner: `bench-cost device LINK SCHEME DEGREE ROUNDS`. Starts a server, in a network namespace where the
//! link says so, sends operations, checks every result as its owner, and prints what they took.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use anyhow::{ensure, Context as _, Result};
use cpu_time::ThreadTime;
use isopod_cost::{set_at, Operation, Pair, Scheme, Slots, Spread};
use isopod_seal::{Ciphertext, EvaluationKeys};
use isopod_wire::Envelope;
use serde::{Deserialize, Serialize};

use crate::message::{operands, Answer, Operand, Request, OPERATIONS};

/// One operation over one link.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Measured {
    /// Link.
    pub link: String,
    /// Scheme.
    pub scheme: String,
    /// Ring degree.
    pub degree: usize,
    /// Operation.
    pub operation: String,
    /// Where the operands are at the beginning: fresh at the device, or kept at the server.
    pub operands: String,
    /// Milliseconds from the request's first byte to the authenticated result.
    pub total_ms: f64,
    /// Milliseconds of SEAL's own operation, processor time.
    pub seal_ms: f64,
    /// Milliseconds of everything else on both sides, processor time: on an idle machine the rest of the total.
    pub overhead_ms: f64,
    /// Quartiles of the rest.
    pub overhead: Spread,
    /// Bytes to the server.
    pub up_bytes: usize,
    /// Bytes back.
    pub down_bytes: usize,
}

struct Device {
    pair: Pair,
    frame: Vec<u8>,
    stream: TcpStream,
    reader: BufReader<TcpStream>,
    server: Child,
}

/// Measures every operation at one degree.
///
/// # Errors
/// Anything that fails; a result that is wrong.
pub fn measure(
    link: &str,
    (scheme, degree): (Scheme, usize),
    rounds: usize,
) -> Result<Vec<Measured>> {
    let set = set_at(scheme, degree).context("degree: no set")?;
    let mut device = Device::new(set)?;
    let name = device.keep()?;
    let mut found = Vec::new();
    for operation in OPERATIONS {
        for is_kept in [true, false] {
            let names = is_kept.then_some(name);
            let mut one = device.operation(operation, names, rounds)?;
            (one.link, one.scheme, one.degree) =
                (link.to_owned(), scheme.name().to_owned(), degree);
            found.push(one);
        }
    }
    device.close()?;
    Ok(found)
}

impl Device {
    fn new(set: &str) -> Result<Self> {
        let pair = Pair::new(set)?;
        let parts = pair
            .encryptor(true)?
            .encrypt_values(pair.values(), &mut pair.sender())?;
        let folder = tempfile::tempdir()?;
        hand_over(&pair, folder.path())?;
        let mut server = Command::new(std::env::current_exe()?)
            .args([
                "server",
                &folder.path().display().to_string(),
                "127.0.0.1:0",
            ])
            .stdout(Stdio::piped())
            .spawn()?;
        let mut address = String::new();
        let told = server.stdout.take().context("the server says nothing")?;
        BufReader::new(told).read_line(&mut address)?;
        let stream = TcpStream::connect(address.trim()).context("connect to the server")?;
        stream.set_nodelay(true)?;
        Ok(Self {
            reader: BufReader::with_capacity(1 << 18, stream.try_clone()?),
            frame: parts.concat(),
            pair,
            stream,
            server,
        })
    }

    fn keep(&mut self) -> Result<u32> {
        let request = Request {
            operation: None,
            operands: vec![Operand::Fresh(self.frame.as_slice())],
        };
        request.write(&mut self.stream)?;
        Ok(Answer::read(&mut self.reader)?.kept)
    }

    fn operation(
        &mut self,
        operation: Operation,
        kept: Option<u32>,
        rounds: usize,
    ) -> Result<Measured> {
        let (mut totals, mut seals) = (Vec::new(), Vec::new());
        let (mut ours, mut servers) = (Vec::new(), Vec::new());
        let (mut up_bytes, mut down_bytes) = (0, 0);
        for round in 0..=rounds.max(2) {
            let operand = kept.map_or(Operand::Fresh(self.frame.as_slice()), Operand::Kept);
            let request = Request {
                operation: Some(operation),
                operands: vec![operand; operands(operation)],
            };
            let (begin, processor) = (Instant::now(), ThreadTime::now());
            up_bytes = request.write(&mut self.stream)?;
            let answer = Answer::read(&mut self.reader)?;
            let item = Envelope::read_only(&answer.result)?.authenticate(&self.pair)?;
            let total = begin.elapsed().as_secs_f64() * 1e3;
            let own = processor.elapsed().as_secs_f64() * 1e3;
            down_bytes = answer.result.len();
            if round == 0 {
                let result = self.pair.context.result(&item.result()?)?;
                check(&self.pair, operation, &result)?;
                continue;
            }
            totals.push(total);
            seals.push(answer.seal_ms);
            ours.push(own);
            if round > 1 {
                servers.push(answer.before_ms);
            }
        }
        let server = Spread::of(servers).median;
        let overhead = Spread::of(ours.into_iter().map(|own| own + server).collect());
        Ok(Measured {
            link: String::new(),
            scheme: String::new(),
            degree: 0,
            operation: operation.name().to_owned(),
            operands: if kept.is_some() { "kept" } else { "fresh" }.to_owned(),
            total_ms: Spread::of(totals).median,
            seal_ms: Spread::of(seals).median,
            overhead_ms: overhead.median,
            overhead,
            up_bytes,
            down_bytes,
        })
    }

    fn close(self) -> Result<()> {
        let mut server = self.server;
        drop((self.stream, self.reader));
        let status = server.wait()?;
        ensure!(status.success(), "the server ended with {status}");
        Ok(())
    }
}

/// Writes what a server holds: the set, the key that authenticates, and sealed evaluation keys.
fn hand_over(pair: &Pair, folder: &Path) -> Result<()> {
    let keys = EvaluationKeys::generate(&pair.context, &pair.secret, true, &[])?;
    let material = keys.material(&pair.context)?;
    let item = material.encode(pair.set, [0; 16], isopod_keys::random()?)?;
    fs::write(folder.join("set"), pair.set.name)?;
    fs::write(folder.join("link"), pair.link.expose())?;
    fs::write(folder.join("evaluation"), pair.link.seal(item))?;
    Ok(())
}

/// Decrypts a result as its owner and compares it with the operation in the clear.
fn check(pair: &Pair, operation: Operation, result: &Ciphertext) -> Result<()> {
    let (found, values): (Vec<f64>, Vec<f64>) = match &pair.slots {
        Slots::Real(values) => {
            let found = pair.secret.decrypt(&pair.context, result)?;
            (found.into_owner_only(), values.clone())
        }
        Slots::Integers(values) => {
            let plaintext = pair.secret.decrypt_integers(&pair.context, result)?;
            let found = pair.context.decode_integers(&plaintext)?;
            let real = |values: &[i64]| values.iter().map(|&value| value as f64).collect();
            (real(&found), real(values))
        }
    };
    let wanted = values.iter().map(|value| match operation {
        Operation::Add => 2.0 * value,
        _ => value * value,
    });
    let far = found.iter().zip(wanted).map(|(a, b)| (a - b).abs());
    let far = far.fold(0.0, f64::max);
    ensure!(far < 0.05, "{operation} of {}: off by {far}", pair.set.name);
    Ok(())
}
