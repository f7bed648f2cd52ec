//! Aggregation of frames in groups, for engines that hold the groups: fold, merge, and answers, with all checks of an evaluation.

use std::sync::Arc;

use isopod_linear::{Machine, Sum};
use isopod_wire::codes::size::DIGEST;
use isopod_wire::{
    AnySet, DeviceAuthenticator, Envelope, FrameHeader, FrameRange, ItemKind, Manifest,
    PackedFrame, Partial,
};

use crate::item_reader::authenticate;
use crate::request::job::{Job, Request};
use crate::server::accumulate::compatibility::check_pair;
use crate::server::accumulate::frame::named;
use crate::server::accumulate::frame::Header;
use crate::server::accumulate::residues::mask;
use crate::server::evaluation::{enter_all, of_state};
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

/// Frames of one group so far. Memory is that of one sum: eight bytes a residue, and the names of the frames as ranges.
#[derive(Default)]
pub struct Group {
    first: Option<FrameHeader>,
    sum: Option<Box<Sum>>,
}

impl Aggregation {
    /// Aggregation of a job whose result is made of a sum of frames of CKKS or BFV.
    ///
    /// # Errors
    /// [`Error::NoStates`] for other jobs; those of [`crate::JobName::check`]; [`Error::Parameter`] for bits of weights beyond
    /// 24, or any under a set of integers.
    pub fn new(server: Arc<Server>, job: Job) -> Result<Self> {
        let request = Request::new(job);
        let set = server.set();
        request.job.name().check(set)?;
        let AnySet::Rns(rns) = set else {
            return Err(Error::OtherScheme { item: "table" });
        };
        match &request.job {
            Job::Weighed(bits) => {
                let most = if rns.plain_modulus.is_some() {
                    0
                } else {
                    WEIGHT_BITS
                };
                if *bits > most {
                    let problem = format!("{bits}; allowed under {} are 0 to {most}", rns.name);
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
    /// already; [`Error::Keys`] for revoked devices; [`Error::Parameter`] for weights. The group is as before the item.
    pub fn fold<'i>(
        &self,
        group: &mut Group,
        items: impl IntoIterator<Item = (&'i [u8], f64)>,
    ) -> Result<()> {
        let keys = self.server.remembering();
        for (item, weight) in items {
            match Envelope::claimed_kind(item) {
                Some(ItemKind::Partial) => self.merge(group, item)?,
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
        let frame = self.server.packed_frame(keys, item)?;
        let header = frame.header();
        self.server.check_device(header.id)?;
        if weight == 0 {
            return Ok(());
        }
        let job = self.request.job.name();
        let added = match &group.first {
            Some(first) => check_pair(job, Header::Rns(first), Header::Rns(header)),
            None => Ok(()),
        };
        let added = added.and_then(|()| self.add(group, &frame, weight));
        if group.first.is_none() {
            group.first = Some(header.clone());
        }
        added.map_err(|error| error.at(named(header.id)))
    }

    fn add(&self, group: &mut Group, frame: &PackedFrame<'_>, weight: i32) -> Result<()> {
        let header = frame.header();
        let mask = mask(header)?;
        let sum = match &mut group.sum {
            Some(sum) => sum,
            none => {
                let job = self.request.job.name().name();
                let empty = Sum::new(header, job, self.digest, Machine::best())?;
                none.insert(Box::new(self.of_rows(empty)))
            }
        };
        Ok(sum.fold(frame, mask.as_deref(), weight)?)
    }

    /// A sum of columns, if the job is one.
    fn of_rows(&self, sum: Sum) -> Sum {
        match self.request.job.rows() {
            Some(rows) => sum.by_columns(&rows),
            None => sum,
        }
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
        for (id, _) in state.manifest.frames() {
            self.server.check_device(id)?;
        }
        self.add_state(group, &state)
    }

    fn add_state(&self, group: &mut Group, state: &Partial) -> Result<()> {
        match &mut group.sum {
            Some(sum) => {
                let before = sum.manifest()?;
                sum.merge(state)
                    .map_err(|error| Error::from(error).at(beginnings(&before, &state.manifest)))?;
            }
            None => {
                let sum = self.of_rows(Sum::resume(state, Machine::best())?);
                group.sum = Some(Box::new(sum));
            }
        }
        Ok(())
    }

    /// Adds the frames of another group of this aggregation.
    ///
    /// # Errors
    /// [`Error::Linear`] for a frame that is in both; then the group is as before.
    pub fn join(&self, group: &mut Group, other: Group) -> Result<()> {
        match other.sum {
            Some(sum) => self.add_state(group, &sum.finish(isopod_keys::random()?)?),
            None => Ok(()),
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
    fn open(&self, item: &[u8]) -> Result<Partial> {
        let server = &*self.server;
        let item = authenticate(Envelope::read_only(item)?, server, server.key_id())?;
        let state = item.partial()?;
        server.check_pair(state.header.key_id, AnySet::Rns(state.header.params))?;
        if state.header.request != self.digest {
            let field = "request";
            return Err(isopod_linear::Error::Differs { field }.into());
        }
        Ok(state)
    }

    /// The group as a sealed partial state; None of a group without frames.
    ///
    /// # Errors
    /// [`Error::Wire`] for more ranges of frames than a state names; [`Error::Keys`] without entropy.
    pub fn state(&self, group: &Group) -> Result<Option<Vec<u8>>> {
        let Some(sum) = &group.sum else {
            return Ok(None);
        };
        let state = sum.as_ref().clone().finish(isopod_keys::random()?)?;
        Ok(Some(self.server.link().seal(state.encode()?)))
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

/// Two sums in messages, by their first frames.
fn beginnings(one: &Manifest, two: &Manifest) -> String {
    let first = |manifest: &Manifest| manifest.ranges().first().map(FrameRange::id).map(named);
    let names: Vec<String> = [one, two].into_iter().filter_map(first).collect();
    format!("sums that begin with {}", names.join(" and "))
}

impl Group {
    /// An empty group whose frames must be like those of this one, to which it is joined later.
    #[must_use]
    pub fn beside(&self) -> Self {
        Self {
            first: self.first.clone(),
            sum: None,
        }
    }

    /// Bytes in memory, about.
    pub fn bytes(&self) -> usize {
        size_of::<Self>() + self.sum.as_ref().map_or(0, |sum| sum.bytes())
    }

    /// Number of frames in the group.
    ///
    /// # Errors
    /// [`Error::Linear`] for 2^64 frames or more.
    pub fn frames(&self) -> Result<u64> {
        let manifest = self.sum.as_ref().map(|sum| sum.manifest()).transpose()?;
        Ok(manifest.map_or(0, |manifest| manifest.count()))
    }
}
