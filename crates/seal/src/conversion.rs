//! Conversion between the wire and SEAL: frames, results and evaluation keys, all validated by `isopod-wire` before.

use std::collections::BTreeSet;

use isopod_wire::{
    EncryptedResult, EvaluationKeys as KeysOnTheWire, EvaluationKeysHeader, EvaluationKeysWriter,
    Frame, KeyId, Mask, Nonce, ParameterSet, PolynomialIndex, Suite, Unsealed,
};

use crate::parameters::is_prime;
use crate::{
    Ciphertext, Context, Error, Generator, KeyMaterial, KeySwitchingKey, MaskSeed, Parameters,
};

impl From<&ParameterSet> for Parameters {
    fn from(set: &ParameterSet) -> Self {
        Self {
            name: set.name.to_owned(),
            ring_degree: set.ring_degree,
            data_primes: set.data_primes.to_vec(),
            special_prime: set.special_prime.or_else(|| reserved_prime(set)),
            plain_modulus: set.plain_modulus,
            owners: 1,
        }
    }
}

/// The last prime of SEAL's chain where a set of several primes has none for keys: the smallest that fits, under which nothing is
/// made.
fn reserved_prime(set: &ParameterSet) -> Option<u64> {
    let step = 2 * set.ring_degree as u64;
    let mut candidates = (1..).map(|multiple| multiple * step + 1);
    match set.data_primes {
        [_] => None,
        _ => candidates.find(|&candidate| is_prime(candidate)),
    }
}

impl Context {
    /// Makes SEAL's context of a set.
    ///
    /// # Errors
    /// The errors of [`Context::new`].
    pub fn for_set(set: &ParameterSet) -> Result<Self, Error> {
        Self::new(&Parameters::from(set))
    }

    fn check_set(&self, set: &ParameterSet) -> Result<(), Error> {
        let owners = self.parameters().owners;
        let wanted = Parameters {
            owners,
            ..set.into()
        };
        if self.parameters() == &wanted {
            return Ok(());
        }
        Err(Error::OtherSet {
            got: set.name.to_owned(),
            allowed: self.parameters().name.clone(),
        })
    }

    /// Converts a frame to a ciphertext. SEAL expands seeds of its own suite, the device library all others.
    ///
    /// # Errors
    /// [`Error::OtherSet`]; those of [`Context::ciphertext`] and [`Context::seeded_ciphertext`].
    pub fn frame(&self, frame: &Frame) -> Result<Ciphertext, Error> {
        self.check_set(frame.header.params)?;
        let scale = f64::from(frame.header.log2_scale).exp2();
        let c0 = &frame.c0;
        let (suite, seed) = match &frame.mask {
            Mask::Polynomials(c1) => return self.ciphertext(c0, c1, scale),
            Mask::Seed { suite, seed } => (*suite, seed),
        };
        if let (Suite::SealShake256, Ok(seed)) = (suite, seed.as_slice().try_into()) {
            let generator = Generator::Shake256;
            return self.seeded_ciphertext(c0, MaskSeed { generator, seed }, scale);
        }
        let level = usize::from(frame.header.parts);
        let c1 = isopod_device::expand_mask_at_level(frame.header.params, suite, seed, level)?;
        self.ciphertext(c0, &c1, scale)
    }

    /// Converts a result to a ciphertext.
    ///
    /// # Errors
    /// [`Error::OtherSet`]; those of [`Context::ciphertext`].
    pub fn result(&self, result: &EncryptedResult) -> Result<Ciphertext, Error> {
        self.check_set(result.params)?;
        self.ciphertext(&result.c0, &result.c1, result.scale)
    }
}

impl KeyMaterial {
    /// Encodes evaluation keys for the way from owner to server, without their tag.
    ///
    /// # Errors
    /// [`Error::Wire`] if the material does not fit the set.
    pub fn encode(
        &self,
        set: &'static ParameterSet,
        key_id: KeyId,
        nonce: Nonce,
    ) -> Result<Unsealed, Error> {
        let mut writer = EvaluationKeysWriter::new(EvaluationKeysHeader {
            params: set,
            key_id,
            nonce,
            relinearization: self.relinearization.is_some(),
            galois: self.galois.keys().copied().collect(),
        })?;
        for key in self.relinearization.iter().chain(self.galois.values()) {
            for polynomial in key.decompositions.iter().flatten().flatten() {
                writer.push(polynomial)?;
            }
        }
        Ok(writer.finish()?)
    }

    /// Decodes those keys that are wanted and present: the relinearization key, and the keys of these Galois elements.
    ///
    /// # Errors
    /// [`Error::Wire`] if a residue is out of range.
    pub fn decode(
        keys: &KeysOnTheWire<'_>,
        relinearization: bool,
        elements: &BTreeSet<u32>,
    ) -> Result<Self, Error> {
        let header = keys.header();
        let before = usize::from(header.relinearization);
        let galois = header
            .galois
            .iter()
            .enumerate()
            .filter(|(_, element)| elements.contains(element));
        Ok(Self {
            relinearization: if header.relinearization && relinearization {
                Some(switching_key(keys, 0)?)
            } else {
                None
            },
            galois: galois
                .map(|(at, &element)| Ok((element, switching_key(keys, before + at)?)))
                .collect::<Result<_, Error>>()?,
        })
    }
}

fn switching_key(keys: &KeysOnTheWire<'_>, key: usize) -> Result<KeySwitchingKey, Error> {
    let params = keys.header().params;
    let (digits, primes) = (params.data_primes.len(), params.chain().count());
    let polynomial = |digit, polynomial| {
        (0..primes)
            .map(|prime| {
                keys.polynomial(PolynomialIndex {
                    key,
                    digit,
                    polynomial,
                    prime,
                })
            })
            .collect::<Option<Vec<_>>>()
            .ok_or(Error::KeyMissing { key, digit })
    };
    let decompositions = (0..digits)
        .map(|digit| Ok([polynomial(digit, 0)?, polynomial(digit, 1)?]))
        .collect::<Result<_, Error>>()?;
    Ok(KeySwitchingKey { decompositions })
}
