//! Aggregates as init, fold, merge, finish: sums of weighted frames that stream, in memory that does not grow with their number.

mod columns;
mod rows;
mod tags;

use std::collections::BTreeMap;

use crate::machine::Machine;
use crate::{Accumulator, Error, Modulus, Result, Ring, Slice};
use columns::Columns;
use isopod_wire::codes::size::DIGEST;
use isopod_wire::{
    FrameHeader, Manifest, Nonce, Origins, PackedFrame, PackedPart, Partial, PartialHeader, Term,
};
pub use rows::RowMask;
pub use tags::Proof;
use tags::Tags;

/// Sum of weight times frame. A mean is a sum with weights of one, divided by its number of frames at the end, in the scale.
#[derive(Debug, Clone)]
pub struct Sum {
    header: PartialHeader,
    /// c0 of each prime, then c1 of each prime.
    polynomials: Vec<Accumulator>,
    terms: BTreeMap<Term, u64>,
    origins: Origins,
    /// Linear tags of the frames.
    tags: Tags,
    proof: Proof,
    /// Transforms of frames whose coefficients travel rounded.
    ring: Option<Ring>,
    /// Sums of columns: what brings the rows of a frame onto its first one.
    columns: Option<Columns>,
}

/// Polynomials of a frame that is added.
enum Addend<'a> {
    /// Packed residues, and those of c1 that a seed expands to.
    Packed(&'a [PackedPart<'a>], Option<&'a [Vec<u64>]>),
    /// c0 of each prime, then c1 of each prime.
    Residues(Vec<Vec<u64>>),
}

impl Sum {
    /// An empty sum of frames like this one, for a job and the digest of its request.
    ///
    /// # Errors
    /// [`Error::Modulus`], which no set has.
    pub fn new(
        like: &FrameHeader,
        job: &str,
        request: [u8; DIGEST],
        machine: Machine,
    ) -> Result<Self> {
        Self::empty(PartialHeader::of(like, job, request), machine)
    }

    fn empty(header: PartialHeader, machine: Machine) -> Result<Self> {
        let primes = &header.params.data_primes[..usize::from(header.parts)];
        let ring = match header.rounding {
            Some(_) => Some(Ring::new(header.params, primes.len(), machine)?),
            None => None,
        };
        let polynomials = primes.iter().chain(primes).map(|&prime| {
            let modulus = Modulus::new(prime)?;
            let degree = header.params.ring_degree;
            Ok(Accumulator::new(modulus, degree, machine))
        });
        Ok(Self {
            polynomials: polynomials.collect::<Result<_>>()?,
            terms: BTreeMap::new(),
            origins: Origins::default(),
            tags: Tags::default(),
            proof: Proof::default(),
            columns: None,
            ring,
            header,
        })
    }

    /// A sum that goes on where a state ended.
    ///
    /// # Errors
    /// [`Error::Length`], [`Error::Residue`].
    pub fn resume(state: &Partial, machine: Machine) -> Result<Self> {
        let mut sum = Self::empty(state.header.clone(), machine)?;
        sum.merge(state)?;
        Ok(sum)
    }

    /// Adds up the rows of every frame whose coefficients travel rounded, however many it has: coefficient i then holds the sum
    /// of column i over the rows that the mask takes, and coefficients behind the last column mean nothing. Frames of slots
    /// stay as they are, because their unused slots are zero.
    #[must_use]
    pub fn by_columns(mut self, rows: &RowMask) -> Self {
        self.columns = Some(Columns::new(rows.clone()));
        self
    }

    /// Folds these tags of frames from now on; [`Proof::Places`] otherwise.
    #[must_use]
    pub fn proved_by(mut self, proof: Proof) -> Self {
        self.proof = proof;
        self
    }

    /// Adds weight times a frame. A frame by secret key needs the polynomials c1 that its seed expands to.
    ///
    /// # Errors
    /// [`Error::Weight`]; [`Error::Differs`] for a frame of another key, set or arrangement; [`Error::Wire`] for one that entered
    /// before; [`Error::Residue`]; [`Error::Length`] for another mask. The sum is as before.
    pub fn fold(
        &mut self,
        frame: &PackedFrame<'_>,
        mask: Option<&[Vec<u64>]>,
        weight: i32,
    ) -> Result<()> {
        if weight == 0 {
            return Err(Error::Weight);
        }
        let header = frame.header();
        self.check(&PartialHeader::of(
            header,
            &self.header.job,
            self.header.request,
        ))?;
        let primes = usize::from(header.parts);
        if mask.map_or(0, <[_]>::len) != primes * usize::from(!header.seed.is_empty()) {
            let allowed = "c1 of each prime for frames by secret key, none for others";
            return Err(Error::length("mask", mask.map_or(0, <[_]>::len), allowed));
        }
        let addend = match (&self.ring, &mut self.columns) {
            (Some(ring), None) => Addend::Residues(residues(ring, frame, mask)?),
            (Some(ring), Some(columns)) => {
                let mut residues = residues(ring, frame, mask)?;
                columns.add_rows(ring, header.grid(), &mut residues)?;
                Addend::Residues(residues)
            }
            (None, _) => Addend::Packed(frame.parts(), mask),
        };
        self.add(&addend, weight.into())?;
        if let Err(refusal) = self.origins.insert(header.id, header.grid().rows) {
            self.add(&addend, -i64::from(weight))?;
            return Err(refusal.into());
        }
        self.tags.add(self.proof.tag(frame), weight.into());
        *self
            .terms
            .entry(Term::of(header, weight).sort())
            .or_default() += 1;
        Ok(())
    }

    fn check(&self, other: &PartialHeader) -> Result<()> {
        match self.header.difference(other) {
            Some(field) => Err(Error::Differs { field }),
            None => Ok(()),
        }
    }

    fn add(&mut self, addend: &Addend<'_>, weight: i64) -> Result<()> {
        for at in 0..self.polynomials.len() {
            if let Err(refusal) = self.add_one(at, addend, weight) {
                // Polynomials before the refused one were canonical, and are subtracted again.
                for before in 0..at {
                    self.add_one(before, addend, -weight)?;
                }
                return Err(refusal);
            }
        }
        Ok(())
    }

    fn add_one(&mut self, at: usize, addend: &Addend<'_>, weight: i64) -> Result<()> {
        let sum = &mut self.polynomials[at];
        let (parts, mask) = match addend {
            Addend::Residues(polynomials) => return sum.add_residues(&polynomials[at], weight),
            Addend::Packed(parts, mask) => (parts, mask),
        };
        let (polynomial, prime) = (at / parts.len(), at % parts.len());
        if let (1, Some(mask)) = (polynomial, mask) {
            return sum.add_residues(&mask[prime], weight);
        }
        let slices = parts[prime].slices(polynomial);
        let slices: Vec<_> = slices.map(|(at, bytes)| Slice { at, bytes }).collect();
        sum.add(&slices, weight)
    }

    /// Adds the frames of a state.
    ///
    /// # Errors
    /// [`Error::Differs`] for a state of another job, request, set, key or arrangement; [`Error::Wire`] if a frame is in both;
    /// [`Error::Length`], [`Error::Residue`]. The sum is as before.
    pub fn merge(&mut self, state: &Partial) -> Result<()> {
        self.check(&state.header)?;
        let origins = Origins::from(&self.origins.manifest()?.union(&state.manifest)?);
        let polynomials: Vec<_> = state.c0.iter().chain(&state.c1).collect();
        if polynomials.len() != self.polynomials.len() {
            let wanted = self.polynomials.len();
            return Err(Error::length("polynomials", polynomials.len(), wanted));
        }
        let mut sums = self.polynomials.clone();
        for (sum, polynomial) in sums.iter_mut().zip(polynomials) {
            sum.add_residues(polynomial, 1)?;
        }
        self.polynomials = sums;
        self.origins = origins;
        self.tags.add(state.linear_tag, 1);
        for term in &state.terms {
            *self.terms.entry(term.sort()).or_default() += term.frames;
        }
        Ok(())
    }

    /// Adds the frames of another sum.
    ///
    /// # Errors
    /// The errors of [`Sum::merge`].
    pub fn join(&mut self, other: Self) -> Result<()> {
        self.merge(&other.finish([0; 16])?)
    }

    /// Bytes of the polynomials and, about, of the names of the frames in memory.
    pub fn bytes(&self) -> usize {
        /// Memory of an entry of a tree that is two thirds full.
        const RANGE_BYTES: usize = 64;
        let polynomials = self.polynomials.iter().map(Accumulator::bytes);
        polynomials.sum::<usize>() + RANGE_BYTES * (self.origins.ranges() + self.terms.len())
    }

    /// The frames so far.
    ///
    /// # Errors
    /// [`Error::Wire`] for 2^64 frames or more.
    pub fn manifest(&self) -> Result<Manifest> {
        Ok(self.origins.manifest()?)
    }

    /// The sum so far, with canonical residues: to be sealed as a state, or made a result.
    ///
    /// # Errors
    /// [`Error::Wire`] for 2^64 frames or more.
    pub fn finish(mut self, nonce: Nonce) -> Result<Partial> {
        let manifest = self.manifest()?;
        let residues = self.polynomials.iter_mut();
        let mut c0: Vec<Vec<u64>> = residues.map(|sum| sum.residues().to_vec()).collect();
        let c1 = c0.split_off(c0.len() / 2);
        let terms = self.terms.into_iter();
        Ok(Partial {
            linear_tag: self.tags.finish(),
            header: self.header,
            nonce,
            terms: terms
                .map(|(term, frames)| Term { frames, ..term })
                .collect(),
            manifest,
            c0,
            c1,
        })
    }
}

/// The residues of a frame whose coefficients travel rounded.
fn residues(
    ring: &Ring,
    frame: &PackedFrame<'_>,
    mask: Option<&[Vec<u64>]>,
) -> Result<Vec<Vec<u64>>> {
    let [mut c0, c1] = ring.residues(&frame.rounded()?, mask)?;
    c0.extend(c1);
    Ok(c0)
}
