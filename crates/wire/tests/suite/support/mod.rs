//! Items for the tests and a stand-in for authentication.
#![allow(dead_code, missing_docs, clippy::unwrap_used)]

pub mod reread;

use isopod_wire::{
    by_name, Authentic, Authenticator, Claims, EncryptedResult, Envelope, EvaluationKeysHeader,
    EvaluationKeysWriter, FrameHeader, FrameId, Grid, Kind, Layout, Manifest, MaskOrder, Part,
    Partial, PartialHeader, Provenance, Relation, Suite, Tag, Term, Unsealed,
};

/// SplitMix64 generator: the same items on every run.
pub struct Numbers(pub u64);

impl Numbers {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    pub fn polynomial(&mut self, prime: u64, degree: usize) -> Vec<u64> {
        (0..degree).map(|_| self.below(prime)).collect()
    }
}

/// Checksum in place of a MAC: it depends on every byte, enough to show that every byte is covered.
pub struct Checksum;

impl Checksum {
    pub fn tag(relation: Relation, nonce: &[u8; 24], message: &[u8]) -> Tag {
        let start = match relation {
            Relation::Device(device) => device ^ 0x55,
            Relation::Link => 0xaa,
        };
        let mut state = Numbers(start);
        for byte in nonce.iter().chain(message) {
            state.0 ^= u64::from(*byte);
            state.next();
            state.0 = state.0.rotate_left(5).wrapping_mul(0x0100_0000_01b3);
        }
        let mut tag = [0; 16];
        tag[..8].copy_from_slice(&state.next().to_le_bytes());
        tag[8..].copy_from_slice(&state.next().to_le_bytes());
        tag
    }

    pub fn seal(unsealed: Unsealed) -> Vec<u8> {
        let tag = Self::tag(unsealed.relation(), unsealed.nonce(), unsealed.message());
        unsealed.with_tag(tag)
    }
}

impl Authenticator for Checksum {
    fn verify(&self, relation: Relation, nonce: &[u8; 24], message: &[u8], tag: &Tag) -> bool {
        &Self::tag(relation, nonce, message) == tag
    }
}

/// Authenticator that accepts every tag, so that tests reach the parsers behind it.
pub struct Anyone;

impl Authenticator for Anyone {
    fn verify(&self, _: Relation, _: &[u8; 24], _: &[u8], _: &Tag) -> bool {
        true
    }
}

pub fn header(set: &str, kind: Kind, suite: Suite) -> FrameHeader {
    let params = by_name(set).unwrap();
    FrameHeader {
        kind,
        params,
        parts: params.data_primes.len() as u16,
        suite,
        key_id: *b"key id of a test",
        id: FrameId {
            device: 7,
            epoch: 3,
            sequence: 1000,
        },
        nonce: *b"nonce of a test.",
        interleave: 1,
        log2_scale: params.log2_scale.default,
        count: 5,
        layout: Layout::Slots,
        dithered: false,
        claims: Claims {
            bound: 4,
            stride: 5,
            buckets: 1,
            packing: None,
        },
        rounding: None,
        mask_order: MaskOrder::Ntt,
        seed: if kind == Kind::SecretKey {
            vec![9; suite.seed_bytes()]
        } else {
            Vec::new()
        },
    }
}

pub fn part(header: &FrameHeader, part: u16, numbers: &mut Numbers) -> Part {
    let (prime, degree) = (
        header.params.data_primes[usize::from(part)],
        header.params.ring_degree,
    );
    Part {
        header: header.clone(),
        part,
        c0: numbers.polynomial(prime, degree),
        c1: (header.kind == Kind::PublicKey).then(|| numbers.polynomial(prime, degree)),
    }
}

/// The provenance of the first of two items, which frames 4 and 5 of device 7 entered.
pub fn provenance(job: &str) -> Provenance {
    let id = |sequence| FrameId {
        device: 7,
        epoch: 3,
        sequence,
    };
    Provenance {
        run: *b"run of one test.",
        sequence: 900,
        index: 0,
        total: 2,
        challenge: Some(*b"a test's request"),
        request: [6; 32],
        job: job.into(),
        frames: 2,
        origin: [7; 32],
        manifest: Some(Manifest::of([(id(5), 3), (id(4), 3)]).unwrap()),
        packing: Some(*b"packing of tests"),
    }
}

pub fn result(set: &str, primes: usize, numbers: &mut Numbers) -> EncryptedResult {
    let params = by_name(set).unwrap();
    let mut polynomials = || -> Vec<Vec<u64>> {
        let primes = params.data_primes[..primes].iter();
        primes
            .map(|&prime| numbers.polynomial(prime, params.ring_degree))
            .collect()
    };
    EncryptedResult {
        linear_tag: None,
        params,
        key_id: *b"key id of a test",
        nonce: *b"nonce of a test.",
        provenance: provenance("mean"),
        bound: 16.0,
        error: 0.125,
        scale: 2f64.powi(27),
        first: 0,
        grid: Grid {
            rows: 3,
            columns: 1,
            stride: 2,
        },
        rounded: None,
        c0: polynomials(),
        c1: polynomials(),
    }
}

/// The sum of frames 4 and 5 of device 7, under the public key.
pub fn partial(set: &str, numbers: &mut Numbers) -> Partial {
    let frames = header(set, Kind::PublicKey, Suite::Chacha20);
    let result = result(set, usize::from(frames.parts), numbers);
    let manifest = result.provenance.manifest.unwrap();
    let terms = vec![Term {
        frames: manifest.count(),
        ..Term::of(&frames, 1)
    }];
    Partial {
        linear_tag: None,
        header: PartialHeader::of(&frames, "sum", result.provenance.request),
        nonce: frames.nonce,
        terms,
        manifest,
        c0: result.c0,
        c1: result.c1,
    }
}

pub fn evaluation_header(set: &str, relinearization: bool, galois: &[u32]) -> EvaluationKeysHeader {
    EvaluationKeysHeader {
        params: by_name(set).unwrap(),
        key_id: *b"key id of a test",
        nonce: *b"nonce of a test.",
        relinearization,
        galois: galois.to_vec(),
    }
}

pub fn evaluation_keys(header: EvaluationKeysHeader, numbers: &mut Numbers) -> Vec<u8> {
    let chain: Vec<u64> = header.params.chain().collect();
    let degree = header.params.ring_degree;
    let order: Vec<_> = header.polynomials().collect();
    let mut writer = EvaluationKeysWriter::new(header).unwrap();
    for at in order {
        let polynomial: Vec<u64> = (0..degree)
            .map(|_| numbers.below(chain[at.prime]))
            .collect();
        writer.push(&polynomial).unwrap();
    }
    Checksum::seal(writer.finish().unwrap())
}

/// Authenticates the only item of `bytes` by its checksum.
pub fn open(bytes: &[u8]) -> isopod_wire::Result<Authentic<Envelope<'_>>> {
    Envelope::read_only(bytes)?.authenticate(&Checksum)
}

/// A copy with the first occurrence of a byte string replaced.
pub fn replace(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let at = bytes
        .windows(from.len())
        .position(|window| window == from)
        .expect("occurs");
    [&bytes[..at], to, &bytes[at + from.len()..]].concat()
}
