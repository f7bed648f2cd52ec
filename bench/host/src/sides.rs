//! The two sides, ready to run, and one run of each.

use crate::cases::{Case, Work};
use anyhow::{ensure, Context as _, Result};
use isopod_device::{Decryptor, Encoding, Encryptor, FrameClaims, KeyPair, Sender, Values};
use isopod_seal::peer::Peer;
use isopod_seal::{Ciphertext, Context, SecretKey};
use isopod_wire::{ParameterSet, Suite};

/// Values to encrypt.
enum Input {
    Real(Vec<f64>),
    Integer(Vec<i32>),
}

impl Input {
    fn of(case: &Case) -> Self {
        match case.set.plain_modulus {
            None => Self::Real(case.values()),
            Some(modulus) => Self::Integer(case.integers(modulus)),
        }
    }

    fn values(&self) -> Values<'_> {
        match self {
            Self::Real(values) => Values::Real(values),
            Self::Integer(values) => Values::Signed(values),
        }
    }
}

/// Decrypted values.
pub enum Output {
    Real(Vec<f64>),
    Integer(Vec<i64>),
}

impl Output {
    fn len(&self) -> usize {
        match self {
            Self::Real(values) => values.len(),
            Self::Integer(values) => values.len(),
        }
    }

    /// True if integers are equal, and real numbers equal to the precision of the set.
    fn ensure_of(&self, case: &Case) -> Result<()> {
        let is_right = match (self, Input::of(case)) {
            (Self::Real(values), Input::Real(wanted)) => {
                let errors = values.iter().zip(&wanted).map(|(a, b)| (a - b).abs());
                values.len() == wanted.len() && errors.fold(0.0, f64::max) < 1e-5
            }
            (Self::Integer(values), Input::Integer(wanted)) => {
                values.iter().copied().eq(wanted.into_iter().map(i64::from))
            }
            _ => false,
        };
        ensure!(is_right, "decryption gives other values");
        Ok(())
    }
}

/// Isopod: a fresh key, tables and buffers, made once.
pub enum Ours {
    Encrypt(Box<Encryption>),
    Decrypt(Box<Decryption>),
}

pub struct Encryption {
    encryptor: Encryptor,
    input: Input,
    sender: Sender<'static>,
    out: Vec<u8>,
}

/// Decryption of packed residues as they arrive.
pub struct Decryption {
    decryptor: Decryptor,
    sides: [Vec<u8>; 2],
    scale: f64,
    is_integer: bool,
}

impl Ours {
    pub fn new(case: &Case) -> Result<Self> {
        let pair = KeyPair::generate(case.set)?;
        let blob = match case.work {
            Work::EncryptSecret => pair.secret_ntt_blob.as_slice(),
            Work::EncryptPublic | Work::Decrypt => pair.public_blob.as_slice(),
        };
        let mut encryption = Encryption::new(case, blob)?;
        if case.work != Work::Decrypt {
            return Ok(Self::Encrypt(Box::new(encryption)));
        }
        let sides = by_component(case.set, encryption.run()?);
        let mut decryption = Decryption {
            decryptor: Decryptor::new(pair.secret_ntt_blob.as_slice())?,
            sides,
            scale: case.scale(),
            is_integer: case.set.plain_modulus.is_some(),
        };
        decryption.run()?.ensure_of(case)?;
        Ok(Self::Decrypt(Box::new(decryption)))
    }

    /// One encoding and encryption to packed residues, or one decryption and decoding of them; the number of bytes.
    pub fn run(&mut self) -> Result<usize> {
        match self {
            Self::Encrypt(encryption) => Ok(encryption.run()?.len()),
            Self::Decrypt(decryption) => Ok(8 * decryption.run()?.len()),
        }
    }

    /// One encoding and encryption to authenticated frames; their length, None for decryptions.
    pub fn run_framed(&mut self) -> Result<Option<usize>> {
        match self {
            Self::Encrypt(encryption) => encryption.run_framed().map(Some),
            Self::Decrypt(_) => Ok(None),
        }
    }
}

impl Encryption {
    fn new(case: &Case, blob: &[u8]) -> Result<Self> {
        let encoding = Encoding {
            log2_scale: case.set.log2_scale.default,
            log2_bound: 0,
            claims: FrameClaims::default(),
            chunks: 1,
            suite: Suite::Chacha20,
            accept_label: case.set.label,
        };
        Ok(Self {
            encryptor: Encryptor::new(blob, encoding)?,
            input: Input::of(case),
            sender: Sender {
                device: 1,
                epoch: 1,
                sequence: 0,
                key: &[7; 32],
            },
            out: Vec::new(),
        })
    }

    fn run(&mut self) -> Result<&[u8]> {
        self.out.clear();
        self.encryptor
            .encrypt_unframed(self.input.values(), &mut self.sender, &mut self.out)?;
        Ok(&self.out)
    }

    fn run_framed(&mut self) -> Result<usize> {
        let parts = self
            .encryptor
            .encrypt_values(self.input.values(), &mut self.sender)?;
        Ok(parts.iter().map(Vec::len).sum())
    }
}

impl Decryption {
    /// Every value, as 64-bit floating point of magnitude at most 2^8 or as an integer.
    fn run(&mut self) -> Result<Output> {
        let [c0, c1] = &self.sides;
        let (sides, decryptor) = ([c0.as_slice(), c1.as_slice()], &mut self.decryptor);
        Ok(if self.is_integer {
            let values = decryptor.decrypt_integers_unauthenticated(sides)?;
            Output::Integer(values.into_iter().map(i64::from).collect())
        } else {
            Output::Real(decryptor.decrypt_unauthenticated(sides, self.scale, 8)?)
        })
    }
}

/// Rearranges c0 and c1 of each prime in turn to all of c0 and all of c1.
fn by_component(set: &ParameterSet, packed: &[u8]) -> [Vec<u8>; 2] {
    let mut sides = [Vec::new(), Vec::new()];
    let mut rest = packed;
    for prime in set.data_primes {
        let bytes = set.ring_degree / 8 * (64 - prime.leading_zeros()) as usize;
        for side in &mut sides {
            let (piece, behind) = rest.split_at(bytes);
            side.extend_from_slice(piece);
            rest = behind;
        }
    }
    sides
}

/// SEAL, used as its documentation advises; its memory pool keeps allocations of earlier calls.
pub struct Seals<'context> {
    context: &'context Context,
    key: &'context SecretKey,
    peer: Peer<'context>,
    work: Work,
    scale: f64,
    input: PeerInput,
    /// Input of decryptions.
    ciphertext: Option<Ciphertext>,
}

enum PeerInput {
    Real(Vec<f64>),
    Integer(Vec<i64>),
}

/// A ternary key for SEAL; for benchmarks only.
pub fn seal_key(case: &Case, context: &Context) -> Result<SecretKey> {
    let mut state = 99u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        ((state >> 16) % 3) as i8 - 1
    };
    let coefficients: Vec<i8> = (0..case.set.ring_degree).map(|_| next()).collect();
    Ok(SecretKey::new(context, &coefficients)?)
}

impl<'context> Seals<'context> {
    pub fn new(case: &Case, context: &'context Context, key: &'context SecretKey) -> Result<Self> {
        let input = match Input::of(case) {
            Input::Real(values) => PeerInput::Real(values),
            Input::Integer(values) => {
                PeerInput::Integer(values.into_iter().map(i64::from).collect())
            }
        };
        let mut seals = Self {
            context,
            key,
            peer: Peer::new(context, key)?,
            work: case.work,
            scale: case.scale(),
            input,
            ciphertext: None,
        };
        if case.work == Work::Decrypt {
            seals.ciphertext = Some(seals.encrypt()?);
            seals.decrypt()?.ensure_of(case)?;
        }
        Ok(seals)
    }

    /// One encoding and encryption to a ciphertext, or one decryption and decoding; the number of polynomials or values.
    pub fn run(&self) -> Result<usize> {
        Ok(match self.work {
            Work::Decrypt => self.decrypt()?.len(),
            _ => self.encrypt().map(|ciphertext| {
                drop(ciphertext);
                2
            })?,
        })
    }

    /// Encodes and encrypts: the ciphertext.
    pub fn encrypt(&self) -> Result<Ciphertext> {
        Ok(match (&self.input, self.work) {
            (PeerInput::Integer(values), _) => self.peer.encrypt_integers(values)?,
            (PeerInput::Real(values), Work::EncryptSecret) => {
                self.peer.encrypt_symmetric(values, self.scale)?
            }
            (PeerInput::Real(values), _) => self.peer.encrypt(values, self.scale)?,
        })
    }

    fn decrypt(&self) -> Result<Output> {
        let ciphertext = self.ciphertext.as_ref().context("nothing to decrypt")?;
        Ok(match &self.input {
            PeerInput::Integer(_) => {
                Output::Integer(self.peer.decrypt_integers(self.key, ciphertext)?)
            }
            PeerInput::Real(_) => {
                let values = self.key.decrypt(self.context, ciphertext)?;
                Output::Real(values.into_owner_only())
            }
        })
    }
}
