//! The inbox of one evaluation: frames from any sources, authenticated, complete, each once, all of one key pair; on all cores.

use std::collections::BTreeMap;
use std::io::Read;
use std::num::NonZero;
use std::sync::{Arc, Mutex, PoisonError};

use isopod_keys::ReplayCheck;
use isopod_linear::{Machine, Sum};
use isopod_pad::PadAccumulator;
use isopod_wire::{AnySet, Envelope, FrameId, LinearTag, Manifest};

use crate::item_reader::authenticate;
use crate::request::job::{Job, Request};
use crate::request::pad_span::PadSpan;
use crate::server::accumulate::accumulator::Accumulated;
use crate::server::accumulate::accumulator::{AccumulatorKind, FrameAccumulator, SumDefinition};
use crate::server::accumulate::pads::{PadPackets, PadSumDefinition};
use crate::server::accumulate::tfhe::TfheAccumulator;
use crate::server::admit::admission::Admission;
use crate::server::admit::packets::PacketSource;
use crate::server::admit::quarantine::{LocatedBytes, Quarantine, Tally};
use crate::server::partial_state::State;
use crate::server::read::batch_reader::{BatchReader, PositionedBatch, Source};
use crate::server::read::position::SourcePosition;
use crate::{Error, Frame, Result, Server};

/// The request that frames are collected for, and what the server remembers.
pub(crate) struct Purpose {
    pub request: Request,
    pub again: bool,
    /// Whether a store judged the age of the frames as they came.
    pub stored: bool,
    pub judge: ReplayCheck,
}

/// Collects the frames of one evaluation from any number of sources, whatever the order of their parts. Frames of a job that
/// needs their sum alone are added up as they come, and those of TFHE jobs for which order is nothing are worked on; those of
/// other jobs are held. Without a quarantine the first item that does not enter is an error; it changes nothing, and the frames
/// before it stay.
pub struct Inbox<'a> {
    server: &'a Server,
    purpose: Option<Purpose>,
    kind: AccumulatorKind,
    accumulators: Vec<Mutex<FrameAccumulator>>,
    states: Option<Box<Sum>>,
    /// Packets of pads in partial states.
    pad_states: PadAccumulator,
    pub(crate) admission: Arc<Admission<'a>>,
    sources: usize,
    packets: Option<Arc<PadPackets>>,
    reader: Option<PadSpan>,
}

impl<'a> Inbox<'a> {
    /// An inbox that holds all frames under the server's key pair.
    pub fn new(server: &'a Server) -> Self {
        Self::with(server, None, AccumulatorKind::Frames)
    }

    /// An inbox for a request. Frames enter the same request once; `again` takes those that entered it before.
    ///
    /// # Errors
    /// The errors of [`Request::check`]; [`Error::WithoutBackend`] and [`Error::Lattigo`]; [`Error::Keys`] for a memory of frames
    /// that cannot be read.
    pub fn for_request(server: &'a Server, request: &Request, again: bool) -> Result<Self> {
        server.check_request(request)?;
        server.check_backend(request)?;
        let digest = request.digest(server.set());
        let purpose = Purpose {
            request: request.clone(),
            again,
            stored: false,
            judge: server.replay().judge(digest, again)?,
        };
        let kind = match server.set() {
            AnySet::Rns(_) => SumDefinition::of(request, server.set(), digest)
                .map(|definition| AccumulatorKind::Sum(definition.into())),
            AnySet::Tfhe(_) => {
                TfheAccumulator::of(request)?.map(|tfhe| AccumulatorKind::Tfhe(tfhe.into()))
            }
            // Weights go by the order of all packets.
            AnySet::Pads => match request.job {
                Job::Weighted(_) => None,
                _ => Some(AccumulatorKind::Pads(
                    PadSumDefinition::new(request.job.name()).into(),
                )),
            },
        };
        Ok(Self::with(
            server,
            Some(purpose),
            kind.unwrap_or(AccumulatorKind::Frames),
        ))
    }

    fn with(server: &'a Server, purpose: Option<Purpose>, kind: AccumulatorKind) -> Self {
        let inbox = Self {
            server,
            purpose,
            kind,
            accumulators: Vec::new(),
            states: None,
            pad_states: PadAccumulator::default(),
            admission: Arc::new(Admission::new(server)),
            sources: 0,
            packets: None,
            reader: None,
        };
        let cores = std::thread::available_parallelism();
        inbox.with_threads(cores.unwrap_or(NonZero::<usize>::MIN))
    }

    /// Takes frames of a store that judged them as they came, and holds each once: however old they are by now, only whether they
    /// entered an answer to the request is asked.
    pub fn of_stored(mut self) -> Self {
        self.purpose = self.purpose.map(|purpose| Purpose {
            stored: true,
            judge: purpose.judge.of_stored(),
            ..purpose
        });
        self
    }

    /// Computes on packets of pads: each frame of TFHE is the encryption of the pads of one of them. Call it before anything is
    /// read.
    pub fn with_packets(mut self, packets: PadPackets) -> Self {
        let packets = Arc::new(packets);
        if let AccumulatorKind::Tfhe(tfhe) = &self.kind {
            tfhe.add_to(&packets);
        }
        self.packets = Some(packets);
        self
    }

    /// Seals a sum of pads for the holder of a range key, in place of the owner. The sum holds packets of the range alone.
    pub fn for_reader(mut self, reader: Option<PadSpan>) -> Self {
        self.reader = reader;
        self
    }

    /// Works in this number of threads in place of one per core. Call it before anything is read.
    pub fn with_threads(mut self, threads: NonZero<usize>) -> Self {
        let accumulator = |_| Mutex::new(FrameAccumulator::new(&self.kind));
        self.accumulators = (0..threads.get()).map(accumulator).collect();
        self
    }

    /// Sets items aside that do not enter, in place of an error.
    pub fn with_quarantine(mut self, quarantine: Quarantine<'a>) -> Self {
        // Shared only while something is read.
        if let Some(admission) = Arc::get_mut(&mut self.admission) {
            admission.quarantine = Some(Mutex::new(quarantine));
        }
        self
    }

    /// Reads one source to its end.
    ///
    /// # Errors
    /// The errors of [`Inbox::read_all`].
    pub fn read(&mut self, source: impl Read + Send) -> Result<()> {
        let name = String::new();
        let bytes = source;
        self.read_all([Ok(Source { name, bytes })])
    }

    /// Reads sources to their ends, one after the other. Partial states come before the frames that they may hold.
    ///
    /// # Errors
    /// Without a quarantine [`Error::At`] names the source and the item: what [`Envelope::read`] refuses, a tag, another key
    /// pair, a duplicate, a stale or repeated frame. In any case [`Error::Differs`] for frames that are not added up with the
    /// first; [`Error::At`] for a partial state of another job, request, set, key or with frames that entered; [`Error::Read`].
    pub fn read_all<R: Read + Send, I>(&mut self, sources: I) -> Result<()>
    where
        I: IntoIterator<Item = Result<Source<R>>>,
        I::IntoIter: Send,
    {
        let admission = self.admission.clone();
        let sources = sources.into_iter().map(|source| {
            source.map(|source| Source {
                bytes: PacketSource::new(admission.clone(), &source.name, source.bytes),
                name: source.name,
            })
        });
        let mut reader = BatchReader::new(sources, self.server.key_id());
        let mut read = self.run(&mut reader);
        while let Ok(Some(work)) = &read {
            self.state(&work.place, &work.batch.bytes)?;
            read = self.run(&mut reader);
        }
        self.sources += reader.opened();
        read.map(drop)
    }

    /// Works until a partial state comes, or the end.
    fn run<R: Read + Send, I: Iterator<Item = Result<Source<R>>> + Send>(
        &self,
        reader: &mut BatchReader<I, R>,
    ) -> Result<Option<PositionedBatch>> {
        let judge = self.purpose.as_ref().map(|purpose| &purpose.judge);
        let read = self
            .admission
            .work(&self.accumulators, judge, || reader.next());
        self.admission.failure().map_or(read, Err)
    }

    /// Merges a partial state; one that cannot be merged is an error, unless it is damaged.
    fn state(&mut self, place: &SourcePosition, bytes: &[u8]) -> Result<()> {
        let authentic = Envelope::read_only(bytes)
            .map_err(Error::from)
            .and_then(|item| authenticate(item, self.server, self.server.key_id()));
        let merged = match authentic {
            Err(error) => {
                let place = place.clone();
                let piece = LocatedBytes { place, bytes };
                return self.admission.reject(&[piece], "partial state", error);
            }
            Ok(item) => State::read(self.server, &item).and_then(|state| self.merge(&state)),
        };
        merged.map_err(|error| place.explain("partial state", error))
    }

    fn merge(&mut self, state: &State) -> Result<()> {
        let Some(purpose) = &self.purpose else {
            return Err(Error::NoStates);
        };
        match (&self.kind, state) {
            (AccumulatorKind::Sum(definition), State::Rns(state)) => {
                definition.check(&state.header)?;
            }
            (AccumulatorKind::Pads(definition), State::Pads(state)) => {
                definition.check(state, &purpose.request.digest(AnySet::Pads))?;
            }
            _ => return Err(Error::NoStates),
        }
        let manifest = state.manifest()?;
        for (id, _) in manifest.frames() {
            purpose.judge.check_entered(id)?;
        }
        self.admission.admitted().check_state(&manifest)?;
        match (state, &mut self.states) {
            (State::Pads(state), _) => self.pad_states.merge_sum(&state.sum)?,
            (State::Rns(state), Some(states)) => states.merge(state)?,
            (State::Rns(state), none) => {
                *none = Some(Box::new(Sum::resume(state, Machine::best())?));
            }
        }
        self.admission.admitted().add_state(&manifest)
    }

    /// The frames of all partial states.
    fn frames_of_states(&self) -> Result<Manifest> {
        let sums = self.states.as_ref();
        if let Some(manifest) = sums.map(|states| states.manifest()).transpose()? {
            return Ok(manifest);
        }
        let pads = self.pad_states.clone().finish()?;
        let manifest = pads.map(|sum| sum.manifest()).transpose()?;
        Ok(manifest.unwrap_or_default())
    }

    /// Ends the reading: rejects the parts of frames that lack others. Tells what came of all items.
    ///
    /// # Errors
    /// [`isopod_wire::WireError::MissingParts`] of the first incomplete frame without a quarantine.
    pub fn close(&mut self) -> Result<Tally> {
        self.admission.finish()?;
        Ok(self.admission.admitted().tally.clone())
    }

    /// The frames in the order of device, epoch and sequence, of an inbox without a request.
    ///
    /// # Errors
    /// [`isopod_wire::WireError::MissingParts`] of the first incomplete frame; [`Error::NoFrames`].
    pub fn complete(self) -> Result<Vec<Frame>> {
        Ok(self.collect()?.1.frames)
    }

    /// Everything that was collected, and what for.
    pub(crate) fn collect(mut self) -> Result<(Option<Purpose>, Accumulated)> {
        self.close()?;
        let threads = NonZero::new(self.accumulators.len()).unwrap_or(NonZero::<usize>::MIN);
        let of_states = self.frames_of_states()?;
        let mut sum = self.states.take();
        let mut pads = std::mem::take(&mut self.pad_states);
        let frames = join_all(self.accumulators, &mut sum, &mut pads)?;
        let (tfhe, pads) = (self.kind.tfhe(), pads.finish()?);
        if frames.is_empty() && sum.is_none() && tfhe.is_none() && pads.is_none() {
            let sources = self.sources;
            let refusal = self.admission.first_refusal();
            return Err(refusal.unwrap_or(Error::NoFrames { sources }));
        }
        let sum = sum.map(|sum| sum.finish(isopod_keys::random()?).map_err(Error::from));
        let (frames, linear_tags) = frames.into_values().unzip();
        let accumulated = Accumulated {
            frames,
            linear_tags,
            sum: sum.transpose()?,
            tfhe,
            pads,
            packets: self.packets,
            reader: self.reader,
            of_states,
            threads,
        };
        Ok((self.purpose, accumulated))
    }

    pub(crate) fn server(&self) -> &'a Server {
        self.server
    }
}

/// The frames of all threads, in order; those that were added up go into the sums.
fn join_all(
    accumulators: Vec<Mutex<FrameAccumulator>>,
    sum: &mut Option<Box<Sum>>,
    pads: &mut PadAccumulator,
) -> Result<BTreeMap<FrameId, (Frame, Option<LinearTag>)>> {
    let mut frames = BTreeMap::new();
    for accumulator in accumulators {
        let accumulator = accumulator.into_inner();
        match accumulator.unwrap_or_else(PoisonError::into_inner) {
            FrameAccumulator::Frames(more) => frames.extend(more),
            FrameAccumulator::Sum(_, part) => join(sum, part)?,
            FrameAccumulator::Tfhe(_) => {}
            FrameAccumulator::Pads(share) => pads.merge(&share.sum)?,
        }
    }
    Ok(frames)
}

fn join(sum: &mut Option<Box<Sum>>, part: Option<Box<Sum>>) -> Result<()> {
    match (sum.as_mut(), part) {
        (_, None) => {}
        (Some(sum), Some(part)) => sum.join(*part)?,
        (None, part) => *sum = part,
    }
    Ok(())
}
