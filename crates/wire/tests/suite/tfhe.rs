//! TFHE items: written items are read, deviations refused by name, and mutants never panic.
#![allow(clippy::unwrap_used)]

use crate::support::{provenance, Anyone, Checksum, Numbers};
use isopod_wire::{
    Envelope, FrameId, Kind, Run, Schema, TfheBlob, TfheBlobKind, TfheFrame, TfheHeader,
    TfheParams, TfheResult, TfheServerKeys, TfheSuite, ValueType, WireError, TFHE_SETS,
};

fn runs(runs: &[(ValueType, u16)]) -> Schema {
    Schema::new(runs.iter().map(|&(of, count)| Run { of, count }).collect()).unwrap()
}

fn frame(params: &'static TfheParams, kind: Kind, width: usize, schema: Schema) -> TfheFrame {
    let mut numbers = Numbers(1);
    let keep = u64::MAX >> (64 - params.log2_modulus);
    let dropped = params.log2_modulus - 8 * width as u32;
    let header = TfheHeader {
        kind,
        params,
        suite: TfheSuite::Aes128,
        key_id: [1; 16],
        id: FrameId {
            device: 7,
            epoch: 2,
            sequence: 3,
        },
        nonce: [4; 16],
        width: width as u8,
        columns: schema.values() as u32,
        packing: None,
        schema,
    };
    let mut words = |count: usize, low: u32| -> Vec<u64> {
        (0..count)
            .map(|_| (numbers.next() & keep) >> low << low)
            .collect()
    };
    TfheFrame {
        mask: (kind == Kind::PublicKey).then(|| words(params.ring_degree, 0)),
        bodies: words(header.coefficients(), dropped),
        header,
    }
}

fn frames() -> Vec<TfheFrame> {
    let mut frames = Vec::new();
    for set in TFHE_SETS {
        for kind in [Kind::PublicKey, Kind::SecretKey] {
            for width in [set.word_bytes(), set.word_bytes() / 2] {
                let schema = runs(&[
                    (ValueType::Bool, 3),
                    (ValueType::I16, 2),
                    (ValueType::U64, 1),
                ]);
                frames.push(frame(set, kind, width, schema));
            }
        }
    }
    frames
}

fn read(bytes: &[u8], set: &'static TfheParams) -> Result<TfheFrame, WireError> {
    Envelope::read_only(bytes)?
        .authenticate(&Anyone)?
        .tfhe_frame(set)
}

#[test]
fn frames_come_back() {
    for frame in frames() {
        let bytes = Checksum::seal(frame.encode().unwrap());
        let envelope = Envelope::read_only(&bytes).unwrap();
        assert_eq!(envelope.key_id(), [1; 16]);
        let read = envelope
            .authenticate(&Checksum)
            .unwrap()
            .tfhe_frame(frame.header.params);
        assert_eq!(read.unwrap(), frame);
    }
}

/// Bytes that a frame adds to its bodies stay within the bound of `spec/wire.md`, whatever its counters.
#[test]
fn overhead_is_at_most_107_bytes() {
    let set = &TFHE_SETS[0];
    let mut frame = frame(set, Kind::SecretKey, 8, runs(&[(ValueType::U8, 256)]));
    frame.header.id = FrameId {
        device: u64::MAX,
        epoch: u32::MAX,
        sequence: u64::MAX,
    };
    frame.header.packing = Some([5; 16]);
    let bytes = Checksum::seal(frame.encode().unwrap()).len();
    assert_eq!(bytes - 8 * frame.bodies.len(), 107);
}

#[test]
fn schemas_that_do_not_fit_are_refused() {
    let name = |runs: Vec<Run>| Schema::new(runs).unwrap_err().name();
    let one = Run {
        of: ValueType::U8,
        count: 1,
    };
    assert_eq!(name(vec![]), "length");
    assert_eq!(name(vec![one, one]), "out_of_range");
    assert_eq!(name(vec![Run { count: 0, ..one }]), "out_of_range");
    let alternating = (0..9).map(|at| Run {
        of: ValueType::ALL[at % 2],
        count: 1,
    });
    assert_eq!(name(alternating.collect()), "length");
    let set = &TFHE_SETS[0];
    let mut long = frame(set, Kind::SecretKey, 8, runs(&[(ValueType::U8, 512)]));
    assert!(long.encode().is_ok());
    long.header.schema = runs(&[(ValueType::U8, 513)]);
    long.header.columns = 513;
    long.bodies.resize(4 * 513, 0);
    assert_eq!(long.encode().err().unwrap().name(), "length");
}

#[test]
fn fields_out_of_range_are_named() {
    let set = &TFHE_SETS[0];
    let good = frame(set, Kind::SecretKey, 8, runs(&[(ValueType::U8, 1)]));
    let bytes = |change: &dyn Fn(&mut TfheFrame)| {
        let mut frame = good.clone();
        change(&mut frame);
        frame.encode().err().unwrap().name()
    };
    assert_eq!(bytes(&|frame| frame.header.width = 2), "out_of_range");
    assert_eq!(bytes(&|frame| frame.header.columns = 0), "out_of_range");
    assert_eq!(bytes(&|frame| frame.header.columns = 2), "out_of_range");
    assert_eq!(bytes(&|frame| frame.bodies.push(0)), "length");
    assert_eq!(bytes(&|frame| frame.mask = Some(vec![0; 2048])), "length");
    assert_eq!(
        bytes(&|frame| frame.header.kind = Kind::PublicKey),
        "length"
    );
    let sealed = Checksum::seal(good.encode().unwrap());
    let mut other = sealed.clone();
    other[3] = 3;
    assert_eq!(read(&other, set).unwrap_err().name(), "unknown_suite");
    let at = sealed
        .windows(3)
        .position(|bytes| bytes == [0x82, 2, 1])
        .unwrap();
    other.copy_from_slice(&sealed);
    other[at + 1] = 10;
    assert_eq!(read(&other, set).unwrap_err().name(), "out_of_range");
    other[at + 1] = 0;
    assert_eq!(read(&other, set).unwrap_err().name(), "out_of_range");
}

fn result(schema: Schema) -> TfheResult {
    let blocks = schema.blocks(2);
    let packed = (0..TfheResult::packed_bytes(blocks))
        .map(|at| at as u8)
        .collect();
    TfheResult {
        params: &TFHE_SETS[0],
        key_id: [1; 16],
        nonce: [2; 16],
        provenance: provenance("alarm"),
        columns: schema.values() as u32,
        frame_columns: 3,
        schema,
        packed,
    }
}

#[test]
fn results_and_server_keys_come_back() {
    for schema in [
        runs(&[(ValueType::Bool, 1)]),
        runs(&[(ValueType::U64, 9), (ValueType::I8, 2)]),
    ] {
        let result = result(schema);
        let bytes = Checksum::seal(result.encode().unwrap());
        let read = Envelope::read_only(&bytes)
            .unwrap()
            .authenticate(&Checksum)
            .unwrap();
        assert_eq!(read.tfhe_result().unwrap(), result);
        assert_eq!(read.result().unwrap_err().name(), "unknown_kind");
    }
    let mut short = result(runs(&[(ValueType::U8, 1)]));
    short.packed.pop();
    assert_eq!(short.encode().err().unwrap().name(), "length");
    let keys = TfheServerKeys {
        params: &TFHE_SETS[0],
        key_id: [1; 16],
        nonce: [2; 16],
        server: &[1, 2, 3],
        packing: &[4, 5],
    };
    let bytes = Checksum::seal(keys.encode().unwrap());
    let read = Envelope::read_only(&bytes)
        .unwrap()
        .authenticate(&Checksum)
        .unwrap();
    assert!(read.tfhe_server_keys().unwrap() == keys);
}

#[test]
fn mutants_never_panic() {
    let mut valid: Vec<Vec<u8>> = frames()
        .iter()
        .filter(|frame| frame.header.kind == Kind::SecretKey)
        .map(|frame| Checksum::seal(frame.encode().unwrap()))
        .collect();
    valid.push(Checksum::seal(
        result(runs(&[(ValueType::Bool, 1)])).encode().unwrap(),
    ));
    let mut numbers = Numbers(7);
    let mut accepted = 0;
    for _ in 0..60_000 {
        let mut bytes = valid[numbers.below(valid.len() as u64) as usize].clone();
        let reach = bytes.len().min(96) as u64;
        let at = numbers.below(reach) as usize;
        match numbers.below(3) {
            0 => bytes[at] ^= 1 << numbers.below(8),
            1 => bytes.truncate(bytes.len() - 1 - numbers.below(reach) as usize),
            _ => bytes.insert(at, numbers.next() as u8),
        }
        accepted += usize::from(crate::support::reread::item(&bytes));
    }
    // Nonce, key, counters and tag may have any value.
    assert!((1_000..40_000).contains(&accepted), "{accepted}");
}

#[test]
fn blobs_come_back_and_others_are_refused() {
    for set in TFHE_SETS {
        for kind in [
            TfheBlobKind::Public,
            TfheBlobKind::SeededPublic,
            TfheBlobKind::Secret,
            TfheBlobKind::SecretTransformed,
        ] {
            let head = TfheBlob::head(kind, set, &[3; 16]);
            let payload = vec![0; kind.payload_bytes(set)];
            let blob = [&head[..], &[0; 32], &payload].concat();
            assert!(crate::support::reread::blob(&blob));
            let read = TfheBlob::read(&blob).unwrap();
            assert_eq!(
                (read.kind, read.params.name, read.key_id),
                (kind, set.name, [3; 16])
            );
            assert!(TfheBlob::read(&blob[1..]).is_err());
            assert!(TfheBlob::read(&blob[..blob.len() - 1]).is_err());
            assert!(TfheBlob::read(&[&blob[..], &[0]].concat()).is_err());
        }
    }
}
