//! Partial states of aggregates: what a server has summed so far, for itself or another server of the key pair
//! (`spec/wire.md`, section 10).

use crate::cbor::codec::{Reader, Writer};
use crate::codes::{allowed, domain, fields, kind, limit, size, VERSION};
use crate::frame::header::{check_parts, read_byte, read_pair};
use crate::result::encrypted::{pack_polynomials, read_polynomials};
use crate::result::provenance::check_job;
use crate::{
    Authentic, Claims, Envelope, FrameHeader, Grid, ItemKind, KeyId, Kind, Layout, LinearTag,
    Manifest, Nonce, PackingId, ParameterSet, Relation, Result, Rounding, Scheme, Unsealed,
    WireError,
};

/// Fields of a term.
const TERM: u64 = 4;
/// Numbers of the keys of terms; a term of dithered frames has one of these and 2.
const PUBLIC: u64 = 0;
const SECRET: u64 = 1;
const DITHERED: u64 = 2;

/// Fields in which all frames of an aggregate agree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartialHeader {
    /// Parameter set.
    pub params: &'static ParameterSet,
    /// Key pair.
    pub key_id: KeyId,
    /// SHA3-256 of the request.
    pub request: [u8; size::DIGEST],
    /// Name of the job, at most 64 bytes, no control characters.
    pub job: String,
    /// Level of the frames.
    pub parts: u16,
    /// log2 of their scale.
    pub log2_scale: u8,
    /// Layout of their values.
    pub layout: Layout,
    /// Values of a row.
    pub columns: u32,
    /// Places from row to row.
    pub stride: u32,
    /// Places of one reading.
    pub buckets: u32,
    /// Names and standardisation of the columns.
    pub packing: Option<PackingId>,
    /// Rounding of their coefficients, where these travel.
    pub rounding: Option<Rounding>,
}

/// Frames that add the same bound and noise, apart from their number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Term {
    /// Whether their encodings were rounded with a dither.
    pub dithered: bool,
    /// Whether the secret key encrypted them.
    pub secret: bool,
    /// Bound as in [`crate::Claims`].
    pub bound: i32,
    /// Factor of the frames, not 0.
    pub weight: i32,
    /// Their number, at least 1.
    pub frames: u64,
}

/// The sum of weighted ciphertexts, and their description.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Partial {
    /// Fields in which the frames agree.
    pub header: PartialHeader,
    /// Nonce, fresh per state.
    pub nonce: Nonce,
    /// Bounds and weights of the frames, sorted.
    pub terms: Vec<Term>,
    /// The frames.
    pub manifest: Manifest,
    /// n residues in NTT order for each prime of the level.
    pub c0: Vec<Vec<u64>>,
    /// Residues of c1 likewise.
    pub c1: Vec<Vec<u64>>,
    /// The linear tag of the sum; None if a frame had none.
    pub linear_tag: Option<LinearTag>,
}

impl PartialHeader {
    /// The fields of a frame, for a job and the digest of its request.
    pub fn of(header: &FrameHeader, job: &str, request: [u8; size::DIGEST]) -> Self {
        Self {
            params: header.params,
            key_id: header.key_id,
            request,
            job: job.to_owned(),
            parts: header.parts,
            log2_scale: header.log2_scale,
            layout: header.layout,
            columns: header.grid().columns,
            stride: header.claims.stride,
            buckets: header.claims.buckets,
            packing: header.claims.packing,
            rounding: header.rounding,
        }
    }

    /// Claims of a frame with this bound.
    pub fn claims(&self, bound: i32) -> Claims {
        Claims {
            bound,
            stride: self.stride,
            buckets: self.buckets,
            packing: self.packing,
        }
    }

    /// The first field in which two aggregates, or an aggregate and a frame, differ.
    pub fn difference(&self, other: &Self) -> Option<&'static str> {
        let fields = [
            ("job", self.job == other.job),
            ("request", self.request == other.request),
            ("set", self.params.set_id == other.params.set_id),
            ("key", self.key_id == other.key_id),
            ("parts", self.parts == other.parts),
            ("log2_scale", self.log2_scale == other.log2_scale),
            ("layout", self.layout == other.layout),
            ("columns", self.columns == other.columns),
            ("stride", self.stride == other.stride),
            ("buckets", self.buckets == other.buckets),
            ("packing", self.packing == other.packing),
            ("run, dropped_0, dropped_1", self.rounding == other.rounding),
        ];
        let differs = fields.iter().find(|(_, equal)| !equal);
        differs.map(|(name, _)| *name)
    }

    fn read(reader: &mut Reader<'_>, params: &'static ParameterSet, key_id: KeyId) -> Result<Self> {
        let mut header = Self {
            params,
            key_id,
            request: *reader.fixed("request")?,
            job: reader.text(size::JOB, "job")?.to_owned(),
            parts: check_parts(params, reader.uint(u64::MAX, "parts")?)?,
            log2_scale: read_byte(reader, "log2_scale")?,
            layout: Layout::read(reader)?,
            columns: 0,
            stride: 0,
            buckets: 0,
            packing: None,
            rounding: None,
        };
        [header.columns, header.stride, header.buckets] =
            reader.words(["columns", "stride", "buckets"])?;
        header.packing = reader.optional("packing")?;
        header.rounding = Rounding::read(reader, header.layout)?;
        Ok(header)
    }

    fn write(&self, writer: &mut Writer) {
        writer
            .bytes(&self.request)
            .text(&self.job)
            .uint(self.parts.into())
            .uint(self.log2_scale.into())
            .uint(self.layout.number().into())
            .uint(self.columns.into())
            .uint(self.stride.into())
            .uint(self.buckets.into())
            .optional(self.packing.as_ref());
        Rounding::write(self.rounding.as_ref(), writer);
    }

    /// Refuses what no frame of the set says: of one row, and of the most rows in the manifest.
    fn check(&self, bounds: impl Iterator<Item = i32>, manifest: &Manifest) -> Result<()> {
        check_job(&self.job)?;
        check_parts(self.params, self.parts.into())?;
        self.params.check_scale(self.log2_scale)?;
        let rows = manifest.ranges().iter().map(|range| range.rows).max();
        let grid = Grid {
            rows: rows.unwrap_or(1),
            columns: self.columns,
            stride: self.stride,
        };
        if !(1..=self.stride).contains(&self.columns) {
            let allowed = format!("1 to {}, the stride", self.stride);
            return Err(WireError::out_of_range("columns", self.columns, allowed));
        }
        let count = u32::try_from(grid.reach()).unwrap_or(u32::MAX);
        self.params.check_values(self.layout, count)?;
        if let Some(rounding) = &self.rounding {
            rounding.check_rows(self.params, self.parts, grid)?;
        }
        for bound in bounds {
            let claims = self.claims(bound);
            claims.check(self.params, self.layout, count)?;
        }
        Ok(())
    }
}

impl Term {
    /// The term without its number of frames.
    pub fn sort(self) -> Self {
        Self { frames: 0, ..self }
    }

    /// A frame with a weight.
    pub fn of(header: &FrameHeader, weight: i32) -> Self {
        Self {
            secret: header.kind == Kind::SecretKey,
            dithered: header.dithered,
            bound: header.claims.bound,
            weight,
            frames: 1,
        }
    }

    fn read(reader: &mut Reader<'_>) -> Result<Self> {
        let key = reader.uint(SECRET + DITHERED, "terms")?;
        Ok(Self {
            secret: key & SECRET != 0,
            dithered: key & DITHERED != 0,
            bound: reader.integer("terms")?,
            weight: reader.integer("terms")?,
            frames: reader.uint(u64::MAX, "terms")?,
        })
    }

    fn write(&self, writer: &mut Writer) {
        let key = if self.secret { SECRET } else { PUBLIC };
        let rounded = if self.dithered { DITHERED } else { 0 };
        writer
            .uint(key + rounded)
            .integer(self.bound.into())
            .integer(self.weight.into())
            .uint(self.frames);
    }
}

impl Authentic<Envelope<'_>> {
    /// Parses a partial state.
    ///
    /// Errors: every field outside of what its set allows.
    pub fn partial(&self) -> Result<Partial> {
        let (mut reader, _) = self.body(ItemKind::Partial, allowed::PARTIAL)?;
        let (params, key_id, nonce) = read_pair(&mut reader)?;
        let header = PartialHeader::read(&mut reader, params, key_id)?;
        let primes = usize::from(header.parts);
        let terms = read_terms(reader.bytes(limit::TERM_BYTES, "terms")?)?;
        let manifest = Manifest::read(reader.bytes(limit::MANIFEST_BYTES, "manifest")?)?;
        let (c0, none) = read_polynomials(&mut reader, "c0", params, primes)?;
        let (c1, linear_tag) = read_polynomials(&mut reader, "c1", params, primes)?;
        LinearTag::refuse("c0", none)?;
        let partial = Partial {
            header,
            nonce,
            terms,
            manifest,
            c0,
            c1,
            linear_tag,
        };
        partial.check().map(|()| partial)
    }
}

fn read_terms(bytes: &[u8]) -> Result<Vec<Term>> {
    let mut reader = Reader::new(bytes);
    let elements = reader.list(limit::TERM_BYTES as u64, "terms")?;
    if elements % TERM != 0 {
        let allowed = "terms of key, bound, weight, frames";
        return Err(WireError::length("terms", elements as usize, allowed));
    }
    let terms = (0..elements / TERM)
        .map(|_| Term::read(&mut reader))
        .collect();
    reader.finish()?;
    terms
}

fn write_terms(terms: &[Term]) -> Vec<u8> {
    let mut writer = Writer::with_capacity(9 + 20 * terms.len());
    writer.array(TERM * terms.len() as u64);
    terms.iter().for_each(|term| term.write(&mut writer));
    writer.into_bytes()
}

impl Partial {
    fn check(&self) -> Result<()> {
        let bounds = self.terms.iter().map(|term| term.bound);
        self.header.check(bounds, &self.manifest)?;
        let sorted = |pair: &[Term]| pair[0].sort() < pair[1].sort();
        if !self.terms.windows(2).all(sorted) {
            return Err(WireError::NotCanonical { field: "terms" });
        }
        if self
            .terms
            .iter()
            .any(|term| term.weight == 0 || term.frames == 0)
        {
            let allowed = "weights and frames other than 0";
            return Err(WireError::out_of_range("terms", 0, allowed));
        }
        let of_slots =
            self.header.params.scheme() == Scheme::Ckks && self.header.layout.allows(true);
        if !of_slots && self.terms.iter().any(|term| term.dithered) {
            let allowed = "the keys 0 and 1 but for slots of CKKS";
            return Err(WireError::out_of_range("terms", DITHERED, allowed));
        }
        let (found, frames) = (
            self.terms
                .iter()
                .map(|term| u128::from(term.frames))
                .sum::<u128>(),
            u128::from(self.manifest.count()),
        );
        if found == 0 || found != frames {
            let allowed = format!("those of the manifest, {frames}, and at least 1");
            return Err(WireError::out_of_range("terms", found, allowed));
        }
        Ok(())
    }

    /// Encodes the state up to its tag, made under the link key.
    ///
    /// Errors: those of reading.
    pub fn encode(&self) -> Result<Unsealed> {
        self.check()?;
        let (terms, manifest) = (write_terms(&self.terms), self.manifest.encode());
        let lengths = [
            ("terms", terms.len(), limit::TERM_BYTES),
            ("manifest", manifest.len(), limit::MANIFEST_BYTES),
            ("c0", self.c0.len(), self.header.parts.into()),
        ];
        for (field, found, most) in lengths {
            if found > most {
                return Err(WireError::length(field, found, format!("0 to {most}")));
            }
        }
        let primes = usize::from(self.header.parts);
        let c0 = pack_polynomials(self.header.params, "c0", &self.c0, primes)?;
        let mut c1 = pack_polynomials(self.header.params, "c1", &self.c1, primes)?;
        c1.extend(LinearTag::write(self.linear_tag));
        let mut writer = Writer::with_capacity(c0.len() + c1.len() + manifest.len() + 512);
        writer
            .array(fields::PARTIAL)
            .uint(VERSION)
            .uint(kind::PARTIAL);
        writer
            .bytes(&self.header.params.set_id)
            .bytes(&self.header.key_id)
            .bytes(&self.nonce);
        self.header.write(&mut writer);
        writer.bytes(&terms).bytes(&manifest).bytes(&c0).bytes(&c1);
        let message = writer.into_bytes();
        Ok(Unsealed::new(
            Relation::Link,
            self.nonce,
            domain::PARTIAL,
            message,
        ))
    }
}
