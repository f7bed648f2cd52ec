//! Aggregates: the same residues and origins whatever the order and the place of the additions, and refusals that change nothing.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use crate::support::Numbers;
use isopod_linear::{Error, Machine, Sum};
use isopod_wire::{
    by_name, Authenticator, Claims, Envelope, FrameHeader, FrameId, Kind, Layout, MaskOrder,
    PackedFrame, Part, Partial, Relation, Suite, Tag, WireError,
};
use proptest::prelude::*;

/// Authenticator that accepts every tag, so that tests reach the code behind it.
struct Anyone;

impl Authenticator for Anyone {
    fn verify(&self, _: Relation, _: &[u8; 24], _: &[u8], _: &Tag) -> bool {
        true
    }
}

const REQUEST: [u8; 32] = [3; 32];

fn header(sequence: u64) -> FrameHeader {
    FrameHeader {
        kind: Kind::PublicKey,
        params: by_name("ckks-4096x2-linear").unwrap(),
        parts: 2,
        suite: Suite::Chacha20,
        key_id: [1; 16],
        id: FrameId {
            device: sequence % 3,
            epoch: 1,
            sequence: sequence / 3,
        },
        nonce: [2; 16],
        interleave: 4,
        log2_scale: 27,
        count: 12,
        layout: Layout::Slots,
        dithered: false,
        claims: Claims {
            bound: 3 + sequence as i32 % 2,
            stride: 4,
            buckets: 1,
            packing: None,
        },
        rounding: None,
        seed: Vec::new(),
        mask_order: MaskOrder::Ntt,
    }
}

/// The parts of a frame, as bytes on their way.
fn parts(header: &FrameHeader) -> Vec<Vec<u8>> {
    let mut numbers = Numbers(header.id.device << 32 | header.id.sequence);
    let part = |part: u16| {
        let mut polynomial = || numbers.residues(header.primes()[usize::from(part)], 4096);
        let (c0, c1) = (
            polynomial(),
            (header.kind == Kind::PublicKey).then(&mut polynomial),
        );
        let part = Part {
            header: header.clone(),
            part,
            c0,
            c1,
        };
        part.encode().unwrap().with_tag([0; 16])
    };
    (0..header.parts).map(part).collect()
}

fn frame(parts: &[Vec<u8>]) -> PackedFrame<'_> {
    let read = |bytes| {
        Envelope::read_only(bytes)?
            .authenticate(&Anyone)?
            .packed_part()
    };
    PackedFrame::new(
        parts
            .iter()
            .rev()
            .map(|bytes| read(bytes).unwrap())
            .collect(),
    )
    .unwrap()
}

fn new() -> Sum {
    Sum::new(&header(0), "sum", REQUEST, Machine::best()).unwrap()
}

/// Folds frames, each with its weight.
fn fold(sum: &mut Sum, frames: &[(u64, i32)]) {
    for &(sequence, weight) in frames {
        sum.fold(&frame(&parts(&header(sequence))), None, weight)
            .unwrap();
    }
}

fn sum_of(frames: &[(u64, i32)]) -> Partial {
    let mut sum = new();
    fold(&mut sum, frames);
    sum.finish([0; 16]).unwrap()
}

/// A state on its way to another machine.
fn sent(state: &Partial) -> Partial {
    let item = state.encode().unwrap().with_tag([0; 16]);
    let envelope = Envelope::read_only(&item).unwrap();
    assert_eq!(envelope.relation(), Relation::Link);
    let read = envelope.authenticate(&Anyone).unwrap().partial().unwrap();
    assert_eq!(&read, state);
    read
}

#[test]
fn a_sum_is_that_of_the_unpacked_frames() {
    let state = sum_of(&[(0, 1), (1, -5), (2, 1)]);
    for prime in 0..2 {
        let q = i128::from(state.header.params.data_primes[prime]);
        let unpacked: Vec<Part> = (0..3)
            .map(|sequence| {
                let parts = parts(&header(sequence));
                frame(&parts).parts()[prime].clone().unpack().unwrap()
            })
            .collect();
        for slot in 0..4096 {
            let of = |part: &Part| [part.c0[slot], part.c1.as_ref().unwrap()[slot]].map(i128::from);
            let terms = unpacked.iter().zip([1, -5, 1]);
            let wanted = terms.fold([0; 2], |[a, b], (part, weight)| {
                let [c0, c1] = of(part);
                [a + weight * c0, b + weight * c1]
            });
            let found = [state.c0[prime][slot], state.c1[prime][slot]].map(i128::from);
            assert_eq!(found, wanted.map(|x: i128| x.rem_euclid(q)));
        }
    }
    let terms: Vec<_> = state
        .terms
        .iter()
        .map(|term| (term.bound, term.weight, term.frames))
        .collect();
    assert_eq!(terms, [(3, 1, 2), (4, -5, 1)]);
}

#[test]
fn frames_by_secret_key_enter_with_their_masks_only() {
    let header = FrameHeader {
        kind: Kind::SecretKey,
        interleave: 1,
        seed: vec![9; 32],
        ..header(0)
    };
    let bytes = parts(&header);
    let mask: Vec<Vec<u64>> = header
        .primes()
        .iter()
        .map(|&q| Numbers(1).residues(q, 4096))
        .collect();
    let mut sum = new();
    let wrong = sum.fold(&frame(&bytes), None, 1).unwrap_err();
    assert!(
        matches!(wrong, Error::Length { field: "mask", .. }),
        "{wrong}"
    );
    sum.fold(&frame(&bytes), Some(&mask), 2).unwrap();
    let state = sum.finish([0; 16]).unwrap();
    let q = header.primes()[1];
    assert!(state.c1[1]
        .iter()
        .zip(&mask[1])
        .all(|(&found, &x)| found == 2 * x % q));
    assert!(state.terms[0].secret);
}

#[test]
fn a_repeated_frame_and_a_residue_out_of_range_change_nothing() {
    let mut sum = new();
    fold(&mut sum, &[(0, 1), (1, 1)]);
    let wanted = sum.clone().finish([0; 16]).unwrap();
    let repeated = sum.fold(&frame(&parts(&header(1))), None, 7).unwrap_err();
    assert!(
        matches!(repeated, Error::Wire(WireError::Overlap { device: 1, .. })),
        "{repeated}"
    );
    let mut bytes = parts(&header(2));
    // The last residues of c1 of the last prime, before the tag and its head.
    let end = bytes[1].len() - 17;
    bytes[1][end - 8..end].fill(0xff);
    let refused = sum.fold(&frame(&bytes), None, 1).unwrap_err();
    assert!(matches!(refused, Error::Residue { .. }), "{refused}");
    assert!(matches!(
        sum.fold(&frame(&parts(&header(2))), None, 0),
        Err(Error::Weight)
    ));
    assert_eq!(sum.finish([0; 16]).unwrap(), wanted);
}

#[test]
fn states_of_another_job_request_set_key_or_arrangement_are_refused_by_name() {
    let mut sum = new();
    fold(&mut sum, &[(0, 1)]);
    let before = sum.clone().finish([0; 16]).unwrap();
    let other = sum_of(&[(1, 1)]);
    type Change = fn(&mut Partial);
    let changes: [(&str, Change); 9] = [
        ("job", |state| state.header.job = "mean".to_owned()),
        ("request", |state| state.header.request[0] ^= 1),
        ("set", |state| {
            state.header.params = by_name("ckks-4096x3-sum").unwrap()
        }),
        ("key", |state| state.header.key_id[0] ^= 1),
        ("parts", |state| state.header.parts = 1),
        ("log2_scale", |state| state.header.log2_scale -= 1),
        ("columns", |state| state.header.columns = 3),
        ("stride", |state| state.header.stride = 5),
        ("packing", |state| state.header.packing = Some([1; 16])),
    ];
    for (field, change) in changes {
        let mut other = other.clone();
        change(&mut other);
        assert_eq!(sum.merge(&other), Err(Error::Differs { field }));
    }
    let overlap = sum.merge(&sum_of(&[(3, 1), (0, 1)]));
    assert!(matches!(
        overlap,
        Err(Error::Wire(WireError::Overlap { .. }))
    ));
    assert_eq!(sum.finish([0; 16]).unwrap(), before);
}

#[test]
fn a_state_whose_terms_are_not_its_frames_is_refused() {
    let state = sum_of(&[(0, 1), (1, 1), (2, 3)]);
    sent(&state);
    let changes: [fn(&mut Partial); 5] = [
        |state| state.terms[0].frames += 1,
        |state| state.terms.reverse(),
        |state| state.terms[0].weight = 0,
        |state| state.terms[0].bound = 99,
        |state| state.terms.clear(),
    ];
    for change in changes {
        let mut wrong = state.clone();
        change(&mut wrong);
        assert!(wrong.encode().is_err());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn every_tree_of_merges_gives_the_same_state(
        weights in prop::collection::vec(prop_oneof![-3..0, 1..4], 2..12),
        places in prop::collection::vec(0..3usize, 12),
    ) {
        let frames: Vec<(u64, i32)> = (0..).zip(weights).collect();
        let wanted = sum_of(&frames);
        let mut machines = vec![new(), new(), new()];
        for (frame, &place) in frames.iter().rev().zip(&places) {
            fold(&mut machines[place], std::slice::from_ref(frame));
        }
        let used: Vec<bool> = (0..3).map(|at| places[..frames.len()].contains(&at)).collect();
        let states = machines.into_iter().zip(used).filter(|(_, used)| *used);
        let states: Vec<Partial> =
            states.map(|(sum, _)| sent(&sum.finish([0; 16]).unwrap())).collect();
        let mut all = Sum::resume(&states[0], Machine::PORTABLE).unwrap();
        for state in &states[1..] {
            all.merge(state).unwrap();
        }
        prop_assert!(all.finish([0; 16]).unwrap() == wanted);
    }
}
