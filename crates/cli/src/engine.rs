//! Between the wire and SEAL.

use std::collections::BTreeSet;

use anyhow::{Context as _, Result};
use isopod_eval::{Answer, Job};
use isopod_seal::{
    galois_element, Ciphertext, Context, Generator, KeyMaterial, KeySwitchingKey, MaskSeed,
    Parameters,
};
use isopod_wire::{
    CkksParams, EncryptedResult, EvaluationKeys, EvaluationKeysHeader, EvaluationKeysWriter, Frame,
    KeyId, Mask, Nonce, PolynomialIndex, Suite, Unsealed,
};

/// SEAL's view of a set.
pub fn context(set: &CkksParams) -> Result<Context> {
    let parameters = Parameters {
        name: set.name.to_owned(),
        ring_degree: set.ring_degree,
        data_primes: set.data_primes.to_vec(),
        special_prime: set.special_prime,
    };
    Ok(Context::new(&parameters)?)
}

fn wide(polynomials: &[Vec<u32>]) -> Vec<Vec<u64>> {
    polynomials
        .iter()
        .map(|polynomial| polynomial.iter().map(|&residue| residue.into()).collect())
        .collect()
}

fn narrow(polynomials: &[Vec<u64>]) -> Vec<Vec<u32>> {
    // Residues of data primes are below 2^30.
    polynomials
        .iter()
        .map(|polynomial| polynomial.iter().map(|&residue| residue as u32).collect())
        .collect()
}

/// A frame as a ciphertext. SEAL expands seeds of its own suite itself.
pub fn ciphertext(context: &Context, frame: &Frame) -> Result<Ciphertext> {
    let scale = f64::from(frame.header.log2_scale).exp2();
    let c0 = wide(&frame.c0);
    let (suite, seed) = match &frame.mask {
        Mask::Polynomials(c1) => return Ok(context.ciphertext(&c0, &wide(c1), scale)?),
        Mask::Seed { suite, seed } => (*suite, seed),
    };
    if let (Suite::SealShake256, Ok(seed)) = (suite, seed.as_slice().try_into()) {
        let mask = MaskSeed {
            generator: Generator::Shake256,
            seed,
        };
        return Ok(context.seeded_ciphertext(&c0, mask, scale)?);
    }
    let c1 = isopod_device::expand_mask(frame.header.params, suite, seed)?;
    Ok(context.ciphertext(&c0, &wide(&c1), scale)?)
}

/// An answer as it travels to the owner.
pub fn result(
    set: &'static CkksParams,
    key_id: KeyId,
    job: &str,
    answer: &Answer,
) -> Result<EncryptedResult> {
    let residues = answer.ciphertext.residues()?;
    let number = |value: usize| u32::try_from(value).context("a slot beyond 2^32");
    Ok(EncryptedResult {
        params: set,
        key_id,
        nonce: isopod_keys::random()?,
        job: job.to_owned(),
        scale: residues.scale,
        first: number(answer.layout.first)?,
        step: number(answer.layout.step)?,
        count: number(answer.layout.count)?,
        c0: narrow(&residues.c0),
        c1: narrow(&residues.c1),
    })
}

/// A result as a ciphertext.
pub fn result_ciphertext(context: &Context, result: &EncryptedResult) -> Result<Ciphertext> {
    Ok(context.ciphertext(&wide(&result.c0), &wide(&result.c1), result.scale)?)
}

/// Evaluation keys as they travel to the server.
pub fn encode_keys(
    set: &'static CkksParams,
    key_id: KeyId,
    nonce: Nonce,
    keys: &KeyMaterial,
) -> Result<Unsealed> {
    let mut writer = EvaluationKeysWriter::new(EvaluationKeysHeader {
        params: set,
        key_id,
        nonce,
        relinearization: keys.relinearization.is_some(),
        galois: keys.galois.keys().copied().collect(),
    })?;
    for key in keys.relinearization.iter().chain(keys.galois.values()) {
        for polynomial in key.decompositions.iter().flatten().flatten() {
            writer.push(polynomial)?;
        }
    }
    Ok(writer.finish()?)
}

/// Those evaluation keys that a job needs, as SEAL takes them; the job names what is missing.
pub fn key_material(keys: &EvaluationKeys<'_>, job: &dyn Job) -> Result<KeyMaterial> {
    let header = keys.header();
    let degree = header.params.ring_degree;
    let wanted: BTreeSet<u32> = job
        .required_rotations()
        .into_iter()
        .map(|step| galois_element(degree, step))
        .collect::<Result<_, _>>()?;
    let before = usize::from(header.relinearization);
    let galois = header
        .galois
        .iter()
        .enumerate()
        .filter(|(_, element)| wanted.contains(element));
    Ok(KeyMaterial {
        relinearization: if header.relinearization && job.needs_relinearization() {
            Some(switching_key(keys, 0)?)
        } else {
            None
        },
        galois: galois
            .map(|(at, &element)| Ok((element, switching_key(keys, before + at)?)))
            .collect::<Result<_>>()?,
    })
}

fn switching_key(keys: &EvaluationKeys<'_>, key: usize) -> Result<KeySwitchingKey> {
    let params = keys.header().params;
    let (digits, primes) = (params.data_primes.len(), params.chain().count());
    let polynomial = |digit, polynomial| {
        let places = (0..primes).map(|prime| PolynomialIndex {
            key,
            digit,
            polynomial,
            prime,
        });
        places
            .map(|place| keys.polynomial(place).context("a polynomial is missing"))
            .collect::<Result<Vec<_>>>()
    };
    let decompositions =
        (0..digits).map(|digit| Ok([polynomial(digit, 0)?, polynomial(digit, 1)?]));
    Ok(KeySwitchingKey {
        decompositions: decompositions.collect::<Result<_>>()?,
    })
}
