//! The header of a frame, which all of its parts repeat (`spec/wire.md`, section 1).

use crate::cbor::codec::{Reader, Writer};
use crate::codes::{fields, layout, size, VERSION};
use crate::frame::rounding::{modulus_of, packed_bytes};
use crate::{
    params, Claims, FrameId, Grid, KeyId, Kind, Layout, Nonce, ParameterSet, Relation, Result,
    Rounding, Scheme, Suite, Unsealed, WireError,
};

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
    /// Order of the words that the seed expands to.
    pub mask_order: MaskOrder,
}

/// Order of the words of a mask that a seed expands to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MaskOrder {
    /// Residues in NTT order, as in every frame that was sent whole.
    #[default]
    Ntt,
    /// Coefficients, as in packets (`spec/packet.md`, section 3).
    Coefficients,
}

pub(crate) fn read_header(reader: &mut Reader<'_>, kind: u64) -> Result<(FrameHeader, u16)> {
    let params = read_set(reader)?;
    let kind = Kind::read(kind, params.scheme())?;
    let suite = Suite::read(reader.uint(u64::MAX, "suite")?)?;
    let names = Names::read(reader)?;
    let (part, parts) = read_place(reader, params)?;
    let (interleave, log2_scale, count) = read_encoding(reader)?;
    let meaning = Meaning::read(reader)?;
    let header = FrameHeader {
        kind,
        params,
        parts,
        suite,
        key_id: names.key_id,
        id: names.id,
        nonce: names.nonce,
        interleave,
        log2_scale,
        count,
        layout: meaning.layout,
        dithered: meaning.dithered,
        claims: meaning.claims,
        rounding: meaning.rounding,
        seed: reader.bytes(usize::MAX, "seed")?.to_vec(),
        mask_order: MaskOrder::Ntt,
    };
    header.check()?;
    let part = header.check_part(part)?;
    Ok((header, part))
}

/// The fields that say where the values are and within which bounds.
struct Meaning {
    layout: Layout,
    dithered: bool,
    claims: Claims,
    rounding: Option<Rounding>,
}

impl Meaning {
    fn read(reader: &mut Reader<'_>) -> Result<Self> {
        let (layout, dithered) = Layout::read_of_frame(reader)?;
        Ok(Self {
            layout,
            dithered,
            claims: Claims::read(reader)?,
            rounding: Rounding::read(reader, layout)?,
        })
    }
}

/// The fields of every frame that tell it from others.
pub(crate) struct Names {
    pub key_id: KeyId,
    pub id: FrameId,
    pub nonce: Nonce,
}

impl Names {
    pub(crate) fn read(reader: &mut Reader<'_>) -> Result<Self> {
        let key_id = *reader.fixed("key")?;
        let id = FrameId {
            device: reader.uint(u64::MAX, "device")?,
            epoch: reader.word("epoch")?,
            sequence: reader.uint(u64::MAX, "sequence")?,
        };
        let nonce = *reader.fixed("nonce")?;
        Ok(Self { key_id, id, nonce })
    }
}

/// Reads interleave, log2 of the scale and count.
fn read_encoding(reader: &mut Reader<'_>) -> Result<(u8, u8, u32)> {
    let interleave = read_byte(reader, "interleave")?;
    let log2_scale = read_byte(reader, "log2_scale")?;
    Ok((interleave, log2_scale, reader.word("count")?))
}

pub(crate) fn read_byte(reader: &mut Reader<'_>, field: &'static str) -> Result<u8> {
    Ok(reader.uint(u64::from(u8::MAX), field)? as u8)
}

/// Reads the number of the part, still unchecked, and the number of the frame's parts.
fn read_place(reader: &mut Reader<'_>, params: &ParameterSet) -> Result<(u64, u16)> {
    let part = reader.uint(u64::MAX, "part")?;
    let parts = reader.uint(u64::MAX, "parts")?;
    Ok((part, check_parts(params, parts)?))
}

/// Reads set, key and nonce, which begin every result and partial state.
pub(crate) fn read_pair(reader: &mut Reader<'_>) -> Result<(&'static ParameterSet, KeyId, Nonce)> {
    let params = read_set(reader)?;
    Ok((params, *reader.fixed("key")?, *reader.fixed("nonce")?))
}

/// Reads the parameter set that the next field names.
pub(crate) fn read_set(reader: &mut Reader<'_>) -> Result<&'static ParameterSet> {
    let id = reader.fixed::<{ size::SET_ID }>("set")?;
    params::by_id(id).ok_or_else(|| WireError::unknown_set(id))
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

    pub(crate) fn check_part(&self, part: u64) -> Result<u16> {
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
            Some(rounding) => self.check_rounding(rounding),
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
            ("mask", self.mask_order == other.mask_order),
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

impl FrameHeader {
    /// The product of the primes of a frame whose coefficients travel.
    ///
    /// Errors: [`WireError::OutOfRange`] for a set or level that has no such frames.
    pub fn modulus(&self) -> Result<u64> {
        modulus_of(self.params, self.parts.into())
    }

    /// The coefficients of c0 that travel rounded, in their order; none in other layouts.
    pub fn sent(&self) -> impl Iterator<Item = usize> {
        let (grid, run) = (
            self.grid(),
            self.rounding.map_or(0, |rounding| rounding.run),
        );
        (0..grid.rows)
            .flat_map(move |row| (0..run).map(move |index| (row * grid.stride + index) as usize))
    }

    /// Number of the frame's items: one for each prime, or one for all.
    pub fn items(&self) -> u16 {
        self.rounding.map_or(self.parts, |_| 1)
    }

    /// Bytes of rounded c0 and c1.
    pub(crate) fn rounded_bytes(&self, rounding: &Rounding) -> Result<[usize; 2]> {
        let modulus = self.modulus()?;
        let c1 = match self.kind {
            Kind::PublicKey => packed_bytes(modulus, self.params.ring_degree, rounding.dropped[1]),
            Kind::SecretKey => 0,
        };
        let sent = self.grid().rows as usize * rounding.run as usize;
        Ok([packed_bytes(modulus, sent, rounding.dropped[0]), c1])
    }

    /// Refuses what the the rows and the key of the frame do not allow.
    fn check_rounding(&self, rounding: &Rounding) -> Result<()> {
        if self.kind == Kind::SecretKey && rounding.dropped[1] != 0 {
            return Err(WireError::out_of_range(
                "dropped_1",
                rounding.dropped[1],
                "0 for kinds 2 and 4",
            ));
        }
        rounding.check_rows(self.params, self.parts, self.grid())
    }
}
