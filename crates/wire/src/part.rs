//! Parts: the residues of a ciphertext modulo one prime, under the header of its frame (`spec/wire.md`, section 1).

use crate::cbor::{Reader, Writer};
use crate::codes::{fields, kind, layout, size, suite, VERSION};
use crate::{
    params, residues, Authentic, Claims, Envelope, Grid, KeyId, Layout, Nonce, ParameterSet,
    Relation, Result, Rounding, Scheme, Unsealed, WireError,
};

/// Kind of a frame: the key that encrypted it. The scheme is that of its set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The public key; both polynomials travel.
    PublicKey,
    /// The secret key; the second polynomial travels as its seed.
    SecretKey,
}

impl Kind {
    /// The kind's number on the wire.
    pub(crate) fn number(self, scheme: Scheme) -> u64 {
        match (self, scheme) {
            (Self::PublicKey, Scheme::Ckks) => kind::CKKS_PUBLIC,
            (Self::SecretKey, Scheme::Ckks) => kind::CKKS_SECRET,
            (Self::PublicKey, Scheme::Bfv) => kind::BFV_PUBLIC,
            (Self::SecretKey, Scheme::Bfv) => kind::BFV_SECRET,
        }
    }

    fn read(number: u64, scheme: Scheme) -> Result<Self> {
        let kinds = [Self::PublicKey, Self::SecretKey];
        let known = kinds.into_iter().find(|kind| kind.number(scheme) == number);
        known.ok_or(WireError::UnknownKind {
            found: number,
            allowed: match scheme {
                Scheme::Ckks => "1 or 2 for a set of CKKS",
                Scheme::Bfv => "3 or 4 for a set of BFV",
            },
        })
    }
}

/// Randomness suites of CKKS and BFV, which expand a frame's streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Suite {
    /// ChaCha20 (`[RFC8439]`).
    Chacha20,
    /// SHAKE-256 (`[FIPS202]`).
    Shake256,
    /// SHAKE-256, with the mask expanded as SEAL's generator does.
    SealShake256,
}

impl Suite {
    /// The suite's number on the wire.
    pub fn number(self) -> u8 {
        match self {
            Self::Chacha20 => suite::CHACHA20,
            Self::Shake256 => suite::SHAKE256,
            Self::SealShake256 => suite::SEAL_SHAKE256,
        }
    }

    /// The suite's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Chacha20 => "chacha20",
            Self::Shake256 => "shake256",
            Self::SealShake256 => "seal-shake256",
        }
    }

    /// Bytes of the suite's mask seed.
    pub fn seed_bytes(self) -> usize {
        match self {
            Self::SealShake256 => size::SEAL_MASK_SEED,
            _ => size::MASK_SEED,
        }
    }

    fn read(number: u64) -> Result<Self> {
        [Self::Chacha20, Self::Shake256, Self::SealShake256]
            .into_iter()
            .find(|suite| u64::from(suite.number()) == number)
            .ok_or(WireError::UnknownSuite { found: number })
    }
}

/// Name of a frame, used once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FrameId {
    /// Number of the sending device.
    pub device: u64,
    /// Number of the device's restarts.
    pub epoch: u32,
    /// Number of the frame since the restart.
    pub sequence: u64,
}

/// Header fields that all parts of a frame share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrameHeader {
    /// Key that encrypted the frame.
    pub kind: Kind,
    /// Parameter set.
    pub params: &'static ParameterSet,
    /// Level: the number of data primes, the first ones of the set, that have a part each; from 1.
    pub parts: u16,
    /// Randomness suite.
    pub suite: Suite,
    /// Key pair.
    pub key_id: KeyId,
    /// Name of the frame.
    pub id: FrameId,
    /// Nonce, public and fresh per frame.
    pub nonce: Nonce,
    /// Slices of the residues: 1, 2, 4 or 8; 1 for [`Kind::SecretKey`].
    pub interleave: u8,
    /// log2 of the scale; 0 in BFV.
    pub log2_scale: u8,
    /// Number of encoded values, from 1 to the places of the layout.
    pub count: u32,
    /// Layout of the values.
    pub layout: Layout,
    /// Whether the encoding was rounded with a dither: without bias, and differently in every frame. Otherwise to the nearest.
    pub dithered: bool,
    /// Bound, arrangement and meaning of the values, as the sender says.
    pub claims: Claims,
    /// Rounding of [`Layout::CoefficientsRounded`]; None in other layouts.
    pub rounding: Option<Rounding>,
    /// Mask seed of [`Kind::SecretKey`], 32 or 64 bytes; otherwise empty.
    pub seed: Vec<u8>,
}

/// One part, authenticated and fully checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Header that all parts of the frame share.
    pub header: FrameHeader,
    /// Number of the data prime, from 0.
    pub part: u16,
    /// n residues below the prime, in NTT order.
    pub c0: Vec<u64>,
    /// n residues of c1 likewise; None for [`Kind::SecretKey`].
    pub c1: Option<Vec<u64>>,
}

impl Authentic<Envelope<'_>> {
    /// Parses a part.
    ///
    /// Errors: every field outside of what its set, kind and suite allow.
    pub fn part(&self) -> Result<Part> {
        self.packed_part()?.unpack()
    }
}

pub(crate) fn read_header(reader: &mut Reader<'_>, kind: u64) -> Result<(FrameHeader, u16)> {
    let params = read_set(reader)?;
    let kind = Kind::read(kind, params.scheme())?;
    let suite = Suite::read(reader.uint(u64::MAX, "suite")?)?;
    let key_id = *reader.fixed("key")?;
    let id = read_id(reader)?;
    let nonce = *reader.fixed("nonce")?;
    let (part, parts) = read_place(reader, params)?;
    let interleave = read_byte(reader, "interleave")?;
    let log2_scale = read_byte(reader, "log2_scale")?;
    let count = reader.uint(u64::from(u32::MAX), "count")? as u32;
    let (layout, dithered) = Layout::read_of_frame(reader)?;
    let claims = Claims::read(reader)?;
    let rounding = Rounding::read(reader, layout)?;
    let header = FrameHeader {
        kind,
        params,
        parts,
        suite,
        key_id,
        id,
        nonce,
        interleave,
        log2_scale,
        count,
        layout,
        dithered,
        claims,
        rounding,
        seed: reader.bytes(usize::MAX, "seed")?.to_vec(),
    };
    header.check()?;
    let part = header.check_part(part)?;
    Ok((header, part))
}

pub(crate) fn read_byte(reader: &mut Reader<'_>, field: &'static str) -> Result<u8> {
    Ok(reader.uint(u64::from(u8::MAX), field)? as u8)
}

fn read_id(reader: &mut Reader<'_>) -> Result<FrameId> {
    Ok(FrameId {
        device: reader.uint(u64::MAX, "device")?,
        epoch: reader.uint(u64::from(u32::MAX), "epoch")? as u32,
        sequence: reader.uint(u64::MAX, "sequence")?,
    })
}

/// Reads the number of the part, still unchecked, and the number of the frame's parts.
fn read_place(reader: &mut Reader<'_>, params: &ParameterSet) -> Result<(u64, u16)> {
    let part = reader.uint(u64::MAX, "part")?;
    let parts = reader.uint(u64::MAX, "parts")?;
    Ok((part, check_parts(params, parts)?))
}

/// Reads the parameter set that the next field names.
pub(crate) fn read_set(reader: &mut Reader<'_>) -> Result<&'static ParameterSet> {
    let id = reader.fixed::<{ size::SET_ID }>("set")?;
    params::by_id(id).ok_or_else(|| WireError::UnknownSet {
        found: id.iter().map(|byte| format!("{byte:02x}")).collect(),
    })
}

pub(crate) fn check_parts(params: &ParameterSet, parts: u64) -> Result<u16> {
    let primes = params.data_primes.len();
    match u16::try_from(parts) {
        Ok(found) if (1..=primes).contains(&usize::from(found)) => Ok(found),
        _ => Err(WireError::length(
            "parts",
            parts as usize,
            format!("1 to {primes}"),
        )),
    }
}

impl FrameHeader {
    /// The primes of the frame's level, one part each.
    pub fn primes(&self) -> &'static [u64] {
        &self.params.data_primes[..usize::from(self.parts)]
    }

    /// Rows and columns of the values.
    pub fn grid(&self) -> Grid {
        Grid::of(self.count, self.claims.stride)
    }

    fn check_part(&self, part: u64) -> Result<u16> {
        let items = self.items();
        if part < u64::from(items) {
            return Ok(part as u16);
        }
        let allowed = format!("0 to {}", items - 1);
        Err(WireError::out_of_range("part", part, allowed))
    }

    /// Refuses values that the set, kind or suite do not allow.
    pub(crate) fn check(&self) -> Result<()> {
        check_parts(self.params, self.parts.into())?;
        self.params.check_scale(self.log2_scale)?;
        self.params.check_values(self.layout, self.count)?;
        self.check_dither()?;
        self.claims.check(self.params, self.layout, self.count)?;
        self.check_kind()?;
        match &self.rounding {
            Some(rounding) => rounding.check(self),
            None => Ok(()),
        }
    }

    fn check_dither(&self) -> Result<()> {
        let number = self.layout.number_of_frame(self.dithered);
        if self.dithered && self.params.scheme() == Scheme::Bfv {
            let allowed = "0, 1, 4 or 5 for a set of BFV";
            return Err(WireError::out_of_range("layout", number, allowed));
        }
        match self.layout.allows(self.dithered) {
            true => Ok(()),
            false => Err(WireError::out_of_range("layout", number, layout::ALLOWED)),
        }
    }

    fn check_kind(&self) -> Result<()> {
        let (slices, allowed, seed_bytes): (&[u8], _, _) = match self.kind {
            Kind::PublicKey if self.rounding.is_some() => (&[1], "1 for layout 5", 0),
            Kind::PublicKey => (&[1, 2, 4, 8], "1, 2, 4 or 8", 0),
            Kind::SecretKey => (&[1], "1 for kinds 2 and 4", self.suite.seed_bytes()),
        };
        if !slices.contains(&self.interleave) {
            return Err(WireError::out_of_range(
                "interleave",
                self.interleave,
                allowed,
            ));
        }
        if self.seed.len() != seed_bytes {
            return Err(WireError::length("seed", self.seed.len(), seed_bytes));
        }
        Ok(())
    }

    /// The first field, apart from the residues, in which two headers differ.
    pub fn difference(&self, other: &Self) -> Option<&'static str> {
        let claims = self.claims.difference(&other.claims);
        let fields = [
            ("kind", self.kind == other.kind),
            ("set", self.params.set_id == other.params.set_id),
            ("parts", self.parts == other.parts),
            ("suite", self.suite == other.suite),
            ("key", self.key_id == other.key_id),
            ("nonce", self.nonce == other.nonce),
            ("interleave", self.interleave == other.interleave),
            ("log2_scale", self.log2_scale == other.log2_scale),
            ("count", self.count == other.count),
            (
                "layout",
                (self.layout, self.dithered) == (other.layout, other.dithered),
            ),
            (claims.unwrap_or("claims"), claims.is_none()),
            (
                "run",
                self.rounding.map(|at| at.run) == other.rounding.map(|at| at.run),
            ),
            ("dropped_0, dropped_1", self.rounding == other.rounding),
            ("seed", self.seed == other.seed),
        ];
        fields
            .iter()
            .find(|(_, equal)| !equal)
            .map(|(name, _)| *name)
    }
}

impl FrameHeader {
    fn write(&self, writer: &mut Writer, part: u16) {
        let kind = self.kind.number(self.params.scheme());
        writer.array(fields::PART).uint(VERSION).uint(kind);
        writer
            .bytes(&self.params.set_id)
            .uint(self.suite.number().into())
            .bytes(&self.key_id);
        writer
            .uint(self.id.device)
            .uint(self.id.epoch.into())
            .uint(self.id.sequence);
        writer
            .bytes(&self.nonce)
            .uint(part.into())
            .uint(self.parts.into());
        writer
            .uint(self.interleave.into())
            .uint(self.log2_scale.into());
        writer
            .uint(self.count.into())
            .uint(self.layout.number_of_frame(self.dithered).into());
        self.claims.write(writer);
        Rounding::write(self.rounding.as_ref(), writer);
        writer.bytes(&self.seed);
    }
}

/// A part with its packed residues or coefficients.
pub(crate) fn seal(header: &FrameHeader, part: u16, packed: &[u8]) -> Unsealed {
    let mut writer = Writer::with_capacity(packed.len() + 256);
    header.write(&mut writer, part);
    writer.bytes(packed);
    let relation = Relation::Device(header.id.device);
    Unsealed::new(relation, header.nonce, part.into(), writer.into_bytes())
}

pub(crate) fn wrong_c1(found: usize) -> WireError {
    WireError::length("c1", found, "n for kinds 1 and 3, none for kinds 2 and 4")
}

/// The error of a frame whose coefficients travel, where residues are wanted.
pub(crate) fn not_residues(header: &FrameHeader) -> WireError {
    WireError::out_of_range("layout", header.layout.number(), "0 to 4, residues")
}

pub(crate) fn residue_bytes(header: &FrameHeader, part: u16) -> Result<usize> {
    if let Some(rounding) = &header.rounding {
        return Ok(header.rounded_bytes(rounding)?.iter().sum());
    }
    let polynomials = if header.kind == Kind::PublicKey { 2 } else { 1 };
    Ok(polynomials
        * header
            .params
            .packed_bytes(header.primes()[usize::from(part)]))
}

pub(crate) type Polynomials = (Vec<u64>, Option<Vec<u64>>);

pub(crate) fn read_residues(header: &FrameHeader, prime: u64, bytes: &[u8]) -> Result<Polynomials> {
    let degree = header.params.ring_degree;
    if header.kind == Kind::SecretKey {
        return Ok((residues::read(prime, bytes, degree)?, None));
    }
    let slice = degree / usize::from(header.interleave);
    let values = residues::read(prime, bytes, 2 * degree)?;
    let (mut c0, mut c1) = (Vec::with_capacity(degree), Vec::with_capacity(degree));
    for pair in values.chunks(2 * slice) {
        c0.extend_from_slice(&pair[..slice]);
        c1.extend_from_slice(&pair[slice..]);
    }
    Ok((c0, Some(c1)))
}

impl Part {
    /// Encodes the part up to its tag, made under the device's key.
    ///
    /// Errors: those of reading.
    pub fn encode(&self) -> Result<Unsealed> {
        self.header.check()?;
        let part = self.header.check_part(self.part.into())?;
        if self.header.rounding.is_some() {
            return Err(not_residues(&self.header));
        }
        let packed = self.pack(self.header.primes()[usize::from(part)])?;
        Ok(seal(&self.header, part, &packed))
    }

    fn pack(&self, prime: u64) -> Result<Vec<u8>> {
        let degree = self.header.params.ring_degree;
        check_degree("c0", self.c0.len(), degree)?;
        let c1 = match (&self.c1, self.header.kind) {
            (None, Kind::SecretKey) => return residues::write(prime, &self.c0),
            (Some(c1), Kind::PublicKey) => c1,
            (c1, _) => return Err(wrong_c1(c1.iter().flatten().count())),
        };
        check_degree("c1", c1.len(), degree)?;
        let slice = degree / usize::from(self.header.interleave);
        let slices = self.c0.chunks(slice).zip(c1.chunks(slice));
        let values: Vec<u64> = slices.flat_map(|(c0, c1)| [c0, c1].concat()).collect();
        residues::write(prime, &values)
    }
}

fn check_degree(field: &'static str, found: usize, degree: usize) -> Result<()> {
    if found == degree {
        return Ok(());
    }
    Err(WireError::length(field, found, degree))
}
