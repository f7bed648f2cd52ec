//! An alarm over encrypted values, beside the same by chains: each comparison by tfhe-rs, and a tree of disjunctions of two.

use crate::record::{Measured, Record};
use anyhow::{ensure, Context as _, Result};
use cpu_time::ProcessTime;
use isopod_device::{Sender, TfheEncoding, TfheEncryptor, TfheKeyPair};
use isopod_eval::bits::{Alarm, BitsInput, BitsJob as _, Session};
use isopod_eval::{Side, Threshold};
use isopod_tfhe::native::{pack_result, Native, RingCiphertext, ServerKeyBytes, ServerKeys};
use isopod_tfhe::{secret_coefficients, OwnerSecrets};
use isopod_wire::{
    Authenticator, Envelope, Label, Provenance, Relation, Schema, Tag, TfheBlob, TfheFrame,
    TfheParams, TfheResult, TfheSuite, ValueType, TFHE_SETS,
};
use tfhe::integer::{BooleanBlock, RadixCiphertext, ServerKey};

/// Whose number ends in zeros, so that a comparison is one lookup.
pub const CASE: &str = "alarm-32-u8";
/// With any threshold.
pub const ANY_CASE: &str = "alarm-32-u8-any-threshold";
const VALUES: usize = 32;
const RUNS: usize = 3;
const SET: &TfheParams = &TFHE_SETS[0];
const METHOD: &str = "CPU seconds of one thread for an alarm without each over 32 encrypted values of 8 bits, of the path by \
chains (tfhe-rs's comparison with a number in the clear for each value, then disjunctions of two) over ours (lookups in batches, \
sums of five bits), both on the same frame, by turns; the least of 3 runs each. Both answers are decrypted and compared. Above \
191 the lower four bits decide nothing; alarm-32-u8-any-threshold is above 90, where every bit decides.";

/// Measures a threshold, and makes the record.
pub fn record(case: &'static str) -> Result<Record> {
    let (value, limit) = match case {
        CASE => (191, 3.0),
        _ => (90, 1.7),
    };
    let threshold = Threshold {
        value,
        side: Side::Above,
    };
    let keys = Keys::new()?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let (mut chains, mut sums) = (f64::MAX, f64::MAX);
    for run in 0..RUNS {
        let values: Vec<i128> = (0..VALUES)
            .map(|at| (at * 37 + run) as i128 % (value + 1))
            .collect();
        let wanted = i128::from(run > 0);
        let last = if run > 0 { value + 1 } else { value };
        let values = [&values[1..], &[last]].concat();
        let frames = [BitsInput::from(keys.frame(&values)?)];
        let start = ProcessTime::now();
        let found = pool.install(|| by_chains(&keys.server, &frames[0].frame, threshold))?;
        chains = chains.min(start.elapsed().as_secs_f64());
        ensure!(keys.opened(found)? == [wanted], "the chains are wrong");
        let start = ProcessTime::now();
        let found = by_sums(&keys.server, &frames, threshold)?;
        sums = sums.min(start.elapsed().as_secs_f64());
        ensure!(keys.opened(found)? == [wanted], "the sums are wrong");
    }
    let ratio = chains / sums;
    let measured = Measured {
        frames_per_cpu_second: Some(1.0 / sums),
        ratio: Some(ratio),
        ..Measured::within(ratio >= limit)
    };
    Ok(Record::measured(
        (case, SET.name),
        1,
        RUNS,
        measured,
        METHOD,
    ))
}

fn by_sums(keys: &ServerKeys, frames: &[BitsInput], threshold: Threshold) -> Result<Vec<Native>> {
    let mut session = Session {
        keys,
        threads: 1,
        progress: &mut |_, _| {},
    };
    let alarm = Alarm {
        threshold,
        each: false,
    };
    Ok(alarm.run(&mut session, frames)?)
}

fn by_chains(keys: &ServerKeys, frame: &TfheFrame, threshold: Threshold) -> Result<Vec<Native>> {
    let values = RingCiphertext::new(frame)?.values()?;
    let values = values
        .into_iter()
        .map(|value| RadixCiphertext::from(value.into_blocks()));
    let keys: &ServerKey = keys.integers();
    let compared = values.map(|value| keys.scalar_gt_parallelized(&value, threshold.value as u64));
    let mut bits: Vec<BooleanBlock> = compared.collect();
    while bits.len() > 1 {
        let pairs = bits.chunks(2).map(|pair| match pair {
            [one, other] => keys.boolean_bitor(one, other),
            rest => rest[0].clone(),
        });
        bits = pairs.collect();
    }
    let bit = bits.pop().context("no bit")?.into_raw_parts();
    Ok(vec![
        Native::from_blocks(vec![bit], ValueType::Bool).context("no value")?
    ])
}

/// Keys of owner, device and server.
struct Keys {
    pair: TfheKeyPair,
    owner: OwnerSecrets,
    server: ServerKeys,
}

struct Anyone;

impl Authenticator for Anyone {
    fn verify(&self, _: Relation, _: &[u8; 24], _: &[u8], _: &Tag) -> bool {
        true
    }
}

impl Keys {
    fn new() -> Result<Self> {
        let pair = TfheKeyPair::generate(SET)?;
        let blob = TfheBlob::read(&pair.secret_blob)?;
        let owner = OwnerSecrets::new(&secret_coefficients(&blob)?)?;
        let stored = ServerKeyBytes::generate(&owner)?;
        let server = ServerKeys::load(&stored.server, &stored.packing)?;
        Ok(Self {
            pair,
            owner,
            server,
        })
    }

    fn frame(&self, values: &[i128]) -> Result<TfheFrame> {
        let encoding = TfheEncoding {
            suite: TfheSuite::Chacha20,
            whole_bodies: false,
            streaming: false,
            columns: 0,
            packing: None,
            accept_label: Label::Bits128,
        };
        let mut sender = Sender {
            device: 1,
            epoch: 1,
            sequence: 0,
            key: &[7; 32],
        };
        let schema = Schema::of_values(vec![ValueType::U8; values.len()])?;
        let mut encryptor = TfheEncryptor::new(&self.pair.public_blob, encoding)?;
        let bytes = encryptor.encrypt(&schema, values, &mut sender)?;
        let frame = Envelope::read_only(&bytes)?.authenticate(&Anyone)?;
        Ok(frame.tfhe_frame(SET)?)
    }

    /// Packs an answer as a server does, and decrypts it as its owner.
    fn opened(&self, values: Vec<Native>) -> Result<Vec<i128>> {
        let (schema, packed) = pack_result(&self.server, values)?;
        Ok(self.owner.decrypt(&TfheResult {
            params: SET,
            key_id: [0; 16],
            nonce: [0; 16],
            provenance: Provenance::default(),
            columns: 1,
            frame_columns: 1,
            schema,
            packed,
        })?)
    }
}
