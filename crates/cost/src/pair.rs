//! A key pair of one set on both sides: the device library's blobs, and SEAL's context and secret key.

use anyhow::{ensure, Context as _, Result};
use isopod_device::{Encoding, Encryptor, FrameClaims, KeyPair, Sender, Values};
use isopod_keys::SecretKey as LinkKey;
use isopod_seal::{Ciphertext, Context, Plaintext, SecretKey};
use isopod_wire::{
    by_name, Authenticator, Envelope, Frame, KeyBlob, PackedFrame, ParameterSet, Relation, Scheme,
    Suite, Tag,
};

/// Number of the only device.
const DEVICE: u64 = 1;
/// Largest magnitude of integers: products of two stay within the smallest plaintext modulus.
const MOST_INTEGER: i64 = 50;

/// Values that fill all slots.
#[derive(Debug, Clone, PartialEq)]
pub enum Slots {
    /// Real numbers within 1.
    Real(Vec<f64>),
    /// Integers within 50.
    Integers(Vec<i64>),
}

impl Slots {
    /// Values that repeat from call to call.
    pub fn of(set: &ParameterSet) -> Self {
        let mut state = 12345u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            f64::from(state as i32) / f64::from(1u32 << 31)
        };
        match set.scheme() {
            Scheme::Ckks => Self::Real((0..set.slots()).map(|_| next()).collect()),
            Scheme::Bfv => {
                let most = MOST_INTEGER as f64;
                Self::Integers((0..set.slots()).map(|_| (next() * most) as i64).collect())
            }
        }
    }
}

/// A key pair with everything that both sides need.
pub struct Pair {
    /// The set.
    pub set: &'static ParameterSet,
    /// SEAL's tables.
    pub context: Context,
    /// SEAL's secret key.
    pub secret: SecretKey,
    /// The device library's keys.
    pub keys: KeyPair,
    /// Key of the device and of the link.
    pub link: LinkKey,
    /// Values.
    pub slots: Slots,
    integers: Vec<i32>,
}

impl Pair {
    /// Makes a pair of a set.
    ///
    /// # Errors
    /// An unknown set; entropy.
    pub fn new(name: &str) -> Result<Self> {
        let set = by_name(name).with_context(|| format!("set: {name} is unknown"))?;
        let context = Context::for_set(set)?;
        let keys = KeyPair::generate(set)?;
        let secret = SecretKey::new(&context, &ternary(&keys.secret_blob)?)?;
        let slots = Slots::of(set);
        let integers = match &slots {
            Slots::Integers(values) => values.iter().map(|&value| value as i32).collect(),
            Slots::Real(_) => Vec::new(),
        };
        Ok(Self {
            set,
            context,
            secret,
            keys,
            link: LinkKey::random()?,
            slots,
            integers,
        })
    }

    /// The device's encryptor, by secret or by public key.
    ///
    /// # Errors
    /// The errors of [`Encryptor::new`].
    pub fn encryptor(&self, is_secret: bool) -> Result<Encryptor> {
        let blob = match is_secret {
            true => self.keys.secret_ntt_blob.as_slice(),
            false => self.keys.public_blob.as_slice(),
        };
        let encoding = Encoding {
            log2_scale: self.set.log2_scale.default,
            log2_bound: 0,
            claims: FrameClaims::default(),
            chunks: 1,
            suite: Suite::Chacha20,
            accept_label: self.set.label,
        };
        Ok(Encryptor::new(blob, encoding)?)
    }

    /// The device as a sender of its first frame.
    pub fn sender(&self) -> Sender<'_> {
        Sender {
            device: DEVICE,
            epoch: 1,
            sequence: 0,
            key: self.link.expose(),
        }
    }

    /// The values for the device library.
    pub fn values(&self) -> Values<'_> {
        match &self.slots {
            Slots::Real(values) => Values::Real(values),
            Slots::Integers(_) => Values::Signed(&self.integers),
        }
    }

    /// SEAL's scale: the device's in CKKS, 1 in BFV.
    pub fn scale(&self) -> f64 {
        f64::from(self.set.log2_scale.default).exp2()
    }

    /// A plaintext of SEAL, at a scale that matters in CKKS alone.
    ///
    /// # Errors
    /// The errors of [`Context::encode`].
    pub fn plaintext(&self, scale: f64) -> Result<Plaintext> {
        Ok(match &self.slots {
            Slots::Real(values) => {
                self.context
                    .encode(values, scale, self.set.data_primes.len())?
            }
            Slots::Integers(values) => self.context.encode_integers(values)?,
        })
    }

    /// Turns the bytes of a device into a ciphertext: authenticated, parsed, checked, expanded.
    ///
    /// # Errors
    /// A tag, a field or a residue that is wrong.
    pub fn receive(&self, bytes: &[u8]) -> Result<Ciphertext> {
        Ok(self.context.frame(&self.frame(bytes)?)?)
    }

    /// The frame in authenticated bytes.
    ///
    /// # Errors
    /// A tag or a field that is wrong.
    pub fn frame(&self, bytes: &[u8]) -> Result<Frame> {
        let (mut rest, mut parts) = (bytes, Vec::new());
        while !rest.is_empty() {
            let (envelope, behind) = Envelope::read(rest)?;
            parts.push(envelope.authenticate(self)?.packed_part()?);
            rest = behind;
        }
        Ok(PackedFrame::new(parts)?.unpack()?)
    }

    /// Refuses a ciphertext of other values than those of this pair.
    ///
    /// # Errors
    /// The largest difference.
    pub fn check(&self, ciphertext: &Ciphertext) -> Result<()> {
        let far = match &self.slots {
            Slots::Real(values) => {
                let found = self.secret.decrypt(&self.context, ciphertext)?;
                largest(&found.into_owner_only(), values)
            }
            Slots::Integers(values) => {
                let plaintext = self.secret.decrypt_integers(&self.context, ciphertext)?;
                let found = self.context.decode_integers(&plaintext)?;
                let real = |values: &[i64]| values.iter().map(|&value| value as f64).collect();
                let (found, wanted): (Vec<f64>, Vec<f64>) = (real(&found), real(values));
                largest(&found, &wanted)
            }
        };
        ensure!(far < 0.05, "{}: decryption is off by {far}", self.set.name);
        Ok(())
    }
}

impl Authenticator for Pair {
    fn verify(&self, _: Relation, nonce: &[u8; 24], message: &[u8], tag: &Tag) -> bool {
        self.link.verify(nonce, message, tag)
    }
}

fn largest(found: &[f64], wanted: &[f64]) -> f64 {
    let differences = found.iter().zip(wanted).map(|(a, b)| (a - b).abs());
    differences.fold(0.0, f64::max)
}

/// Coefficients of a ternary blob, two bits each.
fn ternary(blob: &[u8]) -> Result<Vec<i8>> {
    let symbols = |byte: &u8| [0, 2, 4, 6].map(|shift| (byte >> shift & 3) as i8 - 1);
    Ok(KeyBlob::read(blob)?
        .payload
        .iter()
        .flat_map(symbols)
        .collect())
}
