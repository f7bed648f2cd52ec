//! Aggregation of frames in groups, for engines that hold the groups: fold, merge, and answers, with all checks of an evaluation.

mod group;

use std::sync::Arc;

use isopod_linear::{Machine, Sum};
use isopod_pad::PadAccumulator;
use isopod_wire::codes::size::DIGEST;
use isopod_wire::{
    AnySet, DeviceAuthenticator, Envelope, PackedFrame, PadFrame, PadPartial, Partial,
};

pub use group::Group;

use crate::item_reader::authenticate;
use crate::request::job::{Job, Request};
use crate::server::accumulate::compatibility::check_pair;
use crate::server::accumulate::frame::{named, Header};
use crate::server::accumulate::residues::mask;
use crate::server::aggregation::group::{beginnings, of_rows, First, GroupSum};
use crate::server::evaluation::{enter_all, of_state};
use crate::server::partial_state::{pad_state, State};
use crate::{Answer, Error, Result, Server};

/// Most bits behind the point of weights that come with frames.
const WEIGHT_BITS: u8 = isopod_eval::WEIGHT_BITS;

/// One aggregate of a query: a job on sums, and the server that answers.
#[derive(Clone)]
pub struct Aggregation {
    server: Arc<Server>,
    request: Request,
    digest: [u8; DIGEST],
}

impl Aggregation {
    /// Aggregation of a job whose result is made of a sum of frames of CKKS or BFV, or of packets of pads.
    ///
    /// # Errors
    /// [`Error::NoStates`] for other jobs; those of [`crate::JobName::check`]; [`Error::Parameter`] for bits of weights beyond
    /// 24, or any under a set of integers.
    pub fn new(server: Arc<Server>, job: Job) -> Result<Self> {
        let request = Request::new(job);
        let set = server.set();
        request.job.name().check(set)?;
        let most = match set {
            AnySet::Rns(rns) if rns.plain_modulus.is_none() => WEIGHT_BITS,
            AnySet::Rns(_) | AnySet::Pads => 0,
            AnySet::Tfhe(_) => return Err(Error::OtherScheme { item: "table" }),
        };
        match &request.job {
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
        })
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
        let added = match &group.first {
            Some(first) => check_pair(job, first.header(), header),
            None => Ok(()),
        };
        let added = added.and_then(|()| match &frame {
            Opened::Rns(frame) => self.add(group, frame, weight),
            Opened::Pad(frame) => add_pads(group, frame, weight),
        });
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
            GroupSum::Pads(_) => Err(Error::OtherScheme { item: "frame" }),
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
            Some(GroupSum::Pads(_)) => return Err(Error::OtherScheme { item: "state" }),
            None => {
                let sum = Sum::resume(state, Machine::best())?;
                let sum = self.of_job(sum);
                group.sum = Some(GroupSum::Rns(Box::new(sum)));
            }
        }
        Ok(())
    }

    /// Adds the frames of another group of this aggregation.
    ///
    /// # Errors
    /// [`Error::Linear`] and [`Error::Pad`] for a frame that is in both; then the group is as before.
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
            (Some(more), none) => {
                *none = Some(more);
                Ok(())
            }
        }
    }

    /// Whether a partial state is of this request.
    ///
    /// # Errors
    /// [`Error::Wire`] for other items and tags.
    pub fn is_of(&self, state: &[u8]) -> Result<bool> {
        match self.open(state) {
            Ok(_) => Ok(true),
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

    /// The group as a sealed partial state; None of a group without frames.
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
        }
    }

    /// The answers to partial states, one for each: computed, their frames entered durably and all at once, sealed. Whether an
    /// answer fits is checked before it is computed. Frames may have entered answers before.
    ///
    /// # Errors
    /// [`Error::Job`] for what does not fit or lacks a key; [`Error::Differs`]; [`Error::Keys`] for revoked devices and a memory
    /// of frames that cannot be written. Then there is no answer at all.
    pub fn answers<'i>(&self, states: impl IntoIterator<Item = &'i [u8]>) -> Result<Vec<Answer>> {
        let each = states.into_iter();
        let evaluated = each.map(|state| of_state(&self.server, &self.request, self.open(state)?));
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
        GroupSum::Rns(_) => Err(Error::OtherScheme { item: "packet" }),
    }
}

fn add_pads(group: &mut Group, frame: &PadFrame, weight: i32) -> Result<()> {
    Ok(pads_of(group)?.add(frame, weight)?)
}

fn add_pad_state(group: &mut Group, state: &PadPartial) -> Result<()> {
    Ok(pads_of(group)?.merge_sum(&state.sum)?)
}
