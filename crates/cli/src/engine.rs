//! Between the jobs of the command line and SEAL.

use std::collections::BTreeSet;

use anyhow::{Context as _, Result};
use isopod_eval::{Answer, Job};
use isopod_seal::{galois_element, KeyMaterial};
use isopod_wire::{EncryptedResult, EvaluationKeys, KeyId, ParameterSet};

/// An answer as it travels to the owner.
pub fn result(
    context: &isopod_seal::Context,
    (set, key_id): (&'static ParameterSet, KeyId),
    job: &str,
    answer: &Answer,
) -> Result<EncryptedResult> {
    let residues = context.residues(&answer.ciphertext)?;
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
        c0: residues.c0,
        c1: residues.c1,
    })
}

/// Those evaluation keys that a job needs, as SEAL takes them; the job names what is missing.
pub fn key_material(keys: &EvaluationKeys<'_>, job: &dyn Job) -> Result<KeyMaterial> {
    let degree = keys.header().params.ring_degree;
    let wanted: BTreeSet<u32> = job
        .rotations_for(keys.header().params.slots())
        .into_iter()
        .map(|step| galois_element(degree, step))
        .collect::<Result<_, _>>()?;
    Ok(KeyMaterial::decode(
        keys,
        job.needs_relinearization(),
        &wanted,
    )?)
}
