//! A key pair, a device that sends frames, and the server that folds them.

use anyhow::{Context as _, Result};
use isopod_keys::{NewFolder, Protection};
use isopod_wire::{AnySet, Envelope, Label, Layout, Partial};
use isopod_workflow::{
    AnySuite, Choices, Contents, Device, EvaluationKeyChoice, Inbox, Job, Message, NewKeys,
    PadChoice, Request, Server,
};
use std::fs::File;
use std::io::{BufWriter, Read, Write};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

pub const SET: &str = "ckks-4096x2-linear";
const CHOICES: Choices = Choices {
    precision: None,
    grid_bits: None,
    has_column_tag: false,
    scale_bits: None,
    bound_bits: 3,
    suite: AnySuite::Chacha20,
    level: 0,
    layout: Layout::Slots,
    whole_bodies: false,
    pad: PadChoice::USUAL,
    accept_label: Label::Bits128,
};

pub struct Fleet {
    place: Option<TempDir>,
    server: Server,
    /// Slots from row to row; 0 for one row.
    stride: u32,
}

impl Fleet {
    /// Fresh keys, for sums.
    pub fn new() -> Result<Self> {
        Self::with_rotations(&[], 0)
    }

    /// Fresh keys with Galois keys of these steps, and frames of rows a stride apart.
    pub fn with_rotations(steps: &[i32], stride: u32) -> Result<Self> {
        let place = tempfile::tempdir()?;
        let keys = NewKeys {
            set: AnySet::by_name(SET).context("no such set")?,
            seeded_public_key: false,
            devices: vec![1.into()],
            evaluation: (!steps.is_empty()).then(|| EvaluationKeyChoice {
                rotations: steps.to_vec(),
                relinearization: false,
            }),
        };
        let new = NewFolder::new(&place.path().join("keys"))?;
        keys.write(&new, &Protection::InsecurePlaintext, &mut |_| {})?;
        new.publish()?;
        let server = Server::open(&place.path().join("keys/server"))?;
        let place = Some(place);
        Ok(Self {
            place,
            server,
            stride,
        })
    }

    /// The server alone.
    pub fn at(server: &Path) -> Result<Self> {
        Ok(Self {
            place: None,
            server: Server::open(server)?,
            stride: 0,
        })
    }

    pub fn server(&self) -> &Server {
        &self.server
    }

    fn path(&self, name: &str) -> PathBuf {
        let place = self.place.as_ref().map(TempDir::path);
        place.unwrap_or(Path::new(".")).join(name)
    }

    pub fn server_folder(&self) -> PathBuf {
        self.path("keys/server")
    }

    /// Frames of as many values as there are slots, their parts one after the other.
    fn each(&self, number: usize, mut take: impl FnMut(Vec<u8>) -> Result<()>) -> Result<()> {
        let device = Device::open(&self.path("keys/device-1"), false)?;
        let contents = Contents {
            stride: self.stride,
            ..Contents::default()
        };
        let mut sender = device.sender(&CHOICES, &contents, 1, 0)?;
        let slots = self.server.set().rns()?.slots();
        for frame in 0..number {
            let values = vec![frame as f64 / number as f64; slots];
            take(sender.frame(&Message::Real(values))?.concat())?;
        }
        Ok(())
    }

    /// Frames in memory.
    pub fn frames(&self, number: usize) -> Result<Vec<Vec<u8>>> {
        let mut frames = Vec::with_capacity(number);
        self.each(number, |frame| {
            frames.push(frame);
            Ok(())
        })?;
        Ok(frames)
    }

    /// Frames in a file.
    pub fn write(&self, number: usize) -> Result<PathBuf> {
        let path = self.path("frames.bin");
        let mut file = BufWriter::new(File::create(&path)?);
        self.each(number, |frame| Ok(file.write_all(&frame)?))?;
        file.flush()?;
        Ok(path)
    }

    /// The sealed state of the frames of a source.
    pub fn fold(&self, source: impl Read + Send, threads: NonZero<usize>) -> Result<Vec<u8>> {
        let request = Request::new(Job::Sum);
        let inbox = Inbox::for_request(&self.server, &request, false)?;
        let mut inbox = inbox.with_threads(threads);
        inbox.read(source)?;
        Ok(inbox.partial()?)
    }

    /// The sealed state of a file, with a thread for each core.
    pub fn fold_file(&self, file: &Path) -> Result<Vec<u8>> {
        let request = Request::new(Job::Sum);
        let mut inbox = Inbox::for_request(&self.server, &request, false)?;
        inbox.read(File::open(file)?)?;
        Ok(inbox.partial()?)
    }

    /// A state's contents.
    pub fn open(&self, state: &[u8]) -> Result<Partial> {
        let item = Envelope::read_only(state)?.authenticate(&self.server)?;
        Ok(item.partial()?)
    }
}
