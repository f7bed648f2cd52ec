//! Aggregation of frames in groups, for engines that hold the groups: fold, merge, and answers, with all checks of an evaluation.

mod group;
mod held;

use std::sync::Arc;

use isopod_linear::{Machine, Merge, Reduction, Sum};
use isopod_pad::PadAccumulator;
use isopod_wire::codes::size::DIGEST;
use isopod_wire::{
    AnySet, DeviceAuthenticator, Envelope, ItemKind, PackedFrame, PadFrame, PadPartial, Partial,
};

pub use group::Group;

use crate::item_reader::authenticate;
use crate::request::job::{Job, Request};
use crate::server::accumulate::compatibility::check_pair;
use crate::server::accumulate::frame::{named, Header};
use crate::server::accumulate::residues::mask;
use crate::server::aggregation::group::{beginnings, of_rows, First, GroupSum};
use crate::server::aggregation::held::HeldState;
use crate::server::compute::merged::MergedResult;
use crate::server::evaluation::{enter_all, of_frames, of_state};
use crate::server::partial_state::{pad_state, State};
use crate::{Answer, Error, Evaluated, Frame, Result, Server};

/// Most bits behind the point of weights that come with frames.
const WEIGHT_BITS: u8 = isopod_eval::WEIGHT_BITS;

/// One aggregate of a query: a job on sums or on merged frames, and the server that answers.
#[derive(Clone)]
pub struct Aggregation {
    server: Arc<Server>,
    request: Request,
    digest: [u8; DIGEST],
    /// Reduction of readings of merged frames; None for jobs on sums.
    merged: Option<Reduction>,
}

impl Aggregation {
    /// Aggregation of a job whose result is made of a sum of frames of CKKS or BFV, or of packets of pads; or of a job on merged
    /// frames, for which the program that bootstraps is started.
    ///
    /// # Errors
    /// [`Error::NoStates`] for other jobs; those of [`Server::check_request`]; [`Error::Parameter`] for bits of weights beyond
    /// 24, or any under a set of integers; [`Error::WithoutBackend`] and [`Error::Lattigo`].
    pub fn new(server: Arc<Server>, job: Job) -> Result<Self> {
        let request = Request::new(job);
        let set = server.set();
        request.job.name().check(set)?;
        let most = match set {
            AnySet::Rns(rns) if rns.plain_modulus.is_none() => WEIGHT_BITS,
            AnySet::Rns(_) | AnySet::Pads => 0,
            AnySet::Tfhe(_) => return Err(Error::OtherScheme { item: "table" }),
        };
        let mut merged = None;
        match &request.job {
            _ if request.takes_merged(set) => {
                server.check_request(&request)?;
                server.check_backend(&request)?;
                merged = Some(request.job.question()?.reduction());
            }
            Job::Weighed(bits) => {
                if *bits > most {
                    let problem = format!("{bits}; allowed under {} are 0 to {most}", set.name());
                    return Err(Error::parameter("weight bits", problem));
                }
            }
            _ if request.is_aggregate() => request.check(set)?,
            _ => return Err(Error::NoStates),
        }
        Ok(Self {
            digest: request.digest(set),
            server,
            request,
            merged,
        })
    }

    /// Whether it holds frames, and merges them for an answer of minutes.
    pub fn is_merged(&self) -> bool {
        self.merged.is_some()
    }

    /// Digest of the request, which states and results carry.
    pub fn digest(&self) -> [u8; DIGEST] {
        self.digest
    }

    /// Job of the request.
    pub fn job(&self) -> &Job {
        &self.request.job
    }

    /// Adds items, each a whole frame or a partial state of the same request, with a weight for each frame; 1 but for
    /// [`Job::Weighed`]. A weight that is 0 as an integer leaves its frame out.
    ///
    /// # Errors
    /// [`Error::OtherKey`], [`Error::ForeignTag`], [`Error::Differs`] for items of other keys, sets, layouts, levels or scales
    /// than the first of the group, by the name of the frame; [`Error::Wire`] for tags, and for a frame that is in the group
    /// already, which among packets of pads the state finds; [`Error::Keys`] for revoked devices; [`Error::Parameter`] for
    /// weights. The group is as before the item.
    pub fn fold<'i>(
        &self,
        group: &mut Group,
        items: impl IntoIterator<Item = (&'i [u8], f64)>,
    ) -> Result<()> {
        let keys = self.server.remembering();
        for (item, weight) in items {
            match Envelope::claimed_kind(item) {
                Some(kind) if kind.is_partial() => self.merge(group, item)?,
                _ if HeldState::is_begun(item) => self.merge_held(group, &keys, item)?,
                _ => self.frame(group, &keys, item, weight)?,
            }
        }
        Ok(())
    }

    fn frame(
        &self,
        group: &mut Group,
        keys: &dyn DeviceAuthenticator,
        item: &[u8],
        weight: f64,
    ) -> Result<()> {
        let weight = self.integer(weight)?;
        let frame = self.open_frame(keys, item)?;
        let header = frame.header();
        let id = header.id();
        self.server.check_device(id)?;
        if weight == 0 {
            return Ok(());
        }
        let job = self.request.job.name();
        if let Some(first) = &group.first {
            // The refusal names both frames.
            check_pair(job, first.header(), header)?;
        }
        let added = match &frame {
            Opened::Rns(frame) => match self.merged {
                Some(reduction) => hold(group, frame, reduction, item),
                None => self.add(group, frame, weight),
            },
            Opened::Pad(frame) => add_pads(group, frame, weight),
        };
        group.first.get_or_insert_with(|| frame.first());
        added.map_err(|error| error.at(named(id)))
    }

    fn open_frame<'i>(&self, keys: &dyn DeviceAuthenticator, item: &'i [u8]) -> Result<Opened<'i>> {
        match self.server.set() {
            AnySet::Pads => self.server.pad_frame(keys, item).map(Opened::Pad),
            _ => self.server.packed_frame(keys, item).map(Opened::Rns),
        }
    }

    fn add(&self, group: &mut Group, frame: &PackedFrame<'_>, weight: i32) -> Result<()> {
        let header = frame.header();
        let mask = mask(header)?;
        let sum = match &mut group.sum {
            Some(sum) => sum,
            none => {
                let job = self.request.job.name().name();
                let empty = Sum::new(header, job, self.digest, Machine::best())?;
                let empty = self.of_job(empty);
                none.insert(GroupSum::Rns(Box::new(empty)))
            }
        };
        match sum {
            GroupSum::Rns(sum) => Ok(sum.fold(frame, mask.as_deref(), weight)?),
            GroupSum::Pads(_) | GroupSum::Held(_) => Err(Error::OtherScheme { item: "frame" }),
        }
    }

    /// A sum that takes rows and folds tags as the job does.
    fn of_job(&self, sum: Sum) -> Sum {
        let sum = sum.proved_by(self.request.proof(self.server.set()));
        of_rows(sum, self.request.job.rows())
    }

    /// The integer of a weight, to the nearest.
    fn integer(&self, weight: f64) -> Result<i32> {
        let scaled = weight * f64::from(self.request.job.weight_bits()).exp2();
        let is_exact = matches!(self.request.job, Job::Weighed(0)) && scaled.fract() != 0.0;
        if is_exact || scaled.is_nan() || scaled.abs() > f64::from(i32::MAX) {
            let most = f64::from(i32::MAX) / f64::from(self.request.job.weight_bits()).exp2();
            let problem = format!("{weight}; allowed are numbers from -{most} to {most}, under a set of integers integers");
            return Err(Error::parameter("weight", problem));
        }
        Ok(scaled.round() as i32)
    }

    /// Adds a partial state of the same request.
    fn merge(&self, group: &mut Group, item: &[u8]) -> Result<()> {
        let state = self.open(item)?;
        for (id, _) in state.manifest()?.frames() {
            self.server.check_device(id)?;
        }
        match &state {
            State::Rns(state) => self.add_state(group, state),
            State::Pads(state) => add_pad_state(group, state),
        }
    }

    fn add_state(&self, group: &mut Group, state: &Partial) -> Result<()> {
        match &mut group.sum {
            Some(GroupSum::Rns(sum)) => {
                let before = sum.manifest()?;
                sum.merge(state)
                    .map_err(|error| Error::from(error).at(beginnings(&before, &state.manifest)))?;
            }
            Some(GroupSum::Pads(_) | GroupSum::Held(_)) => {
                return Err(Error::OtherScheme { item: "state" })
            }
            None => {
                let sum = Sum::resume(state, Machine::best())?;
                let sum = self.of_job(sum);
                group.sum = Some(GroupSum::Rns(Box::new(sum)));
            }
        }
        Ok(())
    }

    /// Adds the frames of a state of held frames, each as if it came now.
    fn merge_held(
        &self,
        group: &mut Group,
        keys: &dyn DeviceAuthenticator,
        state: &[u8],
    ) -> Result<()> {
        let mut frames = self.open_held(state)?.frames.into_iter();
        frames.try_for_each(|frame| self.frame(group, keys, frame, 1.0))
    }

    /// A state of held frames of this request.
    fn open_held<'s>(&self, state: &'s [u8]) -> Result<HeldState<'s>> {
        let state = HeldState::read(state)?;
        match state.request == self.digest && self.is_merged() {
            true => Ok(state),
            false => Err(isopod_linear::Error::Differs { field: "request" }.into()),
        }
    }

    /// Adds the frames of another group of this aggregation.
    ///
    /// # Errors
    /// [`Error::Linear`], [`Error::Pad`] and [`Error::At`] for a frame that is in both; then the group is as before.
    pub fn join(&self, group: &mut Group, other: Group) -> Result<()> {
        match (other.sum, &mut group.sum) {
            (None, _) => Ok(()),
            (Some(GroupSum::Rns(sum)), _) => {
                self.add_state(group, &sum.finish(isopod_keys::random()?)?)
            }
            (Some(GroupSum::Pads(more)), Some(GroupSum::Pads(sum))) => {
                let mut joined = sum.as_ref().clone();
                joined.merge(&more)?;
                joined.clone().finish()?;
                **sum = joined;
                Ok(())
            }
            (Some(GroupSum::Held(more)), Some(GroupSum::Held(frames))) => frames.join(*more),
            (Some(more), none) => {
                *none = Some(more);
                Ok(())
            }
        }
    }

    /// Whether bytes begin as a state of some aggregation does.
    pub fn is_state(bytes: &[u8]) -> bool {
        let kind = Envelope::claimed_kind(bytes);
        kind.is_some_and(ItemKind::is_partial) || HeldState::is_begun(bytes)
    }

    /// Whether a state is of this request.
    ///
    /// # Errors
    /// [`Error::Wire`] for other items and tags.
    pub fn is_of(&self, state: &[u8]) -> Result<bool> {
        let opened = match HeldState::is_begun(state) {
            true => self.open_held(state).map(drop),
            false => self.open(state).map(drop),
        };
        match opened {
            Ok(()) => Ok(true),
            Err(Error::Linear(_)) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// A partial state of this request, authenticated.
    fn open(&self, item: &[u8]) -> Result<State> {
        let server = &*self.server;
        let item = authenticate(Envelope::read_only(item)?, server, server.key_id())?;
        let state = State::read(server, &item)?;
        if *state.request() != self.digest {
            let field = "request";
            return Err(isopod_linear::Error::Differs { field }.into());
        }
        Ok(state)
    }

    /// The group as a sealed partial state, or as a state of held frames, each under its tag; None of a group without frames.
    ///
    /// # Errors
    /// [`Error::Wire`] for more ranges of frames than a state names; [`Error::Pad`] for a packet of pads that is there twice, and
    /// for sums that may leave their integers; [`Error::Keys`] without entropy.
    pub fn state(&self, group: &Group) -> Result<Option<Vec<u8>>> {
        match &group.sum {
            None => Ok(None),
            Some(GroupSum::Rns(sum)) => {
                let state = sum.as_ref().clone().finish(isopod_keys::random()?)?;
                Ok(Some(self.server.link().seal(state.encode()?)))
            }
            Some(GroupSum::Pads(sum)) => {
                let sum = sum.as_ref().clone().finish()?;
                let state = sum.map(|sum| pad_state(&self.server, &self.request, sum));
                state.transpose()
            }
            Some(GroupSum::Held(frames)) => Ok(Some(frames.state(&self.digest))),
        }
    }

    /// Refuses states of held frames to which there is no answer, before anything is computed. States of sums are checked when
    /// they are answered.
    ///
    /// # Errors
    /// [`Error::Linear`] and [`Error::Lattigo`] for frames that are not merged, and for parameters beyond the frames' bounds.
    pub fn check_answers(&self, states: &[&[u8]]) -> Result<()> {
        let states = states.iter().filter(|_| self.is_merged());
        let mut held = states.map(|state| self.held_frames(state));
        held.try_for_each(|frames| MergedResult::check(&self.request, &self.server, frames?))
    }

    /// The frames of a state.
    fn held_frames(&self, state: &[u8]) -> Result<Vec<Frame>> {
        let keys = self.server.remembering();
        let frames = self.open_held(state)?.frames.into_iter();
        let frames = frames.map(|frame| Frame::unpacked(self.server.packed_frame(&keys, frame)?));
        let mut frames: Vec<Frame> = frames.collect::<Result<_>>()?;
        // Only a state that was made here is in order for certain.
        frames.sort_by_key(Frame::id);
        Ok(frames)
    }

    /// The answer to the state of one group.
    fn answered(&self, state: &[u8]) -> Result<Evaluated<'_>> {
        match self.is_merged() {
            true => of_frames(&self.server, &self.request, self.held_frames(state)?),
            false => of_state(&self.server, &self.request, self.open(state)?),
        }
    }

    /// The answers to states, one for each: computed, their frames entered durably and all at once, sealed. Whether an answer
    /// fits is checked before it is computed. Frames may have entered answers before.
    ///
    /// # Errors
    /// [`Error::Job`] for what does not fit or lacks a key; [`Error::Differs`]; those of a program that bootstraps, as
    /// [`Error::Lattigo`]; [`Error::Keys`] for revoked devices and a memory
    /// of frames that cannot be written. Then there is no answer at all.
    pub fn answers<'i>(&self, states: impl IntoIterator<Item = &'i [u8]>) -> Result<Vec<Answer>> {
        let evaluated = states.into_iter().map(|state| self.answered(state));
        let evaluated: Vec<_> = evaluated.collect::<Result<_>>()?;
        enter_all(&self.server, evaluated)
    }
}

/// A frame that was authenticated.
enum Opened<'i> {
    Rns(PackedFrame<'i>),
    Pad(PadFrame),
}

impl Opened<'_> {
    fn header(&self) -> Header<'_> {
        match self {
            Self::Rns(frame) => Header::Rns(frame.header()),
            Self::Pad(frame) => Header::Pad(&frame.header),
        }
    }

    fn first(&self) -> First {
        match self {
            Self::Rns(frame) => First::Rns(frame.header().clone()),
            Self::Pad(frame) => First::Pad(frame.header),
        }
    }
}

fn pads_of(group: &mut Group) -> Result<&mut PadAccumulator> {
    let sum = group
        .sum
        .get_or_insert_with(|| GroupSum::Pads(Box::default()));
    match sum {
        GroupSum::Pads(sum) => Ok(sum),
        GroupSum::Rns(_) | GroupSum::Held(_) => Err(Error::OtherScheme { item: "packet" }),
    }
}

/// Keeps a frame that is merged with the others of its group.
fn hold(
    group: &mut Group,
    frame: &PackedFrame<'_>,
    reduction: Reduction,
    bytes: &[u8],
) -> Result<()> {
    let header = frame.header();
    let first = match &group.first {
        Some(First::Rns(first)) => first,
        _ => header,
    };
    Merge::check_pair(first, header, reduction)?;
    let held = group
        .sum
        .get_or_insert_with(|| GroupSum::Held(Box::default()));
    match held {
        GroupSum::Held(frames) => frames.add(header.id, header.grid().rows, bytes.to_vec()),
        _ => Err(Error::OtherScheme { item: "frame" }),
    }
}

fn add_pads(group: &mut Group, frame: &PadFrame, weight: i32) -> Result<()> {
    Ok(pads_of(group)?.add(frame, weight)?)
}

fn add_pad_state(group: &mut Group, state: &PadPartial) -> Result<()> {
    Ok(pads_of(group)?.merge_sum(&state.sum)?)
}
