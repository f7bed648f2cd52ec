//! A short fuzz run without a fuzzer: a seeded generator mutates valid items. Nothing panics, and every accepted item
//! writes back to the bytes that were read. `fuzz/` has the same checks as open-ended targets.
#![allow(clippy::unwrap_used)]

use crate::support::{
    evaluation_header, evaluation_keys, header, part, partial, result, Checksum, Numbers,
};
use isopod_wire::codes::{fields, kind};
use isopod_wire::{
    AnySet, BlobKind, DeviceKeyFile, Digested as _, FrameId, KeyBlob, Kind, Outcome, OwnerKeyFile,
    Receipt, ServerKeyFile, Sharing, StoredPacket, Submission, Suite,
};

const SMALL: &str = "ckks-1024x1-sum";

/// Makes one to four changes, most of them in the first bytes, where the structure is.
fn mutate(bytes: &mut Vec<u8>, numbers: &mut Numbers) {
    for _ in 0..=numbers.below(4) {
        let reach = if numbers.below(4) > 0 {
            bytes.len().min(96)
        } else {
            bytes.len()
        };
        if reach == 0 {
            return;
        }
        let at = numbers.below(reach as u64) as usize;
        match numbers.below(6) {
            0 => bytes[at] ^= 1 << numbers.below(8),
            1 => bytes[at] = numbers.next() as u8,
            2 => bytes.insert(at, numbers.next() as u8),
            3 => drop(bytes.remove(at)),
            4 => bytes.truncate(bytes.len() - numbers.below(reach as u64) as usize),
            _ => {
                bytes[at] =
                    [0x00, 0x17, 0x18, 0x1b, 0x5b, 0x5f, 0x9f, 0xff][numbers.below(8) as usize]
            }
        }
    }
}

/// Runs `iterations` mutations and returns how many were accepted.
pub fn run(valid: &[Vec<u8>], iterations: usize, check: fn(&[u8]) -> bool) -> usize {
    assert!(
        valid.iter().all(|bytes| check(bytes)),
        "the unchanged items are accepted"
    );
    let mut numbers = Numbers(0x0f1e_2d3c);
    let mut accepted = 0;
    for _ in 0..iterations {
        let mut bytes = valid[numbers.below(valid.len() as u64) as usize].clone();
        mutate(&mut bytes, &mut numbers);
        accepted += usize::from(check(&bytes));
    }
    accepted
}

const SHARING: Sharing = Sharing {
    statistical_bits: 30,
    queries: 1024,
    used: 1000,
};

#[test]
fn parts() {
    let kinds = [
        (Kind::PublicKey, Suite::Chacha20, 8),
        (Kind::SecretKey, Suite::SealShake256, 1),
    ];
    let valid = kinds.map(|(kind, suite, interleave)| {
        let mut header = header(SMALL, kind, suite);
        header.interleave = interleave;
        Checksum::seal(part(&header, 0, &mut Numbers(1)).encode().unwrap())
    });
    // Nonce, key, sequence and tag may have any value, so some mutants are valid items of their own.
    let accepted = run(&valid, 120_000, crate::support::reread::item);
    assert!((1_000..60_000).contains(&accepted), "{accepted}");
}

#[test]
fn results() {
    let valid = [Checksum::seal(
        result(SMALL, 1, &mut Numbers(1)).encode().unwrap(),
    )];
    let accepted = run(&valid, 80_000, crate::support::reread::item);
    assert!((1_000..40_000).contains(&accepted), "{accepted}");
}

#[test]
fn partial_states() {
    let valid = [Checksum::seal(
        partial(SMALL, &mut Numbers(1)).encode().unwrap(),
    )];
    let accepted = run(&valid, 80_000, crate::support::reread::item);
    assert!((1_000..40_000).contains(&accepted), "{accepted}");
}

#[test]
fn fuzzers_start_behind_the_heads_of_items() {
    let frame = header(SMALL, Kind::PublicKey, Suite::Chacha20);
    let part = part(&frame, 0, &mut Numbers(1)).encode().unwrap();
    let result = result(SMALL, 1, &mut Numbers(1)).encode().unwrap();
    let state = partial(SMALL, &mut Numbers(1)).encode().unwrap();
    let keys = evaluation_keys(evaluation_header(SMALL, false, &[]), &mut Numbers(1));
    let items = [
        ((kind::CKKS_PUBLIC, fields::PART), Checksum::seal(part), 4),
        ((kind::RESULT, fields::RESULT), Checksum::seal(result), 4),
        ((kind::PARTIAL, fields::PARTIAL), Checksum::seal(state), 3),
        ((kind::EVALUATION_KEYS, fields::EVALUATION_KEYS), keys, 4),
    ];
    for (head, item, bytes) in items {
        assert!(
            crate::support::reread::behind_head(head, &item[bytes..]),
            "{head:?}"
        );
    }
}

#[test]
fn empty_and_whole_evaluation_keys() {
    let empty = evaluation_keys(evaluation_header(SMALL, false, &[]), &mut Numbers(1));
    assert!(run(&[empty], 40_000, crate::support::reread::item) > 1_000);
    let whole = evaluation_keys(
        evaluation_header("ckks-4096x2-linear", false, &[3]),
        &mut Numbers(1),
    );
    assert!(run(&[whole], 300, crate::support::reread::item) > 10);
}

#[test]
fn blobs_and_key_files() {
    let params = isopod_wire::by_name(SMALL).unwrap();
    let kinds = [
        BlobKind::Public,
        BlobKind::SeededPublic,
        BlobKind::SecretTernary,
        BlobKind::SecretNtt,
        BlobKind::PublicPrime(0),
        BlobKind::SeededPublicPrime(0),
    ];
    let blobs = kinds.map(|kind| {
        let head = KeyBlob::head(kind, params, &[5; 16]);
        [&head[..], &[0; 32], &vec![7; kind.payload_bytes(params)]].concat()
    });
    assert!(run(&blobs, 40_000, crate::support::reread::blob) > 1_000);
    let (link, master) = ([1; 32], [2; 32]);
    let files = [
        OwnerKeyFile {
            params: AnySet::Rns(params),
            key_id: [3; 16],
            blob: &[4; 336],
            link: &link,
            device_master: &master,
            sharing: SHARING,
        }
        .write(),
        ServerKeyFile {
            params: AnySet::Rns(params),
            key_id: [3; 16],
            link: &link,
            device_master: &master,
        }
        .write(),
        DeviceKeyFile {
            key_id: [3; 16],
            device: 77,
            key: &link,
            digest: &[9; 32],
        }
        .write(),
    ];
    assert!(run(&files, 40_000, crate::support::reread::key_file) > 1_000);
}

#[test]
fn receipts() {
    let items = Outcome::ALL.map(|outcome| {
        let frame = FrameId {
            device: 7,
            epoch: 3,
            sequence: 42,
        };
        let receipt = Receipt {
            key_id: [5; 16],
            frame,
            outcome,
        };
        receipt.seal(|_| [9; 16])
    });
    assert!(run(&items, 20_000, crate::support::reread::receipt) > 1_000);
}

/// Contexts and packets of the known answers, alone and as a server stores them.
fn submissions() -> Vec<Vec<u8>> {
    let text = include_str!("../../../../spec/vectors/packet.json");
    let vectors: serde_json::Value = serde_json::from_str(text).unwrap();
    let records = ["packets", "tfhe_packets"].map(|name| vectors[name].as_array().unwrap());
    let records = records.into_iter().flatten();
    let each = records.flat_map(|record| {
        let of = |field: &str| hex::decode(record[field].as_str().unwrap()).unwrap();
        let (context, packet) = (of("context"), of("packet"));
        let name = FrameId {
            device: 1001,
            epoch: 3,
            sequence: 42,
        };
        let stored = StoredPacket {
            key_id: [5; 16],
            name,
            packet: &packet,
        };
        let bare = Submission::of_packet(None, &packet);
        let sent = Submission::of_packet(Some(1001), &packet);
        [context, stored.encode(), bare, sent]
    });
    each.collect()
}

#[test]
fn contexts_and_packets() {
    let valid = submissions();
    assert!(valid.len() > 50);
    let accepted = run(&valid, 120_000, crate::support::reread::submission);
    assert!((1_000..110_000).contains(&accepted), "{accepted}");
}

#[test]
fn an_element_that_breaks_off_says_how_long_it_is_at_least() {
    for element in submissions() {
        for cut in 0..element.len() {
            let begun = &element[..cut];
            assert!(Submission::read(begun).is_err());
            let least = Submission::least_bytes(begun);
            assert!(
                (cut + 1..=element.len()).contains(&least),
                "{least} of {cut}"
            );
        }
        let (_, rest) = Submission::read(&element).unwrap();
        assert!(rest.is_empty());
    }
}

#[test]
fn noise_is_refused() {
    let mut numbers = Numbers(99);
    for length in 0..20_000u64 {
        let bytes: Vec<u8> = (0..length % 200).map(|_| numbers.next() as u8).collect();
        assert!(
            !crate::support::reread::item(&bytes)
                && !crate::support::reread::blob(&bytes)
                && !crate::support::reread::key_file(&bytes)
                && !crate::support::reread::receipt(&bytes)
                && (bytes.first().is_some_and(|first| first >> 5 == 2)
                    || !crate::support::reread::submission(&bytes))
        );
    }
}
