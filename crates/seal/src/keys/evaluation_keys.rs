//! Evaluation keys: the keys that a server needs for rotations and products, and no others.

use crate::border::{ffi, named};
use crate::keys::galois;
use crate::material::{KeyMaterial, KeySwitchingKey};
use crate::{image, residues, Context, Error};
use cxx::UniquePtr;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Evaluation keys in SEAL.
pub struct EvaluationKeys {
    pub(crate) relinearization: Option<UniquePtr<ffi::RelinKeys>>,
    pub(crate) galois: Option<UniquePtr<ffi::GaloisKeys>>,
    pub(crate) elements: BTreeSet<u32>,
}

impl EvaluationKeys {
    /// Checks all numbers, then gives SEAL an image of them.
    ///
    /// # Errors
    /// [`Error::NoKeySwitching`], [`Error::GaloisElement`], [`Error::Length`], [`Error::Residue`].
    pub fn from_material(context: &Context, material: &KeyMaterial) -> Result<Self, Error> {
        context.check_key_switching()?;
        check_material(context, material)?;
        let relinearization = material
            .relinearization
            .as_ref()
            .map(|key| load_relinearization(context, key));
        let galois = (!material.galois.is_empty()).then(|| load_galois(context, &material.galois));
        Ok(EvaluationKeys {
            relinearization: relinearization.transpose()?,
            galois: galois.transpose()?,
            elements: material.galois.keys().copied().collect(),
        })
    }

    /// Returns all keys as plain numbers.
    ///
    /// # Errors
    /// [`Error::Length`] or [`Error::Seal`] for keys of another context.
    pub fn material(&self, context: &Context) -> Result<KeyMaterial, Error> {
        let relinearization = self.relinearization.as_ref().map(|keys| {
            read_key(context, |d| {
                named(
                    "read the relinearization key",
                    ffi::relinearization_words(keys, d),
                )
            })
        });
        let mut galois = BTreeMap::new();
        if let Some(keys) = &self.galois {
            for &element in &self.elements {
                let words = |d| named("read a Galois key", ffi::galois_words(keys, element, d));
                galois.insert(element, read_key(context, words)?);
            }
        }
        Ok(KeyMaterial {
            relinearization: relinearization.transpose()?,
            galois,
        })
    }

    /// Whether there is a relinearization key.
    pub fn has_relinearization(&self) -> bool {
        self.relinearization.is_some()
    }

    /// Galois elements of the keys.
    pub fn elements(&self) -> &BTreeSet<u32> {
        &self.elements
    }

    /// Checks that every rotation of `steps` has its key, before work starts.
    ///
    /// # Errors
    /// [`Error::Step`], [`Error::MissingGaloisKey`] for the first missing one.
    pub fn check_rotations(&self, context: &Context, steps: &[i32]) -> Result<(), Error> {
        steps.iter().try_for_each(|&step| {
            let element = galois::galois_element(context.parameters().ring_degree, step)?;
            self.galois(element)
                .map(|_| ())
                .ok_or(Error::MissingGaloisKey { step, element })
        })
    }

    pub(crate) fn galois(&self, element: u32) -> Option<&UniquePtr<ffi::GaloisKeys>> {
        self.galois
            .as_ref()
            .filter(|_| self.elements.contains(&element))
    }
}

impl fmt::Debug for EvaluationKeys {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("EvaluationKeys")
            .field("relinearization", &self.has_relinearization())
            .field("elements", &self.elements)
            .finish()
    }
}

fn check_material(context: &Context, material: &KeyMaterial) -> Result<(), Error> {
    let ring_degree = context.parameters().ring_degree;
    material
        .galois
        .keys()
        .try_for_each(|&element| galois::check_element(ring_degree, element))?;
    let chain = context.parameters().chain();
    let keys = material
        .relinearization
        .iter()
        .chain(material.galois.values());
    for key in keys {
        residues::length(
            "key switching key",
            key.decompositions.len(),
            chain.len() - 1,
        )?;
        for polynomial in key.decompositions.iter().flatten() {
            residues::check("key switching key", polynomial, &chain, ring_degree)?;
        }
    }
    Ok(())
}

fn load_relinearization(
    context: &Context,
    key: &KeySwitchingKey,
) -> Result<UniquePtr<ffi::RelinKeys>, Error> {
    let image = image::key_switching_keys(context.parameters(), &[Some(key)]);
    named(
        "load the relinearization key",
        ffi::load_relinearization_key(context.native(), &image),
    )
}

/// Loads Galois keys; SEAL keeps the key of element g at place (g - 1) / 2 of a list with n places.
fn load_galois(
    context: &Context,
    keys: &BTreeMap<u32, KeySwitchingKey>,
) -> Result<UniquePtr<ffi::GaloisKeys>, Error> {
    let places: Vec<_> = (0..context.parameters().ring_degree as u32)
        .map(|place| keys.get(&(2 * place + 1)))
        .collect();
    let image = image::key_switching_keys(context.parameters(), &places);
    named(
        "load the Galois keys",
        ffi::load_galois_keys(context.native(), &image),
    )
}

fn read_key<'words>(
    context: &Context,
    words: impl Fn(usize) -> Result<&'words [u64], Error>,
) -> Result<KeySwitchingKey, Error> {
    let parameters = context.parameters();
    let half = parameters.chain().len() * parameters.ring_degree;
    let one = |d| {
        let words = words(d)?;
        residues::length("key switching key", words.len(), 2 * half)?;
        let (first, second) = words.split_at(half);
        Ok([
            residues::split(first, parameters.ring_degree),
            residues::split(second, parameters.ring_degree),
        ])
    };
    Ok(KeySwitchingKey {
        decompositions: (0..parameters.data_primes.len())
            .map(one)
            .collect::<Result<_, Error>>()?,
    })
}
