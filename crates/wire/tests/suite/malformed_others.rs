//! Malformed results, evaluation keys, blobs and key files: each is refused with its own error.
#![allow(clippy::unwrap_used)]

use crate::support::{
    evaluation_header, evaluation_keys, replace, result, Anyone, Checksum, Numbers,
};
use isopod_wire::{
    by_name, AnySet, BlobKind, DeviceKeyFile, Digested as _, EncryptedResult, Envelope,
    EvaluationKeysWriter, KeyBlob, Manifest, OwnerKeyFile, ServerKeyFile, Sharing, WireError,
};

const SET: &str = "ckks-1024x1-sum";
const PRIME: u64 = 67104769;

fn name<T>(result: Result<T, WireError>) -> &'static str {
    result.err().map_or("no error", |error| error.name())
}

fn read_result(bytes: &[u8]) -> Result<EncryptedResult, WireError> {
    Envelope::read_only(bytes)?.authenticate(&Anyone)?.result()
}

const SHARING: Sharing = Sharing {
    statistical_bits: 30,
    queries: 1024,
    used: 1000,
};

#[test]
fn results_out_of_range() {
    let good = result(SET, 1, &mut Numbers(1));
    type Change = (fn(&mut EncryptedResult), &'static str);
    let changes: [Change; 23] = [
        (|r| r.bound = 0.0, "out_of_range"),
        (|r| r.bound = f64::NAN, "out_of_range"),
        (|r| r.error = -0.5, "out_of_range"),
        (|r| r.error = f64::INFINITY, "out_of_range"),
        (|r| r.grid.stride = 0, "out_of_range"),
        (|r| r.grid.rows = 0, "out_of_range"),
        (|r| r.grid.columns = 0, "out_of_range"),
        (|r| r.grid.columns = 3, "out_of_range"),
        (|r| r.provenance.index = 2, "out_of_range"),
        (|r| r.provenance.total = 0, "out_of_range"),
        (|r| r.provenance.frames = 0, "out_of_range"),
        (|r| r.provenance.frames = 3, "out_of_range"),
        (
            |r| (r.provenance.manifest, r.provenance.frames) = (Some(Manifest::default()), 0),
            "out_of_range",
        ),
        (
            |r| r.provenance.manifest = Some(Manifest::default()),
            "out_of_range",
        ),
        (|r| r.scale = f64::NAN, "out_of_range"),
        (|r| r.scale = -1.0, "out_of_range"),
        (|r| r.scale = f64::INFINITY, "out_of_range"),
        (|r| r.first = 508, "out_of_range"),
        (
            |r| (r.grid.stride, r.grid.rows) = (u32::MAX, u32::MAX),
            "out_of_range",
        ),
        (|r| r.provenance.job = "j".repeat(65), "length"),
        (|r| r.provenance.job = "\u{1b}[2J".into(), "out_of_range"),
        (|r| (r.c0, r.c1) = (vec![], vec![]), "out_of_range"),
        (|r| r.c1[0][5] = PRIME, "residue_range"),
    ];
    for (change, wanted) in changes {
        let mut bad = good.clone();
        change(&mut bad);
        assert_eq!(name(bad.encode().map(drop)), wanted);
    }
}

#[test]
fn results_at_their_limits() {
    let mut last = result(SET, 1, &mut Numbers(1));
    last.first = 507;
    assert!(last.encode().is_ok());
    last.provenance.manifest = None;
    assert!(last.encode().is_ok());
    let mut exact = result("bfv-1024x1-count", 1, &mut Numbers(1));
    assert_eq!(name(exact.encode().map(drop)), "out_of_range");
    exact.error = 0.0;
    assert!(exact.encode().is_ok());
}

#[test]
fn results_of_malformed_bytes() {
    let good = result(SET, 1, &mut Numbers(1));
    let bytes = Checksum::seal(good.encode().unwrap());
    let nan = replace(
        &bytes,
        &2f64.powi(27).to_be_bytes(),
        &f64::NAN.to_be_bytes(),
    );
    assert_eq!(name(read_result(&nan)), "out_of_range");
    let short_float = replace(
        &bytes,
        &[&[0xfb][..], &2f64.powi(27).to_be_bytes()].concat(),
        &[0xfa, 0x4d, 0, 0, 0],
    );
    assert_eq!(name(read_result(&short_float)), "wrong_type");
    let control = replace(&bytes, b"mean", b"me\x1bn");
    assert_eq!(name(read_result(&control)), "out_of_range");
    let not_text = replace(&bytes, b"mean", b"me\xffn");
    assert_eq!(name(read_result(&not_text)), "not_canonical");
}

#[test]
fn evaluation_keys_out_of_range() {
    let set = "ckks-4096x2-linear";
    for galois in [&[2][..], &[3, 3], &[9, 3], &[8193], &[0]] {
        assert_eq!(
            name(EvaluationKeysWriter::new(evaluation_header(set, true, galois)).map(drop)),
            "out_of_range"
        );
    }
    assert_eq!(
        name(EvaluationKeysWriter::new(evaluation_header(SET, true, &[])).map(drop)),
        "out_of_range"
    );
    let bytes = evaluation_keys(evaluation_header(set, false, &[3]), &mut Numbers(1));
    let read = |bytes: &[u8]| {
        Envelope::read_only(bytes)?
            .authenticate(&Anyone)?
            .evaluation_keys()
            .map(drop)
    };
    assert!(read(&bytes).is_ok());
    assert_eq!(
        name(read(&replace(&bytes, &[0xf4, 0x81, 3], &[0xf4, 0x81, 4]))),
        "out_of_range"
    );
    assert_eq!(
        name(read(&replace(&bytes, &[0xf4, 0x81, 3], &[0xf4, 0x80]))),
        "length"
    );
    assert_eq!(
        name(read(&replace(&bytes, &[0xf4, 0x81, 3], &[0xf6, 0x81, 3]))),
        "wrong_type"
    );
    let mut last = bytes.clone();
    let end = bytes.len() - 17;
    last[end - 8..end].fill(0xff);
    assert_eq!(
        read(&last),
        Err(WireError::ResidueRange {
            prime: 1073692673,
            position: 4094
        })
    );
}

#[test]
fn an_incomplete_writer_refuses_to_finish() {
    let header = evaluation_header("ckks-4096x2-linear", true, &[]);
    let mut writer = EvaluationKeysWriter::new(header.clone()).unwrap();
    assert_eq!(name(writer.push(&[0; 4095])), "length");
    assert_eq!(name(writer.push(&[1073668097; 4096])), "residue_range");
    for _ in header.polynomials() {
        writer.push(&[0; 4096]).unwrap();
    }
    assert_eq!(name(writer.push(&[0; 4096])), "length");
    assert!(writer.finish().is_ok());
    assert_eq!(
        name(
            EvaluationKeysWriter::new(header)
                .unwrap()
                .finish()
                .map(drop)
        ),
        "length"
    );
}

#[test]
fn blobs_of_one_prime_name_one_of_the_set() {
    let params = by_name("ckks-4096x3-sum").unwrap();
    for (prime, wanted) in [
        (2, "no error"),
        (3, "out_of_range"),
        (u16::MAX, "out_of_range"),
    ] {
        for kind in [
            BlobKind::PublicPrime(prime),
            BlobKind::SeededPublicPrime(prime),
        ] {
            let payload = vec![0; kind.payload_bytes(params)];
            let head = KeyBlob::head(kind, params, &[5; 16]);
            let bytes = [&head[..], &[0; 32], &payload].concat();
            assert_eq!(name(KeyBlob::read(&bytes)), wanted);
        }
    }
}

#[test]
fn blobs_that_are_not_what_they_say() {
    let params = by_name(SET).unwrap();
    let head = KeyBlob::head(BlobKind::SecretTernary, params, &[5; 16]);
    let good = [&head[..], &[0; 32], &[0; 256]].concat();
    assert!(KeyBlob::read(&good).is_ok());
    let changed = |at: usize, byte: u8| {
        let mut bytes = good.clone();
        bytes[at] = byte;
        name(KeyBlob::read(&bytes))
    };
    assert_eq!(changed(7, b'1'), "unknown_version");
    assert_eq!(changed(7, b'3'), "out_of_range");
    assert_eq!(changed(8, 5), "unknown_kind");
    assert_eq!(changed(8, 1), "out_of_range");
    assert_eq!(changed(13, 8), "out_of_range");
    assert_eq!(changed(16, 0), "unknown_set");
    assert_eq!(changed(40, 2), "out_of_range");
    assert_eq!(changed(42, 1), "out_of_range");
    assert_eq!(changed(8, 33), "out_of_range");
    assert_eq!(changed(44, 1), "out_of_range");
    assert_eq!(name(KeyBlob::read(&good[..79])), "truncated");
    assert_eq!(name(KeyBlob::read(&good[..good.len() - 1])), "truncated");
    assert_eq!(
        name(KeyBlob::read(&[&good[..], &[0]].concat())),
        "trailing_bytes"
    );
}

#[test]
fn key_files_that_are_not_what_they_say() {
    let params = AnySet::by_name(SET).unwrap();
    let (key_id, link, device_master, blob) = ([0; 16], [1; 32], [2; 32], [0; 336]);
    let owner = OwnerKeyFile {
        params,
        key_id,
        blob: &blob,
        link: &link,
        device_master: &device_master,
        sharing: SHARING,
    }
    .write();
    let server = ServerKeyFile {
        params,
        key_id,
        link: &link,
        device_master: &device_master,
    }
    .write();
    let device = DeviceKeyFile {
        key_id: [3; 16],
        device: 1,
        key: &link,
        digest: &[9; 32],
    }
    .write();
    assert_eq!(name(OwnerKeyFile::read(&server)), "length");
    assert_eq!(
        name(ServerKeyFile::read(&replace(
            &server,
            &[0x18, 49],
            &[0x18, 48]
        ))),
        "unknown_kind"
    );
    assert_eq!(
        name(DeviceKeyFile::read(&device[..device.len() - 1])),
        "truncated"
    );
    assert_eq!(
        name(DeviceKeyFile::read(&[&device[..], &[0]].concat())),
        "trailing_bytes"
    );
    assert_eq!(
        name(DeviceKeyFile::read(&replace(
            &device,
            &[0x86, 2],
            &[0x86, 1]
        ))),
        "unknown_version"
    );
    assert!(OwnerKeyFile::read(&owner).is_ok());
}

#[test]
fn owner_files_that_are_not_what_they_say() {
    let params = AnySet::by_name(SET).unwrap();
    let (key_id, link, device_master, blob) = ([0; 16], [1; 32], [2; 32], [0; 336]);
    let with = |blob| OwnerKeyFile {
        params,
        key_id,
        blob,
        link: &link,
        device_master: &device_master,
        sharing: SHARING,
    };
    let owner = with(&blob[..]).write();
    assert_eq!(
        name(OwnerKeyFile::read(&with(&blob[1..]).write())),
        "length"
    );
    let overdrawn = [&owner[..owner.len() - 2], &[0x04, 0x01]].concat();
    assert_eq!(name(OwnerKeyFile::read(&overdrawn)), "out_of_range");
}
