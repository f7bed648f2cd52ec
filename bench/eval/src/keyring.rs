//! Folders of one key pair, opened: a device by public key, one by secret key, the server and the owner.

use anyhow::{Context as _, Result};
use isopod_keys::{KeysError, NewFolder, Passphrase, Protection};
use isopod_wire::AnySet;
use isopod_workflow::{
    Aggregation, Answer, Device, EvaluationKeyChoice, Group, Inbox, Job, NewDevice, NewKeys,
    Opened, Owner, Request, Server,
};
use std::num::NonZero;
use std::sync::Arc;
use tempfile::TempDir;

pub struct Keyring {
    _place: TempDir,
    devices: [Device; 2],
    server: Arc<Server>,
    owner: Owner,
}

impl Keyring {
    /// Fresh keys of a set, with evaluation keys if there is a shape for them.
    pub fn new(set: &str, evaluation: Option<EvaluationKeyChoice>) -> Result<Self> {
        let place = tempfile::tempdir()?;
        let keys = NewKeys {
            set: AnySet::by_name(set).context("no such set")?,
            seeded_public_key: false,
            devices: [false, true]
                .map(|secret_key| NewDevice {
                    number: 1 + u64::from(secret_key),
                    secret_key,
                })
                .to_vec(),
            evaluation,
        };
        let path = |name: &str| place.path().join("keys").join(name);
        let new = NewFolder::new(&path(""))?;
        keys.write(&new, &Protection::InsecurePlaintext, &mut |_| {})?;
        new.publish()?;
        let none = || -> Result<Passphrase, KeysError> { unreachable!("keys in the clear") };
        Ok(Self {
            devices: [
                Device::open(&path("device-1"), false)?,
                Device::open(&path("device-2"), true)?,
            ],
            server: Server::open(&path("server"))?.into(),
            owner: Owner::open(&path("owner"), none)?,
            _place: place,
        })
    }

    /// The device that encrypts by secret key, or the other one.
    pub fn device(&self, by_secret_key: bool) -> &Device {
        &self.devices[usize::from(by_secret_key)]
    }

    pub fn server(&self) -> &Server {
        &self.server
    }

    /// The partial state of frames and states.
    pub fn state(&self, request: &Request, items: &[u8]) -> isopod_workflow::Result<Vec<u8>> {
        self.inbox(request, items)?.partial()
    }

    /// The answer to a request on frames and states.
    pub fn answer(&self, request: &Request, items: &[u8]) -> isopod_workflow::Result<Answer> {
        self.inbox(request, items)?.answer(&mut |_| {})
    }

    /// The answer to a job on frames with weights, which an engine folds.
    pub fn weighed(
        &self,
        job: Job,
        frames: &[Vec<u8>],
        weights: &[f64],
    ) -> isopod_workflow::Result<Answer> {
        let aggregation = Aggregation::new(self.server.clone(), job)?;
        let mut group = Group::default();
        let frames = frames.iter().map(Vec::as_slice);
        aggregation.fold(&mut group, frames.zip(weights.iter().copied()))?;
        let state = aggregation.state(&group)?;
        let mut answers = aggregation.answers(state.as_deref())?;
        answers
            .pop()
            .ok_or(isopod_workflow::Error::NoFrames { sources: 1 })
    }

    fn inbox(&self, request: &Request, items: &[u8]) -> isopod_workflow::Result<Inbox<'_>> {
        let inbox = Inbox::for_request(&self.server, request, true)?;
        let mut inbox = inbox.with_threads(NonZero::<usize>::MIN);
        inbox.read(items)?;
        Ok(inbox)
    }

    /// The results of an answer, opened.
    pub fn open(&self, answer: &Answer) -> isopod_workflow::Result<Vec<Opened>> {
        let results = self.owner.read(&answer.items.concat()[..])?;
        self.owner.open_results(&results, &mut |_| {})
    }
}
