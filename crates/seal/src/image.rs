//! SEAL's serialized objects, written in version 3.7 and uncompressed, which every SEAL from 3.7 to 4.4 loads (`[SEAL44]`).
//!
//! An object is a 16-byte header and its fields, little endian; objects nest. Lengths and residues are checked before
//! anything is written, and SEAL's loaders see only what is written here.

use crate::material::KeySwitchingKey;
use crate::residues;
use crate::{Error, Parameters, Residues};
use blake2::digest::consts::U32;
use blake2::{Blake2b, Digest};

const HEADER: usize = 16;
const PARMS_ID: usize = 32;
/// Bytes of parms_id, is_ntt, size, ring degree, prime count, scale.
const CIPHERTEXT_FIELDS: usize = PARMS_ID + 1 + 8 + 8 + 8 + 8;
const ARRAY_FIELDS: usize = HEADER + 8;
const BFV: u64 = 1;
const CKKS: u64 = 2;
const SEED_OBJECT: usize = HEADER + 1 + 64;

/// Form of polynomials, as SEAL marks it.
#[derive(Debug, Clone, Copy)]
enum Form {
    Coefficients = 0,
    Values = 1,
}

/// Generator that expands a seeded ciphertext's c1, with its number in SEAL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Generator {
    /// BLAKE2Xb, SEAL's default.
    Blake2xb = 1,
    /// SHAKE-256; suite `seal-shake256` of the wire format.
    Shake256 = 2,
}

/// A public seed and its generator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MaskSeed<'bytes> {
    /// Generator that expands the seed.
    pub generator: Generator,
    /// The mask seed of the frame.
    pub seed: &'bytes [u8; 64],
}

/// SEAL's bytes of a ciphertext (c0, c1). `c0[j]` holds the residues modulo data prime j, in NTT order; the number of
/// primes chooses the level.
///
/// # Errors
/// [`Error::Level`], [`Error::Length`], [`Error::Residue`], [`Error::Scale`]; those of [`Parameters::check`].
pub fn image(
    parameters: &Parameters,
    c0: &[Vec<u64>],
    c1: &[Vec<u64>],
    scale: f64,
) -> Result<Vec<u8>, Error> {
    ciphertext(parameters, c0, c1, scale, Form::Values)
}

/// SEAL's bytes of a ciphertext like [`image`], but of words in SEAL's own form: coefficients in BFV.
pub(crate) fn native_image(parameters: &Parameters, words: &Residues) -> Result<Vec<u8>, Error> {
    let form = match parameters.plain_modulus {
        None => Form::Values,
        Some(_) => Form::Coefficients,
    };
    ciphertext(parameters, &words.c0, &words.c1, words.scale, form)
}

fn ciphertext(
    parameters: &Parameters,
    c0: &[Vec<u64>],
    c1: &[Vec<u64>],
    scale: f64,
    form: Form,
) -> Result<Vec<u8>, Error> {
    parameters.check()?;
    let primes = level(parameters, c0.len())?;
    check_scale(parameters, primes.len(), scale)?;
    residues::check("c0", c0, primes, parameters.ring_degree)?;
    residues::check("c1", c1, primes, parameters.ring_degree)?;
    let words = 2 * primes.len() * parameters.ring_degree;
    let mut writer = Writer::new(HEADER + CIPHERTEXT_FIELDS + ARRAY_FIELDS + 8 * words);
    writer.ciphertext_fields(parameters, primes, scale, form);
    writer.array(&[c0, c1].concat());
    Ok(writer.bytes)
}

/// SEAL's bytes of a ciphertext like [`image`], but with c1 as the seed that SEAL expands.
///
/// # Errors
/// The errors of [`image`].
pub fn seeded_image(
    parameters: &Parameters,
    c0: &[Vec<u64>],
    mask: MaskSeed<'_>,
    scale: f64,
) -> Result<Vec<u8>, Error> {
    parameters.check()?;
    let primes = level(parameters, c0.len())?;
    check_scale(parameters, primes.len(), scale)?;
    residues::check("c0", c0, primes, parameters.ring_degree)?;
    let words = primes.len() * parameters.ring_degree;
    let mut writer =
        Writer::new(HEADER + CIPHERTEXT_FIELDS + ARRAY_FIELDS + 8 * words + SEED_OBJECT);
    writer.ciphertext_fields(parameters, primes, scale, Form::Values);
    writer.array(c0);
    writer.header(SEED_OBJECT);
    writer.bytes.push(mask.generator as u8);
    writer.bytes.extend_from_slice(mask.seed);
    Ok(writer.bytes)
}

/// SEAL's bytes of a set: scheme, ring degree, the chain, and the plaintext modulus (0 in CKKS).
pub(crate) fn encryption_parameters(parameters: &Parameters) -> Vec<u8> {
    const MODULUS: usize = HEADER + 8;
    let chain = parameters.chain();
    let mut writer = Writer::new(HEADER + 1 + 8 + 8 + MODULUS * (chain.len() + 1));
    writer.bytes.push(scheme(parameters) as u8);
    writer.word(parameters.ring_degree as u64);
    writer.word(chain.len() as u64);
    for modulus in chain
        .into_iter()
        .chain([parameters.plain_modulus.unwrap_or(0)])
    {
        writer.header(MODULUS);
        writer.word(modulus);
    }
    writer.bytes
}

/// SEAL's bytes of a secret key: NTT(s) at the key level, prime after prime.
#[cfg(feature = "owner")]
pub(crate) fn secret_key(parameters: &Parameters, words: &[u64]) -> zeroize::Zeroizing<Vec<u8>> {
    // The capacity is exact, so that growth leaves no copy of the key behind.
    let mut writer = Writer::new(HEADER + PARMS_ID + 16 + ARRAY_FIELDS + 8 * words.len());
    writer
        .bytes
        .extend(parms_id(parameters, &parameters.chain()));
    writer.word(words.len() as u64);
    writer.real(1.0);
    writer.array_fields(words.len());
    words.iter().for_each(|&word| writer.word(word));
    zeroize::Zeroizing::new(writer.bytes)
}

/// SEAL's bytes of checked key switching keys at their places in SEAL's list; absent places are `None`.
pub(crate) fn key_switching_keys(
    parameters: &Parameters,
    places: &[Option<&KeySwitchingKey>],
) -> Vec<u8> {
    let chain = parameters.chain();
    let one = HEADER + CIPHERTEXT_FIELDS + ARRAY_FIELDS + 16 * chain.len() * parameters.ring_degree;
    let objects: usize = places
        .iter()
        .flatten()
        .map(|key| key.decompositions.len())
        .sum();
    let mut writer = Writer::new(HEADER + PARMS_ID + 8 + 8 * places.len() + objects * one);
    writer.bytes.extend(parms_id(parameters, &chain));
    writer.word(places.len() as u64);
    for place in places {
        let decompositions = place.map_or(&[][..], |key| &key.decompositions);
        writer.word(decompositions.len() as u64);
        for polynomials in decompositions {
            writer.header(one);
            writer.ciphertext_fields(parameters, &chain, 1.0, Form::Values);
            writer.array(&polynomials.concat());
        }
    }
    writer.bytes
}

fn level(parameters: &Parameters, count: usize) -> Result<&[u64], Error> {
    let most = parameters.data_primes.len();
    match parameters.data_primes.get(..count) {
        Some(primes) if count > 0 => Ok(primes),
        _ => Err(Error::Level { got: count, most }),
    }
}

/// Checks a scale as SEAL does: log2 of it is below the bit length of the remaining modulus; in BFV the scale is 1.
pub(crate) fn check_scale(parameters: &Parameters, primes: usize, scale: f64) -> Result<(), Error> {
    let modulus_bits = match parameters.plain_modulus {
        None => parameters.log2_modulus(primes).ceil() as u32,
        Some(_) => 0,
    };
    let log2 = scale.log2();
    if log2 == 0.0 || (0.0..f64::from(modulus_bits)).contains(&log2) {
        Ok(())
    } else {
        Err(Error::Scale { log2, modulus_bits })
    }
}

/// SEAL's name of a level: BLAKE2b-256 (`[RFC7693]`) of scheme, n, primes, plaintext modulus (0 in CKKS) as words.
fn parms_id(parameters: &Parameters, primes: &[u64]) -> [u8; PARMS_ID] {
    let mut hash = Blake2b::<U32>::new();
    let words = [scheme(parameters), parameters.ring_degree as u64]
        .into_iter()
        .chain(primes.iter().copied())
        .chain([parameters.plain_modulus.unwrap_or(0)]);
    words.for_each(|word| hash.update(word.to_le_bytes()));
    hash.finalize().into()
}

fn scheme(parameters: &Parameters) -> u64 {
    parameters.plain_modulus.map_or(CKKS, |_| BFV)
}

struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    /// Starts the outer object, `size` bytes with its header.
    fn new(size: usize) -> Self {
        let mut writer = Writer {
            bytes: Vec::with_capacity(size),
        };
        writer.header(size);
        writer
    }

    /// Writes magic number, header size, version 3.7, no compression, two reserved bytes, size with the header.
    fn header(&mut self, size: usize) {
        self.bytes.extend([0x5e, 0xa1, HEADER as u8, 3, 7, 0, 0, 0]);
        self.word(size as u64);
    }

    fn word(&mut self, word: u64) {
        self.bytes.extend(word.to_le_bytes());
    }

    fn real(&mut self, value: f64) {
        self.word(value.to_bits());
    }

    fn ciphertext_fields(
        &mut self,
        parameters: &Parameters,
        primes: &[u64],
        scale: f64,
        form: Form,
    ) {
        self.bytes.extend(parms_id(parameters, primes));
        self.bytes.push(form as u8);
        self.word(2); // polynomials
        self.word(parameters.ring_degree as u64);
        self.word(primes.len() as u64);
        self.real(scale);
    }

    fn array_fields(&mut self, words: usize) {
        self.header(ARRAY_FIELDS + 8 * words);
        self.word(words as u64);
    }

    fn array(&mut self, polynomials: &[Vec<u64>]) {
        self.array_fields(polynomials.iter().map(Vec::len).sum());
        polynomials
            .iter()
            .flatten()
            .for_each(|&word| self.word(word));
    }
}
