//! `bench-tfhe`, from the root of the repository: Isopod's device library and tfhe-rs's own client encrypt the same values,
//! then the adapter extracts them. Medians of the process's CPU time, since tfhe-rs starts threads of its own, and bytes.
//! Writes `bench/out/tfhe.json`. Exit status: 0 within the budget of this file, otherwise 1.

use std::fs;
use std::hint::black_box;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{ensure, Context as _, Result};
use cpu_time::ProcessTime;
use isopod_device::{Sender, TfheEncoding, TfheEncryptor, TfheKeyPair};
use isopod_tfhe::native::{client_key, RingCiphertext, BLOCK_PARAMETERS};
use isopod_tfhe::{secret_coefficients, OwnerSecrets};
use isopod_wire::{
    Authenticator, Envelope, Label, Relation, Schema, Tag, TfheBlob, TfheFrame, TfheSuite,
    ValueType, TFHE_SETS,
};
use serde::Serialize;
use tfhe::core_crypto::prelude::{
    encrypt_seeded_glwe_ciphertext, new_seeder, GlweSecretKeyOwned, PlaintextList,
    SeededGlweCiphertext,
};
use tfhe::prelude::*;
use tfhe::safe_serialization::safe_serialized_size;
use tfhe::{ClientKey, CompactCiphertextList, CompactPublicKey, CompressedFheUint8, FheUint8};

const OUT: &str = "bench/out/tfhe.json";
const VALUES: usize = 256;
const ROUNDS: usize = 21;
/// The adapter's budget: all values of a frame, extracted and checked, without a bootstrap.
const EXTRACTION_BUDGET: Duration = Duration::from_millis(15);

#[derive(Serialize)]
struct Row {
    what: &'static str,
    microseconds: f64,
    bytes: u64,
}

struct Anyone;

impl Authenticator for Anyone {
    fn verify(&self, _: Relation, _: &[u8; 24], _: &[u8], _: &Tag) -> bool {
        true
    }
}

/// The median of the CPU time of all threads.
fn median(mut call: impl FnMut() -> Result<()>) -> Result<Duration> {
    call()?;
    let mut times = Vec::with_capacity(ROUNDS);
    for _ in 0..ROUNDS {
        let start = ProcessTime::now();
        call()?;
        times.push(start.elapsed());
    }
    times.sort();
    Ok(times[ROUNDS / 2])
}

fn row(what: &'static str, bytes: u64, call: impl FnMut() -> Result<()>) -> Result<Row> {
    let microseconds = median(call)?.as_secs_f64() * 1e6;
    Ok(Row {
        what,
        microseconds,
        bytes,
    })
}

fn values() -> Vec<i128> {
    (0..VALUES as i128).collect()
}

/// Isopod's frames, whole and authenticated.
fn ours(what: &'static str, blob: &[u8], whole_bodies: bool) -> Result<(Row, Vec<u8>)> {
    let encoding = TfheEncoding {
        suite: TfheSuite::Chacha20,
        whole_bodies,
        streaming: false,
        columns: 0,
        packing: None,
        accept_label: Label::Bits128,
    };
    let mut encryptor = TfheEncryptor::new(blob, encoding)?;
    let schema = Schema::of_values(vec![ValueType::U8; VALUES])?;
    let mut sender = Sender {
        device: 1,
        epoch: 1,
        sequence: 0,
        key: &[7; 32],
    };
    let values = values();
    let mut frame = encryptor.encrypt(&schema, &values, &mut sender)?;
    let bytes = frame.len() as u64;
    let row = row(what, bytes, || {
        frame = encryptor.encrypt(&schema, &values, &mut sender)?;
        Ok(())
    })?;
    Ok((row, frame))
}

/// tfhe-rs's own encryptions: one by one under the secret key, compressed, and in one list under the public key.
fn theirs(key: &ClientKey) -> Result<Vec<Row>> {
    let all = || (0..=255u8).take(VALUES);
    let plain = safe_serialized_size(&FheUint8::encrypt(0u8, key))?;
    let compressed = safe_serialized_size(&CompressedFheUint8::encrypt(0u8, key))?;
    let public = CompactPublicKey::new(key);
    let build = || {
        CompactCiphertextList::builder(&public)
            .extend(all())
            .build()
    };
    let packed = || {
        CompactCiphertextList::builder(&public)
            .extend(all())
            .build_packed()
    };
    let list = safe_serialized_size(&build())?;
    let packed_list = safe_serialized_size(&packed())?;
    Ok(vec![
        row(
            "tfhe-rs, secret key, FheUint8",
            plain * VALUES as u64,
            || {
                all().for_each(|value| drop(black_box(FheUint8::encrypt(value, key))));
                Ok(())
            },
        )?,
        row(
            "tfhe-rs, secret key, CompressedFheUint8",
            compressed * VALUES as u64,
            || {
                all().for_each(|value| drop(black_box(CompressedFheUint8::encrypt(value, key))));
                Ok(())
            },
        )?,
        row("tfhe-rs, public key, compact list", list, || {
            black_box(build());
            Ok(())
        })?,
        row(
            "tfhe-rs, public key, packed compact list",
            packed_list,
            || {
                black_box(packed());
                Ok(())
            },
        )?,
    ])
}

/// tfhe-rs's own seeded encryption of the same blocks in one ring ciphertext, the content of a device's frame: words and
/// seed, without a frame's authentication.
fn seeded(secret: &[i8]) -> Result<Row> {
    const LOG2_DELTA: u32 = 59;
    let degree = BLOCK_PARAMETERS.polynomial_size;
    let words = secret.iter().map(|&bit| u64::from(bit != 0)).collect();
    let key = GlweSecretKeyOwned::from_container(words, degree);
    let blocks = (0..VALUES as u64).flat_map(|value| (0..4).map(move |i| value >> (2 * i) & 3));
    let mut message: Vec<u64> = blocks.map(|block| block << LOG2_DELTA).collect();
    message.resize(degree.0, 0);
    let message = PlaintextList::from_container(message);
    let mut seeder = new_seeder();
    let bytes = (degree.0 * 8 + 16) as u64;
    row(
        "tfhe-rs, secret key, one seeded GLWE ciphertext",
        bytes,
        || {
            let mut ciphertext = SeededGlweCiphertext::new(
                0u64,
                BLOCK_PARAMETERS.glwe_dimension.to_glwe_size(),
                degree,
                seeder.seed().into(),
                BLOCK_PARAMETERS.ciphertext_modulus,
            );
            encrypt_seeded_glwe_ciphertext(
                &key,
                &mut ciphertext,
                &message,
                BLOCK_PARAMETERS.glwe_noise_distribution,
                seeder.as_mut(),
            );
            black_box(ciphertext);
            Ok(())
        },
    )
}

fn parsed(bytes: &[u8]) -> Result<TfheFrame> {
    Ok(Envelope::read_only(bytes)?
        .authenticate(&Anyone)?
        .tfhe_frame(&TFHE_SETS[0])?)
}

fn measure() -> Result<Vec<Row>> {
    let pair = TfheKeyPair::generate(&TFHE_SETS[0])?;
    let coefficients = secret_coefficients(&TfheBlob::read(&pair.secret_blob)?)?;
    let secrets = OwnerSecrets::new(&coefficients)?;
    let (secret, frame) = ours("Isopod, secret key", &pair.secret_transformed_blob, false)?;
    let (whole, _) = ours(
        "Isopod, secret key, whole bodies",
        &pair.secret_transformed_blob,
        true,
    )?;
    let (public, _) = ours("Isopod, public key", &pair.public_blob, false)?;
    let mut rows = vec![secret, whole, public];
    rows.extend(theirs(&client_key(&secrets))?);
    rows.push(seeded(&coefficients)?);
    let frame = parsed(&frame)?;
    let bytes = (VALUES * 4 * 2049 * 8) as u64;
    rows.push(row("adapter, mask and all values", bytes, || {
        let values = RingCiphertext::new(&frame)?.values()?;
        ensure!(values.len() == VALUES, "all values");
        black_box(values);
        Ok(())
    })?);
    Ok(rows)
}

fn main() -> Result<ExitCode> {
    let rows = measure()?;
    fs::create_dir_all("bench/out")?;
    fs::write(OUT, serde_json::to_string_pretty(&rows)? + "\n")
        .with_context(|| format!("cannot write {OUT}"))?;
    let extraction = rows.last().context("a last row")?;
    let within = extraction.microseconds <= EXTRACTION_BUDGET.as_secs_f64() * 1e6;
    if !within {
        eprintln!(
            "extraction took {:.0} us of CPU time; allowed are {EXTRACTION_BUDGET:?}",
            extraction.microseconds
        );
    }
    Ok(ExitCode::from(u8::from(!within)))
}
