//! TFHE frames: one ring ciphertext; only its coefficients in use travel (`spec/wire.md`, section 6).

use crate::cbor::codec::{Reader, Writer};
use crate::codes::{allowed, domain, fields, kind, suite, VERSION};
use crate::frame::header::{read_byte, Names};
use crate::{
    Authentic, Envelope, FrameId, ItemKind, KeyId, Kind, Nonce, PackingId, Relation, Result,
    Schema, TfheParams, Unsealed, WireError,
};

/// Randomness suites of TFHE, which expand a frame's streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TfheSuite {
    /// ChaCha20 (`[RFC8439]`).
    Chacha20,
    /// SHAKE-256 (`[FIPS202]`).
    Shake256,
    /// AES-128 in counter mode (`[SP80038A01]`) for the mask, as in tfhe-rs; ChaCha20 for the noise.
    Aes128,
}

impl TfheSuite {
    /// The suite's number on the wire.
    pub fn number(self) -> u8 {
        match self {
            Self::Chacha20 => suite::CHACHA20,
            Self::Shake256 => suite::SHAKE256,
            Self::Aes128 => suite::AES128,
        }
    }

    /// The suite's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Chacha20 => "chacha20",
            Self::Shake256 => "shake256",
            Self::Aes128 => "aes128",
        }
    }

    pub(crate) fn read(number: u64) -> Result<Self> {
        [Self::Chacha20, Self::Shake256, Self::Aes128]
            .into_iter()
            .find(|suite| u64::from(suite.number()) == number)
            .ok_or(WireError::UnknownSuite { found: number })
    }
}

/// Header of a frame: everything but its words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TfheHeader {
    /// Key that encrypted the frame.
    pub kind: Kind,
    /// Parameter set; it follows from the key.
    pub params: &'static TfheParams,
    /// Randomness suite.
    pub suite: TfheSuite,
    /// Key pair.
    pub key_id: KeyId,
    /// Name of the frame.
    pub id: FrameId,
    /// Nonce, public and fresh per frame; for [`Kind::SecretKey`] also the seed of the mask.
    pub nonce: Nonce,
    /// Bytes of a body: those of a word, or half of them if bodies were rounded.
    pub width: u8,
    /// Types of the values in the coefficients.
    pub schema: Schema,
    /// Values of a row, at least 1; rows are whole.
    pub columns: u32,
    /// Names of the columns, if the sender says.
    pub packing: Option<PackingId>,
}

/// One frame, authenticated and fully checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TfheFrame {
    /// Header of the frame.
    pub header: TfheHeader,
    /// The mask a, N words, if the kind is [`Kind::PublicKey`].
    pub mask: Option<Vec<u64>>,
    /// b_i of the coefficients in use, as words of the modulus; rounded ones are shifted back.
    pub bodies: Vec<u64>,
}

impl TfheHeader {
    /// Whether bodies were rounded to half a word.
    pub fn is_rounded(&self) -> bool {
        usize::from(self.width) < self.params.word_bytes()
    }

    /// Number of coefficients in use.
    pub fn coefficients(&self) -> usize {
        self.schema.blocks(self.params.message_bits)
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.schema.values() / self.columns.max(1) as usize
    }

    fn check(&self) -> Result<()> {
        let whole = self.params.word_bytes();
        if ![whole, whole / 2].contains(&usize::from(self.width)) {
            let allowed = format!("{whole} or {} for {}", whole / 2, self.params.name);
            return Err(WireError::out_of_range("width", self.width, allowed));
        }
        self.check_values()
    }

    /// Refuses a schema whose values are no rows, or more than the ring holds.
    pub(crate) fn check_values(&self) -> Result<()> {
        self.schema.check_columns(self.columns)?;
        let most = self.params.ring_degree;
        if self.coefficients() > most {
            let allowed = format!("at most {most} coefficients for {}", self.params.name);
            return Err(WireError::length("schema", self.coefficients(), allowed));
        }
        Ok(())
    }

    fn bytes(&self) -> usize {
        let mask = match self.kind {
            Kind::PublicKey => self.params.ring_degree * self.params.word_bytes(),
            Kind::SecretKey => 0,
        };
        mask + self.coefficients() * usize::from(self.width)
    }

    pub(crate) fn shift(&self) -> u32 {
        8 * (self.params.word_bytes() as u32 - u32::from(self.width))
    }
}

impl Authentic<Envelope<'_>> {
    /// Parses a TFHE frame of the set that belongs to the key that it names.
    ///
    /// Errors: every field outside of what its set, kind and suite allow.
    pub fn tfhe_frame(&self, params: &'static TfheParams) -> Result<TfheFrame> {
        let (mut reader, number) = self.body(ItemKind::TfheFrame, allowed::TFHE_FRAME)?;
        let kind = match number {
            kind::TFHE_PUBLIC => Kind::PublicKey,
            _ => Kind::SecretKey,
        };
        let header = read_header(&mut reader, kind, params)?;
        let bytes = reader.bytes(usize::MAX, "bodies")?;
        if bytes.len() != header.bytes() {
            return Err(WireError::length("bodies", bytes.len(), header.bytes()));
        }
        let (mask, bodies) = match kind {
            Kind::PublicKey => {
                let (mask, bodies) = bytes.split_at(params.ring_degree * params.word_bytes());
                (Some(words(mask, params.word_bytes(), 0)), bodies)
            }
            Kind::SecretKey => (None, bytes),
        };
        let bodies = words(bodies, header.width.into(), header.shift());
        Ok(TfheFrame {
            header,
            mask,
            bodies,
        })
    }
}

fn read_header(
    reader: &mut Reader<'_>,
    kind: Kind,
    params: &'static TfheParams,
) -> Result<TfheHeader> {
    let suite = TfheSuite::read(reader.uint(u64::MAX, "suite")?)?;
    let names = Names::read(reader)?;
    let header = TfheHeader {
        kind,
        params,
        suite,
        key_id: names.key_id,
        id: names.id,
        nonce: names.nonce,
        width: read_byte(reader, "width")?,
        schema: Schema::read(reader)?,
        columns: reader.word("columns")?,
        packing: reader.optional("packing")?,
    };
    header.check().map(|()| header)
}

/// Reads little-endian words of `width` bytes, shifted to their place in the modulus.
pub(crate) fn words(bytes: &[u8], width: usize, shift: u32) -> Vec<u64> {
    let word = |chunk: &[u8]| {
        let value = chunk
            .iter()
            .rev()
            .fold(0, |sum: u64, &byte| sum << 8 | u64::from(byte));
        value << shift
    };
    bytes.chunks_exact(width).map(word).collect()
}

fn push_words(writer: &mut Writer, words: &[u64], width: usize, shift: u32) {
    for word in words {
        writer.raw(&(word >> shift).to_le_bytes()[..width]);
    }
}

impl TfheFrame {
    /// Encodes the frame up to its tag, made under the device's key. Rounded bodies have the form that reading gives: the low
    /// half of their words is dropped.
    ///
    /// Errors: those of reading.
    pub fn encode(&self) -> Result<Unsealed> {
        let header = &self.header;
        header.check()?;
        self.check_words()?;
        let mut writer = Writer::with_capacity(header.bytes() + 192);
        self.write_header(&mut writer);
        writer.bytes_head(header.bytes());
        push_words(
            &mut writer,
            self.mask.as_deref().unwrap_or(&[]),
            header.params.word_bytes(),
            0,
        );
        push_words(
            &mut writer,
            &self.bodies,
            header.width.into(),
            header.shift(),
        );
        let relation = Relation::Device(header.id.device);
        Ok(Unsealed::new(
            relation,
            header.nonce,
            domain::TFHE_FRAME,
            writer.into_bytes(),
        ))
    }

    fn check_words(&self) -> Result<()> {
        let masks = match self.header.kind {
            Kind::PublicKey => self.header.params.ring_degree,
            Kind::SecretKey => 0,
        };
        let found = self.mask.as_ref().map_or(0, Vec::len);
        if found != masks {
            return Err(WireError::length("mask", found, masks));
        }
        if self.bodies.len() != self.header.coefficients() {
            let allowed = self.header.coefficients();
            return Err(WireError::length("bodies", self.bodies.len(), allowed));
        }
        Ok(())
    }

    fn write_header(&self, writer: &mut Writer) {
        let header = &self.header;
        let kind = match header.kind {
            Kind::PublicKey => kind::TFHE_PUBLIC,
            Kind::SecretKey => kind::TFHE_SECRET,
        };
        writer
            .array(fields::TFHE_FRAME)
            .uint(VERSION)
            .uint(kind)
            .uint(header.suite.number().into());
        writer.bytes(&header.key_id);
        writer
            .uint(header.id.device)
            .uint(header.id.epoch.into())
            .uint(header.id.sequence);
        writer.bytes(&header.nonce).uint(header.width.into());
        header.schema.write(writer);
        writer
            .uint(header.columns.into())
            .optional(header.packing.as_ref());
    }
}
