//! Assembly of frames: parts in any order, each accepted once; a refused part changes nothing.
#![allow(clippy::unwrap_used)]

mod support;

use isopod_wire::{
    Assembler, FrameHeader, FrameId, Kind, Layout, Limits, Mask, Part, Suite, WireError,
};
use support::{header, part, Numbers};

const SET: &str = "ckks-4096x3-multiply";

fn parts(header: &FrameHeader) -> Vec<Part> {
    (0..3)
        .map(|number| part(header, number, &mut Numbers(u64::from(number))))
        .collect()
}

fn name<T>(result: Result<T, WireError>) -> &'static str {
    result.err().map_or("no error", |error| error.name())
}

#[test]
fn every_order_gives_the_same_frame() {
    let header = header(SET, Kind::PublicKey, Suite::Chacha20);
    let parts = parts(&header);
    for order in [
        [0, 1, 2],
        [0, 2, 1],
        [1, 0, 2],
        [1, 2, 0],
        [2, 0, 1],
        [2, 1, 0],
    ] {
        let mut assembler = Assembler::new(Limits::default());
        let complete: Vec<bool> = order
            .iter()
            .map(|&at: &usize| assembler.accept(parts[at].clone()).unwrap())
            .collect();
        assert_eq!(complete, [false, false, true]);
        let frame = assembler.complete(header.id).unwrap();
        let c1 = parts.iter().map(|part| part.c1.clone().unwrap()).collect();
        assert_eq!(
            (frame.header, frame.mask),
            (header.clone(), Mask::Polynomials(c1))
        );
        assert!(frame.c0.iter().zip(&parts).all(|(c0, part)| c0 == &part.c0));
    }
}

#[test]
fn a_frame_of_a_lower_level_is_complete_with_its_parts() {
    let mut header = header(SET, Kind::SecretKey, Suite::Chacha20);
    header.parts = 2;
    let mut assembler = Assembler::new(Limits::default());
    let [first, second] = [0, 1].map(|number| part(&header, number, &mut Numbers(3)));
    assert!(!assembler.accept(second).unwrap());
    assert!(assembler.accept(first).unwrap());
    assert_eq!(assembler.complete(header.id).unwrap().c0.len(), 2);
}

#[test]
fn a_secret_key_frame_keeps_its_seed() {
    let header = header(SET, Kind::SecretKey, Suite::SealShake256);
    let mut assembler = Assembler::new(Limits::default());
    for part in parts(&header) {
        assembler.accept(part).unwrap();
    }
    let mask = assembler.complete(header.id).unwrap().mask;
    assert_eq!(
        mask,
        Mask::Seed {
            suite: Suite::SealShake256,
            seed: vec![9; 64]
        }
    );
}

#[test]
fn frames_may_interleave() {
    let first = header(SET, Kind::SecretKey, Suite::Chacha20);
    let mut second = first.clone();
    second.id.epoch += 1;
    let mut assembler = Assembler::new(Limits::default());
    for (one, two) in parts(&first).into_iter().zip(parts(&second)) {
        assembler.accept(one).unwrap();
        assembler.accept(two).unwrap();
    }
    assert!(assembler.complete(first.id).is_ok() && assembler.complete(second.id).is_ok());
}

#[test]
fn duplicates_are_refused_before_and_after_completion() {
    let header = header(SET, Kind::PublicKey, Suite::Chacha20);
    let parts = parts(&header);
    let mut assembler = Assembler::new(Limits::default());
    assembler.accept(parts[0].clone()).unwrap();
    assert_eq!(name(assembler.accept(parts[0].clone())), "duplicate");
    let mut forged = parts[0].clone();
    forged.c0[0] ^= 1;
    assert_eq!(name(assembler.accept(forged)), "duplicate");
    assembler.accept(parts[1].clone()).unwrap();
    assembler.accept(parts[2].clone()).unwrap();
    assert_eq!(name(assembler.accept(parts[1].clone())), "duplicate");
    let frame = assembler.complete(header.id).unwrap();
    assert_eq!(frame.c0[0], parts[0].c0);
    let error = assembler.accept(parts[2].clone()).unwrap_err();
    assert_eq!(
        error,
        WireError::Duplicate {
            device: 7,
            epoch: 3,
            sequence: 1000,
            part: 2
        }
    );
}

#[test]
fn headers_have_to_agree_and_nothing_is_lost() {
    let header = header(SET, Kind::PublicKey, Suite::Chacha20);
    let parts = parts(&header);
    type Change = (&'static str, fn(&mut FrameHeader));
    let changes: [Change; 11] = [
        ("kind", |h| h.kind = Kind::SecretKey),
        ("set", |h| {
            h.params = isopod_wire::by_name("ckks-4096x3-sum").unwrap()
        }),
        ("suite", |h| h.suite = Suite::Shake256),
        ("key", |h| h.key_id[0] ^= 1),
        ("nonce", |h| h.nonce[15] ^= 1),
        ("interleave", |h| h.interleave = 4),
        ("log2_scale", |h| h.log2_scale += 1),
        ("count", |h| h.count += 1),
        ("parts", |h| h.parts -= 1),
        ("layout", |h| h.layout = Layout::SlotsRepeated),
        ("seed", |h| h.seed.push(0)),
    ];
    let mut assembler = Assembler::new(Limits::default());
    assembler.accept(parts[0].clone()).unwrap();
    for (field, change) in changes {
        let mut other = parts[1].clone();
        change(&mut other.header);
        assert_eq!(assembler.accept(other), Err(WireError::Mismatch { field }));
    }
    assert_eq!(
        assembler.incomplete().collect::<Vec<_>>(),
        [(header.id, vec![1, 2])]
    );
    assembler.accept(parts[1].clone()).unwrap();
    assert!(assembler.accept(parts[2].clone()).unwrap());
    assert_eq!(assembler.complete(header.id).unwrap().c0[1], parts[1].c0);
}

#[test]
fn a_missing_part_is_named_and_the_frame_stays() {
    let header = header(SET, Kind::SecretKey, Suite::Chacha20);
    let parts = parts(&header);
    let mut assembler = Assembler::new(Limits::default());
    assembler.accept(parts[2].clone()).unwrap();
    let error = assembler.complete(header.id).unwrap_err();
    assert_eq!(
        error,
        WireError::MissingParts {
            device: 7,
            epoch: 3,
            sequence: 1000,
            missing: vec![0, 1]
        }
    );
    assembler.accept(parts[1].clone()).unwrap();
    assembler.accept(parts[0].clone()).unwrap();
    assert!(assembler.complete(header.id).is_ok());
    assert_eq!(name(assembler.complete(header.id)), "missing_parts");
    assert_eq!(
        name(assembler.complete(FrameId {
            device: 1,
            epoch: 1,
            sequence: 1
        })),
        "missing_parts"
    );
}

#[test]
fn limits_hold_and_open_frames_survive_them() {
    let first = header(SET, Kind::SecretKey, Suite::Chacha20);
    let mut assembler = Assembler::new(Limits {
        open_frames: 1,
        remembered_frames: 2,
    });
    let mut others = (1..4).map(|number| {
        let mut other = first.clone();
        other.id.sequence += number;
        parts(&other)
    });
    let [second, third, _] = [others.next(), others.next(), others.next()].map(Option::unwrap);
    assembler.accept(parts(&first)[0].clone()).unwrap();
    let refused = assembler.accept(second[0].clone()).unwrap_err();
    assert!(
        refused
            .to_string()
            .starts_with("open_frames: 2 is out of range; allowed is 0 to 1"),
        "{refused}"
    );
    assembler.accept(parts(&first)[1].clone()).unwrap();
    assembler.accept(parts(&first)[2].clone()).unwrap();
    assembler.complete(first.id).unwrap();
    for part in second {
        assembler.accept(part).unwrap();
    }
    assembler
        .complete(FrameId {
            sequence: 1001,
            ..first.id
        })
        .unwrap();
    let refused = assembler.accept(third[0].clone()).unwrap_err();
    assert!(
        refused.to_string().starts_with("remembered_frames: 3 is"),
        "{refused}"
    );
}
