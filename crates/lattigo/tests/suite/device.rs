//! Frames that the device library encrypts under a public key, and results that it reads.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use crate::support::Numbers;
use isopod_device::{
    Decryptor, Encoding, Encryptor, FrameClaims, KeyPair, RoundedRows, Sender, Values,
};
use isopod_lattigo::{Answer, Piece, Promise, INSECURE};
use isopod_linear::{values_of_slots, Merge, Merged, Reduction};
use isopod_wire::{
    by_name, Authenticator, EncryptedResult, Envelope, Grid, KeyBlob, Label, PackedFrame,
    Provenance, Relation, RoundedAnswers, RoundedFrame, Rounding, Suite, Tag,
};

/// Columns of a row.
const COLUMNS: u32 = 16;

/// Scales of real readings, and of integers, whose steps fill the modulus.
const OF_REALS: u8 = 15;
const OF_INTEGERS: u8 = 20;

/// Authenticator that accepts every tag.
struct Anyone;

impl Authenticator for Anyone {
    fn verify(&self, _: Relation, _: &[u8; 24], _: &[u8], _: &Tag) -> bool {
        true
    }
}

fn merge(frames: &[RoundedFrame], reduction: Reduction) -> Merged {
    let (like, ring) = (&frames[0].header, INSECURE.ring);
    let mut merge = Merge::new(like, "count", [3; 32], ring, reduction).unwrap();
    for frame in frames {
        merge.add(frame, None).unwrap();
    }
    merge.finish().unwrap()
}

/// A fleet with one key pair.
pub struct Fleet(KeyPair);

impl Fleet {
    pub fn new() -> Self {
        Self(KeyPair::generate(by_name(INSECURE.frames).unwrap()).unwrap())
    }

    /// The secret key's coefficients.
    pub fn secret(&self) -> Vec<i8> {
        let blob = KeyBlob::read(&self.0.secret_blob).unwrap();
        let quads = blob.payload.iter();
        quads
            .flat_map(|byte| [0, 2, 4, 6].map(|shift| (byte >> shift & 3) as i8 - 1))
            .collect()
    }

    /// Frames of readings of which each is at least this far from every edge, and how many are below the first one, between each
    /// two, and above the last one.
    pub fn merged(&self, rows: [u32; 2], edges: &[f64], apart: f64) -> (Merged, Vec<usize>) {
        let mut bins = vec![0; edges.len() + 1];
        let mut frames = Vec::new();
        for (sequence, readings) in (0..).zip(self.readings(rows, edges, apart)) {
            for reading in &readings {
                bins[edges.iter().filter(|&edge| reading > edge).count()] += 1;
            }
            frames.push(self.frame(&readings, sequence, OF_REALS));
        }
        (merge(&frames, Reduction::Sine), bins)
    }

    /// Frames of integers from -8 to 8 in rows, at a scale that a circle takes, and all of the integers.
    pub fn integers(&self, rows: [u32; 2]) -> (Merged, [Vec<f64>; 2]) {
        let integers = self.readings(rows, &[], 0.0);
        let integers = integers.map(|frame| frame.iter().map(|reading| reading.round()).collect());
        let frames = (0..).zip(&integers);
        let frames: Vec<RoundedFrame> = frames
            .map(|(sequence, frame): (u64, &Vec<f64>)| self.frame(frame, sequence, OF_INTEGERS))
            .collect();
        (merge(&frames, Reduction::Circle), integers)
    }

    /// The readings of these frames.
    pub fn readings(&self, rows: [u32; 2], edges: &[f64], apart: f64) -> [Vec<f64>; 2] {
        let mut numbers = Numbers(5);
        rows.map(|rows| {
            let readings = std::iter::repeat_with(|| 8.0 * numbers.real());
            let is_far = |reading: &f64| edges.iter().all(|edge| (reading - edge).abs() > apart);
            let readings = readings.filter(is_far);
            readings.take((rows * COLUMNS) as usize).collect()
        })
    }

    fn frame(&self, readings: &[f64], sequence: u64, log2_scale: u8) -> RoundedFrame {
        let encoding = Encoding {
            log2_scale,
            log2_bound: 3,
            claims: FrameClaims {
                stride: COLUMNS,
                ..FrameClaims::default()
            },
            chunks: 1,
            suite: Suite::Chacha20,
            accept_label: Label::Bits128,
        };
        let rounding = Rounding {
            run: COLUMNS,
            dropped: [7, 3],
        };
        let encryptor = Encryptor::new(&self.0.public_blob, encoding).unwrap();
        let mut encryptor = encryptor.with_rounded_rows(RoundedRows {
            columns: COLUMNS,
            rounding,
        });
        let mut sender = Sender {
            device: 7,
            epoch: 1,
            sequence,
            key: &[4; 32],
        };
        let parts = encryptor.encrypt_values(Values::Real(readings), &mut sender);
        let parts = parts.unwrap();
        let part = Envelope::read_only(&parts[0]).unwrap();
        let part = part.authenticate(&Anyone).unwrap().packed_part().unwrap();
        PackedFrame::new(vec![part]).unwrap().rounded().unwrap()
    }

    /// The numbers of an answer, as an owner reads them from results.
    pub fn read(&self, merged: &Merged, answer: &Answer) -> Vec<f64> {
        let numbers = 0..answer.pieces.len();
        numbers
            .map(|number| self.number(merged, answer, number))
            .collect()
    }

    fn number(&self, merged: &Merged, answer: &Answer, at: usize) -> f64 {
        let promise = &answer.plan.numbers[at];
        self.opened(merged, &answer.pieces[at], (promise, [0; 2]))[0]
    }

    /// The value in the slot of each coefficient of a merged ciphertext, as an owner reads it from the pieces of its answer.
    pub fn values(&self, merged: &Merged, answer: &Answer) -> Vec<f64> {
        let (promise, dropped) = (&answer.plan.numbers[0], answer.plan.each.unwrap().dropped);
        let pieces = answer.pieces.iter();
        let pieces = pieces.map(|piece| self.opened(merged, piece, (promise, dropped)));
        let pieces: Vec<Vec<f64>> = pieces.collect();
        let turns = (0..pieces[0].len()).flat_map(|j| pieces.iter().map(move |piece| piece[j]));
        values_of_slots(&turns.collect::<Vec<_>>())
    }

    /// Coefficients of a piece.
    fn opened(&self, merged: &Merged, piece: &Piece, like: (&Promise, [u8; 2])) -> Vec<f64> {
        let (promise, dropped) = like;
        let columns = piece.c0.len() as u32;
        let grid = Grid {
            rows: 1,
            columns,
            stride: columns,
        };
        let manifest = merged.manifest().unwrap();
        let result = EncryptedResult {
            linear_tag: None,
            params: merged.header.params,
            key_id: self.0.key_id,
            nonce: [6; 16],
            provenance: Provenance {
                run: [1; 16],
                sequence: 1,
                index: 0,
                total: 1,
                challenge: None,
                request: merged.header.request,
                job: merged.header.job.clone(),
                frames: merged.frames.len() as u64,
                origin: [2; 32],
                manifest: Some(manifest),
                packing: None,
            },
            bound: promise.bound + promise.error,
            error: promise.error,
            scale: piece.scale,
            first: 0,
            grid,
            rounded: Some(RoundedAnswers { primes: 1, dropped }),
            c0: vec![piece.c0.clone()],
            c1: vec![piece.c1.clone()],
        };
        // On its way to the owner.
        let item = result.encode().unwrap().with_tag([0; 16]);
        let envelope = Envelope::read_only(&item).unwrap();
        let result = envelope.authenticate(&Anyone).unwrap().result().unwrap();
        let mut decryptor = Decryptor::new(&self.0.secret_blob).unwrap();
        decryptor.decrypt(&result, None).unwrap().into_owner_only()
    }
}
