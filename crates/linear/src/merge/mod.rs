//! Merging: frames of rounded coefficients under one key become one ciphertext of a larger ring (`spec/merge.md`).

mod embedding;
mod merged;
mod range;

use crate::{Error, Machine, Result, Ring};
pub use embedding::values_of_slots;
use isopod_wire::codes::size::DIGEST;
use isopod_wire::{
    FrameHeader, FrameId, Grid, Kind, Layout, Origins, PartialHeader, RoundedFrame, Scheme,
};
pub use merged::{Merged, Reading};
pub use range::Reduction;

/// log2 of the largest degree that frames are merged into.
const LOG2_DEGREE: u32 = 16;
/// Bits of the largest prime of a merged ciphertext.
const MODULUS_BITS: u32 = 61;

/// The ring that frames are merged into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LargeRing {
    /// Its degree N.
    pub degree: usize,
    /// Its prime q0.
    pub modulus: u64,
}

/// A frame that was merged: its name, its values and what its sender says about them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MergedFrame {
    /// Name of the frame.
    pub id: FrameId,
    /// Rows and columns of its values.
    pub grid: Grid,
    /// log2 of the bound on its values.
    pub log2_bound: i32,
    /// Key that encrypted it.
    pub kind: Kind,
}

/// Up to N / n frames on their way into one ciphertext.
#[derive(Debug, Clone)]
pub struct Merge {
    header: PartialHeader,
    ring: Ring,
    large: LargeRing,
    /// q, the modulus of the frames.
    modulus: u64,
    c0: Vec<u64>,
    c1: Vec<u64>,
    frames: Vec<MergedFrame>,
    origins: Origins,
    /// Bound on the noise of every coefficient.
    noise: f64,
    reduction: Reduction,
}

impl Merge {
    /// An empty merge of frames like this one, for a job, the digest of its request, and what it reduces by.
    ///
    /// # Errors
    /// [`Error::Allowed`] for a frame of another layout or scheme, and for a large ring that frames of its set do not fit.
    pub fn new(
        like: &FrameHeader,
        job: &str,
        request: [u8; DIGEST],
        large: LargeRing,
        reduction: Reduction,
    ) -> Result<Self> {
        check_frame(like)?;
        let modulus = like.modulus()?;
        check_ring(large, like.params.ring_degree, modulus)?;
        Ok(Self {
            ring: Ring::new(like.params, like.primes().len(), Machine::best())?,
            header: PartialHeader::of(like, job, request),
            c0: vec![0; large.degree],
            c1: vec![0; large.degree],
            frames: Vec::new(),
            origins: Origins::default(),
            noise: 0.0,
            reduction,
            large,
            modulus,
        })
    }

    /// Refuses a frame that is not merged with those like the first one, by what it says alone.
    ///
    /// # Errors
    /// [`Error::Allowed`] for another layout or scheme, and for values or noise that leave the range; [`Error::Differs`].
    pub fn check_pair(
        first: &FrameHeader,
        header: &FrameHeader,
        reduction: Reduction,
    ) -> Result<()> {
        check_frame(header)?;
        let [first, other] = [first, header].map(|of| PartialHeader::of(of, "", [0; DIGEST]));
        if let Some(field) = first.difference(&other) {
            return Err(Error::Differs { field });
        }
        range::check(header, header.modulus()?, reduction).map(drop)
    }

    /// Frames that fit.
    pub fn capacity(&self) -> usize {
        self.large.degree / self.ring.degree()
    }

    /// Whether no further frame fits.
    pub fn is_full(&self) -> bool {
        self.frames.len() == self.capacity()
    }

    /// Merges a frame. A frame by secret key needs the polynomials c1 that its seed expands to.
    ///
    /// # Errors
    /// [`Error::Allowed`] where the merge is full, and for values or noise that leave the range of `spec/merge.md`, section 4;
    /// [`Error::Differs`] for a frame of another key, set or arrangement; [`Error::Wire`] for one that entered before;
    /// [`Error::Length`] and [`Error::Residue`] for a mask that does not belong to it. The merge is as before.
    pub fn add(&mut self, frame: &RoundedFrame, mask: Option<&[Vec<u64>]>) -> Result<()> {
        let noise = self.check(&frame.header)?;
        let [c0, c1] = self.ring.lifted(frame, mask)?;
        let (header, grid) = (&frame.header, frame.header.grid());
        self.origins.insert(header.id, grid.rows)?;
        let (step, first) = (self.capacity(), self.frames.len());
        for (merged, coefficients) in [(&mut self.c0, c0), (&mut self.c1, c1)] {
            let places = merged.iter_mut().skip(first).step_by(step);
            for (place, coefficient) in places.zip(coefficients) {
                *place = raised(coefficient, self.modulus, self.large.modulus);
            }
        }
        self.noise = self.noise.max(noise);
        self.frames.push(MergedFrame {
            id: header.id,
            grid,
            log2_bound: header.claims.bound,
            kind: header.kind,
        });
        Ok(())
    }

    /// Refuses a frame that does not belong to the others, or leaves the range; otherwise the bound on its noise.
    fn check(&self, header: &FrameHeader) -> Result<f64> {
        let other = PartialHeader::of(header, &self.header.job, self.header.request);
        if let Some(field) = self.header.difference(&other) {
            return Err(Error::Differs { field });
        }
        if self.is_full() {
            let allowed = format!("0 to {}, as more do not fit", self.capacity() - 1);
            return Err(Error::allowed("frames", self.frames.len(), allowed));
        }
        range::check(header, self.modulus, self.reduction)
    }

    /// The ciphertext, zero where frames are missing.
    ///
    /// # Errors
    /// [`Error::Allowed`] without any frame.
    pub fn finish(self) -> Result<Merged> {
        if self.frames.is_empty() {
            let allowed = format!("1 to {}", self.capacity());
            return Err(Error::allowed("frames", 0, allowed));
        }
        Ok(Merged {
            header: self.header,
            degree: self.ring.degree(),
            large: self.large,
            modulus: self.modulus,
            c0: self.c0,
            c1: self.c1,
            frames: self.frames,
            noise: self.noise,
            reduction: self.reduction,
        })
    }
}

/// A coefficient modulo `modulus` times `target` / `modulus`, rounded; below the target, which is not less.
fn raised(coefficient: u64, modulus: u64, target: u64) -> u64 {
    // 60 and 61 bits.
    let product = u128::from(coefficient) * u128::from(target) + u128::from(modulus / 2);
    (product / u128::from(modulus)) as u64
}

fn check_frame(like: &FrameHeader) -> Result<()> {
    if like.params.scheme() != Scheme::Ckks {
        let allowed = "sets of CKKS";
        return Err(Error::allowed("set", like.params.name, allowed));
    }
    match like.layout {
        Layout::CoefficientsRounded => Ok(()),
        layout => {
            let allowed = "5, rounded coefficients";
            Err(Error::allowed("layout", layout.number(), allowed))
        }
    }
}

fn check_ring(large: LargeRing, degree: usize, modulus: u64) -> Result<()> {
    let most = 1 << LOG2_DEGREE;
    if !large.degree.is_power_of_two() || !(degree..=most).contains(&large.degree) {
        let allowed = format!("a power of two from {degree} to {most}");
        return Err(Error::allowed("degree", large.degree, allowed));
    }
    if !(modulus..1 << MODULUS_BITS).contains(&large.modulus) {
        let allowed = format!("{modulus} to 2^{MODULUS_BITS} - 1");
        return Err(Error::allowed("modulus", large.modulus, allowed));
    }
    Ok(())
}
