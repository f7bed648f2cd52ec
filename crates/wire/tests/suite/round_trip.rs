//! Round trips: a written item is read back, and an independent CBOR reader accepts its bytes.
#![allow(clippy::unwrap_used)]

use crate::support::{
    evaluation_header, evaluation_keys, header, open, part, result, Checksum, Numbers,
};
use isopod_wire::{
    pack, sets, unpack, AnySet, BlobKind, DeviceKeyFile, Digested as _, EncryptedResult, Envelope,
    FrameId, ItemKind, KeyBlob, Kind, Layout, OwnerKeyFile, PackedFrame, ParameterSet, Relation,
    RoundedAnswers, RoundedFrame, Rounding, Scheme, ServerKeyFile, Sharing, Suite, BFV_SETS,
    CKKS_SETS,
};
use proptest::prelude::*;

fn suites() -> impl Strategy<Value = Suite> {
    prop_oneof![
        Just(Suite::Chacha20),
        Just(Suite::Shake256),
        Just(Suite::SealShake256)
    ]
}

fn kinds() -> impl Strategy<Value = (Kind, u8)> {
    let public =
        prop::sample::select(vec![1, 2, 4, 8]).prop_map(|slices| (Kind::PublicKey, slices));
    prop_oneof![public, Just((Kind::SecretKey, 1))]
}

fn layouts(params: &ParameterSet) -> Vec<Layout> {
    let is_bfv = params.scheme() == Scheme::Bfv;
    let all = Layout::ALL.into_iter();
    all.filter(|layout| !(is_bfv && layout.is_complex() || *layout == Layout::CoefficientsRounded))
        .collect()
}

fn elements_by_minicbor(bytes: &[u8]) -> u64 {
    let mut decoder = minicbor::Decoder::new(bytes);
    let elements = decoder.array().unwrap().unwrap();
    for _ in 0..elements {
        decoder.skip().unwrap();
    }
    assert_eq!(decoder.position(), bytes.len());
    elements
}

const SHARING: Sharing = Sharing {
    statistical_bits: 30,
    queries: 1024,
    used: 1000,
};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn parts(set in 0..CKKS_SETS.len() + BFV_SETS.len(), (kind, interleave) in kinds(), suite in suites(),
             device: u64, epoch: u32, sequence: u64, nonce: [u8; 16], seed: u64) {
        let params = sets().nth(set).unwrap();
        let mut numbers = Numbers(seed);
        let mut header = header(params.name, kind, suite);
        header.id = FrameId { device, epoch, sequence };
        header.nonce = nonce;
        header.interleave = interleave;
        header.claims.packing = (seed % 2 == 0).then_some(nonce);
        header.layout = layouts(params)[numbers.below(layouts(params).len() as u64) as usize];
        header.dithered = params.scheme() == Scheme::Ckks
            && header.layout != Layout::Coefficients
            && numbers.below(2) == 1;
        header.count = 1 + numbers.below(params.places(header.layout) as u64) as u32;
        header.claims.stride = 1 + numbers.below(params.ring_degree as u64) as u32;
        if header.layout.is_repeated() {
            header.count = 1 << header.count.ilog2();
            header.claims.stride = header.count;
        }
        let columns = header.grid().columns;
        header.claims.buckets = 1 << numbers.below(1 + u64::from(columns.trailing_zeros()));
        header.claims.bound = match params.plain_modulus {
            None => numbers.below(61) as i32 - 20,
            Some(modulus) => 1 + numbers.below(modulus / 2) as i32,
        };
        header.parts = 1 + numbers.below(params.data_primes.len() as u64) as u16;
        let number = numbers.below(header.parts.into()) as u16;
        let written = part(&header, number, &mut numbers);
        let bytes = Checksum::seal(written.encode().unwrap());
        prop_assert_eq!(elements_by_minicbor(&bytes), 25);
        let envelope = Envelope::read_only(&bytes).unwrap();
        prop_assert_eq!(envelope.relation(), Relation::Device(device));
        prop_assert_eq!(open(&bytes).unwrap().part().unwrap(), written);
    }

    #[test]
    fn results(set in 0..CKKS_SETS.len(), primes in 0..13usize, nonce: [u8; 16], scale in 1e-3..1e30f64, seed: u64) {
        let params = &CKKS_SETS[set];
        let primes = 1 + primes % params.data_primes.len();
        let written = EncryptedResult { nonce, scale, ..result(params.name, primes, &mut Numbers(seed)) };
        let bytes = Checksum::seal(written.encode().unwrap());
        prop_assert_eq!(elements_by_minicbor(&bytes), 30);
        prop_assert_eq!(open(&bytes).unwrap().result().unwrap(), written);
    }

    #[test]
    fn packing(bits in 1..62u32, values: Vec<u64>) {
        let values: Vec<u64> = values.iter().map(|value| value & ((1 << bits) - 1)).collect();
        let bytes = pack(bits, &values);
        prop_assert_eq!(bytes.len(), (values.len() * bits as usize).div_ceil(8));
        let read: Vec<u64> = unpack(bits, &bytes).take(values.len()).collect();
        prop_assert_eq!(read, values);
    }
}

#[test]
fn packing_is_least_significant_bit_first() {
    assert_eq!(
        pack(5, &[0b00001, 0b11111, 0b00010]),
        [0b1110_0001, 0b0000_1011]
    );
}

#[test]
fn slices_alternate_on_the_wire() {
    let mut header = header("ckks-1024x1-sum", Kind::PublicKey, Suite::Chacha20);
    header.interleave = 2;
    let mut part = part(&header, 0, &mut Numbers(1));
    part.c0 = (0..1024).collect();
    part.c1 = Some((2000..3024).collect());
    let unsealed = part.encode().unwrap();
    let packed = &unsealed.message()[unsealed.message().len() - 2 * 1024 * 26 / 8..];
    let values: Vec<u64> = unpack(26, packed).collect();
    assert_eq!(
        (values[0], values[512], values[1024], values[1536]),
        (0, 2000, 512, 2512)
    );
}

#[test]
fn the_nonce_carries_the_part_number() {
    let header = header("ckks-4096x2-linear", Kind::SecretKey, Suite::Shake256);
    let unsealed = part(&header, 1, &mut Numbers(1)).encode().unwrap();
    assert_eq!(&unsealed.nonce()[..16], b"nonce of a test.");
    assert_eq!(&unsealed.nonce()[16..], 1u64.to_le_bytes());
    let unsealed = result("ckks-1024x1-sum", 1, &mut Numbers(1))
        .encode()
        .unwrap();
    assert_eq!(&unsealed.nonce()[16..], (1u64 << 32).to_le_bytes());
}

#[test]
fn evaluation_keys_by_polynomial() {
    let galois = [3, 9, 8191];
    let expected = evaluation_header("ckks-4096x2-linear", true, &galois);
    let bytes = evaluation_keys(expected.clone(), &mut Numbers(5));
    assert_eq!(elements_by_minicbor(&bytes), 9);
    let authentic = open(&bytes).unwrap();
    assert_eq!(authentic.kind(), ItemKind::EvaluationKeys);
    let keys = authentic.evaluation_keys().unwrap();
    assert_eq!(keys.header(), &expected);
    let chain: Vec<u64> = expected.params.chain().collect();
    let mut numbers = Numbers(5);
    for at in expected.polynomials() {
        let wanted: Vec<u64> = (0..4096).map(|_| numbers.below(chain[at.prime])).collect();
        assert_eq!(keys.polynomial(at).unwrap(), wanted, "{at:?}");
    }
    let mut outside = expected.polynomials().last().unwrap();
    assert_eq!(
        (
            outside.key,
            outside.digit,
            outside.polynomial,
            outside.prime
        ),
        (3, 1, 1, 2)
    );
    outside.key += 1;
    assert!(keys.polynomial(outside).is_none());
}

#[test]
fn blobs_of_every_set_and_kind() {
    let kinds = [
        BlobKind::Public,
        BlobKind::SeededPublic,
        BlobKind::SecretTernary,
        BlobKind::SecretNtt,
        BlobKind::PublicPrime(0),
        BlobKind::SeededPublicPrime(0),
    ];
    for (params, kind) in sets().flat_map(|params| kinds.map(|kind| (params, kind))) {
        let head = KeyBlob::head(kind, params, b"key id of a test");
        let payload = vec![7; kind.payload_bytes(params)];
        let bytes = [&head[..], &[1; 32], &payload].concat();
        let blob = KeyBlob::read(&bytes).unwrap();
        assert_eq!(
            (blob.kind, blob.params.name, &blob.key_id),
            (kind, params.name, b"key id of a test")
        );
        assert_eq!(
            (blob.head, blob.digest, blob.payload),
            (&head, &[1; 32], &payload[..])
        );
    }
}

#[test]
fn key_files() {
    let params = AnySet::by_name("ckks-4096x2-linear").unwrap();
    let (key_id, link, device_master, blob) =
        (*b"key id of a test", [1; 32], [2; 32], vec![3; 80 + 1024]);
    let owner = OwnerKeyFile {
        params,
        key_id,
        blob: &blob,
        link: &link,
        device_master: &device_master,
        sharing: SHARING,
    }
    .write();
    let read = OwnerKeyFile::read(&owner).ok().unwrap();
    assert_eq!(
        (read.params, read.key_id, read.blob),
        (params, key_id, &blob[..])
    );
    assert_eq!((read.link, read.device_master), (&link, &device_master));
    assert_eq!(read.sharing, SHARING);
    let server = ServerKeyFile {
        params,
        key_id,
        link: &link,
        device_master: &device_master,
    }
    .write();
    let read = ServerKeyFile::read(&server).ok().unwrap();
    assert_eq!(
        (read.params, read.key_id, read.link, read.device_master),
        (params, key_id, &link, &device_master)
    );
    let device = DeviceKeyFile {
        key_id: [3; 16],
        device: u64::MAX,
        key: &link,
        digest: &[9; 32],
    }
    .write();
    let read = DeviceKeyFile::read(&device).ok().unwrap();
    assert_eq!(
        (read.key_id, read.device, read.key, read.digest),
        ([3; 16], u64::MAX, &link, &[9; 32])
    );
    assert!(device.starts_with(&read.hashed()));
    assert!([owner, server, device]
        .iter()
        .all(|bytes| elements_by_minicbor(bytes) >= 4));
}

/// A frame of three rows of three coefficients, 16 apart, 5 of them sent.
fn rounded_frame(set: &str, kind: Kind, dropped: [u8; 2], numbers: &mut Numbers) -> RoundedFrame {
    let mut header = header(set, kind, Suite::Chacha20);
    header.layout = Layout::CoefficientsRounded;
    (header.count, header.claims.stride) = (35, 16);
    header.rounding = Some(Rounding { run: 5, dropped });
    let modulus = header.modulus().unwrap();
    let mut list = |count, bits: u8| -> Vec<u64> {
        let random = (0..count).map(|_| numbers.below(modulus) >> bits << bits);
        random.collect()
    };
    RoundedFrame {
        c0: list(15, dropped[0]),
        c1: (kind == Kind::PublicKey).then(|| list(header.params.ring_degree, dropped[1])),
        header,
    }
}

#[test]
fn rounded_coefficients() {
    let sets = [
        "ckks-1024x1-sum",
        "ckks-2048x2-air",
        "bfv-2048x2-air",
        "ckks-4096x2-linear",
    ];
    for set in sets {
        for (kind, dropped) in [
            (Kind::SecretKey, [7, 0]),
            (Kind::PublicKey, [9, 3]),
            (Kind::PublicKey, [0, 0]),
        ] {
            let written = rounded_frame(set, kind, dropped, &mut Numbers(8));
            let bytes = Checksum::seal(written.encode().unwrap());
            assert_eq!(elements_by_minicbor(&bytes), 25);
            let authentic = open(&bytes).unwrap();
            let packed = authentic.packed_part().unwrap();
            assert_eq!(packed.slices(0).count(), 0);
            assert_eq!(authentic.part().unwrap_err().name(), "out_of_range");
            assert_eq!(
                PackedFrame::new(vec![packed.clone()])
                    .unwrap()
                    .parts()
                    .len(),
                1
            );
            assert_eq!(packed.rounded().unwrap(), written);
        }
    }
    let sent: Vec<usize> = rounded_frame(sets[0], Kind::SecretKey, [0, 0], &mut Numbers(8))
        .header
        .sent()
        .collect();
    assert_eq!(
        sent,
        [0, 1, 2, 3, 4, 16, 17, 18, 19, 20, 32, 33, 34, 35, 36]
    );
}

#[test]
fn rounded_answers() {
    let mut numbers = Numbers(9);
    for (set, primes, dropped) in [
        ("ckks-2048x2-air", 2, [24, 20]),
        ("bfv-1024x1-count", 1, [0, 0]),
    ] {
        let mut written = result(set, primes, &mut numbers);
        let modulus: u64 = written.params.data_primes.iter().product();
        let mut list = |count, bits: u8| {
            (0..count)
                .map(|_| numbers.below(modulus) >> bits << bits)
                .collect()
        };
        written.rounded = Some(RoundedAnswers {
            primes: primes as u16,
            dropped,
        });
        written.c0 = vec![list(3, dropped[0])];
        written.c1 = vec![list(written.params.ring_degree, dropped[1])];
        (written.first, written.scale) = (written.params.ring_degree as u32 - 5, 1.0);
        if written.params.plain_modulus.is_some() {
            written.error = 0.0;
        }
        let bytes = Checksum::seal(written.encode().unwrap());
        assert_eq!(open(&bytes).unwrap().result().unwrap(), written);
        written.first += 1;
        assert_eq!(
            written.encode().map(drop).unwrap_err().name(),
            "out_of_range"
        );
        written.first = 0;
        written.c0[0][2] = modulus;
        assert_eq!(
            written.encode().map(drop).unwrap_err().name(),
            "residue_range"
        );
    }
}
