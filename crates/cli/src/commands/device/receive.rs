//! `isopod receive`: frames from a serial line, or from bytes that were recorded there.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{bail, Context as _, Result};
use clap::Args;
use isopod_link::{serial_bytes, Event, Receiver, SerialReader};
use rustix::termios::{tcgetattr, tcsetattr, OptionalActions, SpecialCodeIndex};
use serde::Serialize;

use crate::output::escaped;
use crate::output::new_file::check_apart;
use crate::output::report::Output;

const USE: &str = "Devices send with isopod/link.h (spec/link.md). Damaged packets are dropped, missing ones are asked for \
on the line that --serial names; from a file, a frame with a missing packet stays out. Frames are appended to --out as they \
become whole, and checked where they are evaluated or inspected: this command holds no key.";

/// Arguments of `isopod receive`.
#[derive(Debug, Args)]
#[command(after_help = USE)]
pub struct Receive {
    /// Serial line, such as /dev/ttyACM0
    #[arg(
        long,
        value_name = "DEVICE",
        required_unless_present = "input",
        conflicts_with = "input"
    )]
    serial: Option<PathBuf>,
    /// Bits per second of the serial line
    #[arg(long, value_name = "N", default_value = "115200", value_parser = clap::value_parser!(u32).range(300..=4_000_000))]
    baud: u32,
    /// Bytes recorded from such a line; - is standard input
    #[arg(long = "in", value_name = "FILE")]
    input: Option<PathBuf>,
    /// File to which frames are appended
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// End after this many frames
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    frames: Option<u64>,
    /// End after this many seconds of silence on the serial line
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..), conflicts_with = "input")]
    silence: Option<u64>,
}

#[derive(Default, Serialize)]
struct Facts {
    frames: u64,
    bytes: u64,
    damaged_packets: u64,
    incomplete_frames: u64,
}

/// The reading side of the line or file, and whether answers go back.
struct Line {
    file: Box<dyn Read>,
    back: Option<File>,
}

impl Receive {
    /// Reads until the end, the silence or the frames that were asked for.
    pub fn run(&self) -> Result<Output> {
        if let Some(input) = &self.input {
            check_apart(&self.out, [input.as_path()])?;
        }
        let mut line = self.open()?;
        let mut out = append_to(&self.out)?;
        let facts = self.receive(&mut line, &mut out)?;
        let text = format!(
            "{}: {} frame(s) of {} bytes; {} damaged packet(s), {} incomplete frame(s)\n",
            escaped::path(&self.out),
            facts.frames,
            facts.bytes,
            facts.damaged_packets,
            facts.incomplete_frames
        );
        Output::new(text, &facts)
    }

    fn open(&self) -> Result<Line> {
        match (&self.serial, &self.input) {
            (Some(device), _) => {
                let name = || device.display().to_string();
                let file = open_serial(device, self.baud).with_context(name)?;
                let back = file.try_clone().with_context(name)?;
                Ok(Line {
                    file: Box::new(file),
                    back: Some(back),
                })
            }
            (None, Some(path)) if path == Path::new("-") => Ok(Line {
                file: Box::new(io::stdin().lock()),
                back: None,
            }),
            (None, Some(path)) => Ok(Line {
                file: Box::new(File::open(path).with_context(|| path.display().to_string())?),
                back: None,
            }),
            (None, None) => bail!("give --serial or --in"),
        }
    }

    fn receive(&self, line: &mut Line, out: &mut File) -> Result<Facts> {
        let (mut reader, mut receiver) = (SerialReader::default(), Receiver::default());
        let (mut facts, mut heard) = (Facts::default(), Instant::now());
        let mut buffer = [0; 4096];
        while self.frames.is_none_or(|wanted| facts.frames < wanted) {
            let length = match line.file.read(&mut buffer) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                read => read.context("reading")?,
            };
            if length > 0 {
                heard = Instant::now();
            } else if self.is_over(line, heard) {
                break;
            }
            for byte in &buffer[..length] {
                if let Some(packet) = reader.read(*byte) {
                    take(receiver.take(&packet), line, out, &mut facts)?;
                }
            }
        }
        facts.damaged_packets = reader.damaged;
        facts.incomplete_frames += u64::from(receiver.unfinished().is_some());
        Ok(facts)
    }

    /// Whether a file ended, or a serial line is silent for too long.
    fn is_over(&self, line: &Line, heard: Instant) -> bool {
        let most = self.silence.map(Duration::from_secs);
        line.back.is_none() || most.is_some_and(|most| heard.elapsed() >= most)
    }
}

/// Keeps a whole frame before the device learns that it arrived.
fn take(event: Event, line: &mut Line, out: &mut File, facts: &mut Facts) -> Result<()> {
    if let Some(frame) = event.whole {
        out.write_all(&frame)
            .and_then(|()| out.sync_data())
            .context("--out")?;
        facts.frames += 1;
        facts.bytes += frame.len() as u64;
    }
    facts.incomplete_frames += u64::from(event.given_up.is_some());
    if let (Some(back), Some(answer)) = (&mut line.back, event.answer) {
        back.write_all(&serial_bytes(&answer))
            .context("answering")?;
    }
    Ok(())
}

fn append_to(path: &Path) -> Result<File> {
    let opened = OpenOptions::new().create(true).append(true).open(path);
    opened.with_context(|| format!("--out: {}", path.display()))
}

/// Opens a line without its becoming ours to be interrupted by, raw, with reads that end after a tenth of a second.
fn open_serial(device: &Path, baud: u32) -> io::Result<File> {
    use rustix::fs::{open, Mode, OFlags};
    let line = open(
        device,
        OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC,
        Mode::empty(),
    )?;
    let mut settings = tcgetattr(&line)?;
    settings.make_raw();
    settings.set_speed(baud)?;
    settings.special_codes[SpecialCodeIndex::VMIN] = 0;
    settings.special_codes[SpecialCodeIndex::VTIME] = 1;
    tcsetattr(&line, OptionalActions::Now, &settings)?;
    Ok(line.into())
}
