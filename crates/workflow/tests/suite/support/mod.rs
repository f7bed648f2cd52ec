//! Folders of keys, and frames that their device made.
#![allow(dead_code, clippy::unwrap_used, missing_docs)]

use std::path::PathBuf;

use isopod_keys::{KeysError, NewFolder, Passphrase, Protection};
use isopod_wire::{AnySet, Label, Layout};
use isopod_workflow::{
    Answer, AnySuite, Choices, Contents, Device, EvaluationKeyChoice, Frame, Inbox, Job, Message,
    NewKeys, Opened, Owner, PadChoice, Request, Result, Server, Values,
};
use tempfile::TempDir;

pub struct Place(TempDir);

pub const CHOICES: Choices = Choices {
    precision: None,
    grid_bits: None,
    scale_bits: None,
    bound_bits: 4,
    suite: AnySuite::Chacha20,
    level: 0,
    layout: Layout::Slots,
    whole_bodies: false,
    has_column_tag: false,
    pad: PadChoice::USUAL,
    accept_label: Label::Bits128,
};

pub fn quiet(_: isopod_workflow::Progress) {}

impl Place {
    /// A folder without keys.
    pub fn empty() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// Keys for two devices of a set, with these rotations.
    pub fn new(set: &str, rotations: &[i32]) -> Self {
        let shape = EvaluationKeyChoice {
            rotations: rotations.to_vec(),
            relinearization: false,
        };
        Self::with_evaluation_keys(set, shape)
    }

    /// Keys for two devices of a set, with these evaluation keys.
    pub fn with_evaluation_keys(set: &str, shape: EvaluationKeyChoice) -> Self {
        let place = Self::empty();
        let set = AnySet::by_name(set).unwrap();
        let can_make = matches!(set, AnySet::Rns(_)) || cfg!(feature = "tfhe");
        let keys = NewKeys {
            set,
            seeded_public_key: false,
            devices: vec![1.into(), 2.into()],
            evaluation: can_make.then_some(shape),
        };
        let new = NewFolder::new(&place.path("keys")).unwrap();
        let made = keys.write(&new, &Protection::InsecurePlaintext, &mut quiet);
        made.unwrap();
        new.publish().unwrap();
        place
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn server(&self) -> Server {
        Server::open(&self.path("keys/server")).unwrap()
    }

    pub fn owner(&self) -> Owner {
        let none =
            || -> std::result::Result<Passphrase, KeysError> { unreachable!("a plain file") };
        Owner::open(&self.path("keys/owner"), none).unwrap()
    }

    /// The items of one message, one frame.
    pub fn items(&self, device: u64, sequence: u64, message: &Message) -> Vec<Vec<u8>> {
        self.items_of(device, sequence, message, &Contents::default())
    }

    /// The items of one message that says what it holds.
    pub fn items_of(
        &self,
        device: u64,
        sequence: u64,
        message: &Message,
        contents: &Contents,
    ) -> Vec<Vec<u8>> {
        let device = Device::open(&self.path(&format!("keys/device-{device}")), false).unwrap();
        let mut sender = device.sender(&CHOICES, contents, 7, sequence).unwrap();
        let name = sender.next();
        assert_eq!((name.epoch, name.sequence), (7, sequence));
        sender.frame(message).unwrap()
    }
}

/// The frames of several sources.
pub fn frames(server: &Server, sources: &[&[u8]]) -> Result<Vec<Frame>> {
    let mut inbox = Inbox::new(server);
    sources.iter().try_for_each(|source| inbox.read(*source))?;
    inbox.complete()
}

/// The answer to a request on the frames of a source, whether or not they entered one before.
pub fn answer(server: &Server, request: &Request, source: &[u8]) -> Result<Answer> {
    let mut inbox = Inbox::for_request(server, request, true)?;
    inbox.read(source)?;
    inbox.answer(&mut quiet)
}

/// The owner's values of the answer to a job on the frames of a source.
pub fn opened(owner: &Owner, server: &Server, job: Job, source: &[u8]) -> Vec<Opened> {
    open(owner, &answer(server, &Request::new(job), source).unwrap())
}

/// The owner's values of an answer.
pub fn open(owner: &Owner, answer: &Answer) -> Vec<Opened> {
    let results = owner.read(&answer.items.concat()[..]).unwrap();
    owner.open_results(&results, &mut quiet).unwrap()
}

pub fn real(opened: Opened) -> Vec<f64> {
    match opened.values.into_owner_only() {
        Values::Real(values) => values,
        other => panic!("real numbers wanted: {other:?}"),
    }
}
