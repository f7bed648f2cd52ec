//! Partial states: those of the known answers, and malformed ones.
#![allow(clippy::unwrap_used)]

use crate::support::{partial, Anyone, Checksum, Numbers};
use isopod_wire::{
    by_name, Envelope, FrameId, Layout, Manifest, Partial, PartialHeader, Result, Rounding, Tag,
    Term, WireError,
};
use serde_json::Value;
use sha3::{Digest as _, Sha3_256};

const SET: &str = "ckks-1024x1-sum";

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn bytes(text: &Value) -> Vec<u8> {
    let text = text.as_str().unwrap();
    let byte = |at| u8::from_str_radix(&text[at..at + 2], 16).unwrap();
    (0..text.len()).step_by(2).map(byte).collect()
}

fn counting<const N: usize>(start: &Value) -> [u8; N] {
    std::array::from_fn(|at| start.as_u64().unwrap() as u8 + at as u8)
}

fn rows(list: &Value) -> Vec<Vec<i64>> {
    let row = |row: &Value| {
        row.as_array()
            .unwrap()
            .iter()
            .map(|x| x.as_i64().unwrap())
            .collect()
    };
    list.as_array().unwrap().iter().map(row).collect()
}

/// The residues of the known answers.
fn residues(primes: &[u64], degree: usize) -> [Vec<Vec<u64>>; 2] {
    let mut state: u32 = 12345;
    let mut next = |prime: u64| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        u64::from(state) % prime
    };
    let mut polynomial = |&prime: &u64| (0..degree).map(|_| next(prime)).collect();
    [(); 2].map(|()| primes.iter().map(&mut polynomial).collect())
}

fn state_of(record: &Value, fixed: &Value) -> Partial {
    let params = by_name(record["set"].as_str().unwrap()).unwrap();
    let number = |field: &str| record[field].as_u64().unwrap() as u32;
    let packing = bytes(&record["packing"]);
    let mut terms: Vec<Term> = rows(&record["terms"])
        .iter()
        .map(|term| Term {
            secret: term[0] & 1 == 1,
            dithered: term[0] >= 2,
            bound: term[1] as i32,
            weight: term[2] as i32,
            frames: term[3] as u64,
        })
        .collect();
    terms.sort();
    let frames = rows(&record["frames"]).into_iter().map(|frame| {
        let id = FrameId {
            device: frame[0] as u64,
            epoch: frame[1] as u32,
            sequence: frame[2] as u64,
        };
        (id, frame[3] as u32)
    });
    let primes = &params.data_primes[..number("parts") as usize];
    let [c0, c1] = residues(primes, params.ring_degree);
    let layout = match number("layout") {
        0 => Layout::Slots,
        5 => Layout::CoefficientsRounded,
        _ => Layout::Coefficients,
    };
    Partial {
        linear_tag: None,
        header: PartialHeader {
            params,
            key_id: counting(&fixed["key_id_start"]),
            request: bytes(&record["request"]).try_into().unwrap(),
            job: record["job"].as_str().unwrap().to_owned(),
            parts: number("parts") as u16,
            log2_scale: number("log2_scale") as u8,
            layout,
            columns: number("columns"),
            stride: number("stride"),
            buckets: number("buckets"),
            packing: packing.try_into().ok(),
            rounding: (layout == Layout::CoefficientsRounded).then(|| Rounding {
                run: number("run"),
                dropped: ["dropped_0", "dropped_1"].map(|field| number(field) as u8),
            }),
        },
        nonce: counting(&fixed["nonce_start"]),
        terms,
        manifest: Manifest::of(frames).unwrap(),
        c0,
        c1,
    }
}

#[test]
fn states_are_those_of_the_known_answers() {
    let vectors = include_str!("../../../../spec/vectors/provenance.json");
    let vectors: Value = serde_json::from_str(vectors).unwrap();
    let records = vectors["partials"].as_array().unwrap();
    assert!(records.len() >= 4);
    for record in records {
        let state = state_of(record, &vectors["partial_state"]);
        let tag: Tag = bytes(&record["tag"]).try_into().unwrap();
        let sealed = state.encode().unwrap().with_tag(tag);
        assert_eq!(
            hex(&Sha3_256::digest(&sealed)),
            record["sha3"],
            "{}",
            record["set"]
        );
        assert_eq!(read(&sealed).unwrap(), state);
    }
}

fn read(bytes: &[u8]) -> Result<Partial> {
    Envelope::read_only(bytes)?.authenticate(&Anyone)?.partial()
}

fn name<T>(result: Result<T>) -> &'static str {
    result.err().map_or("no error", |error| error.name())
}

#[test]
fn states_out_of_range() {
    let good = partial(SET, &mut Numbers(1));
    type Change = (fn(&mut Partial), &'static str);
    let changes: [Change; 16] = [
        (|s| s.terms[0].weight = 0, "out_of_range"),
        (|s| s.terms[0].frames = 0, "out_of_range"),
        (|s| s.terms[0].frames = 3, "out_of_range"),
        (|s| s.terms[0].bound = 1000, "out_of_range"),
        (|s| s.terms = vec![], "out_of_range"),
        (|s| s.terms.push(s.terms[0]), "not_canonical"),
        (|s| s.manifest = Manifest::default(), "out_of_range"),
        (|s| s.header.parts = 0, "length"),
        (|s| s.header.parts = 2, "length"),
        (|s| s.header.log2_scale = 60, "out_of_range"),
        (|s| s.header.columns = 0, "out_of_range"),
        (|s| s.header.stride = 4, "out_of_range"),
        (|s| s.header.buckets = 7, "out_of_range"),
        (|s| s.header.job = "\u{1b}[2J".into(), "out_of_range"),
        (|s| s.c1 = vec![], "length"),
        (|s| s.c0[0][7] = 67104769, "residue_range"),
    ];
    for (at, (change, wanted)) in changes.into_iter().enumerate() {
        let mut bad = good.clone();
        change(&mut bad);
        assert_eq!(name(bad.encode()), wanted, "change {at}");
    }
}

#[test]
fn a_state_counts_dithered_frames_apart() {
    let mut state = partial(SET, &mut Numbers(1));
    let all = state.terms[0];
    assert!(!all.dithered);
    let nearest = Term { frames: 1, ..all };
    let dithered = Term {
        dithered: true,
        frames: all.frames - 1,
        ..all
    };
    state.terms = vec![nearest, dithered];
    let sealed = Checksum::seal(state.encode().unwrap());
    assert_eq!(read(&sealed).unwrap(), state);
    state.terms = vec![dithered, nearest];
    assert_eq!(name(state.encode()), "not_canonical");
}

#[test]
fn a_state_of_coefficients_or_integers_has_no_dithered_frames() {
    let mut state = partial(SET, &mut Numbers(1));
    state.terms[0].dithered = true;
    assert_eq!(name(state.encode()), "no error");
    state.header.layout = Layout::Coefficients;
    assert_eq!(name(state.encode()), "out_of_range");
    let mut integers = partial("bfv-1024x1-count", &mut Numbers(1));
    integers.terms[0].dithered = true;
    let refused = integers.encode().map(drop).unwrap_err().to_string();
    assert!(refused.starts_with("terms: 2"), "{refused}");
}

#[test]
fn a_state_says_what_differs() {
    let state = partial(SET, &mut Numbers(1));
    let mut other = state.header.clone();
    assert_eq!(state.header.difference(&other), None);
    other.columns += 1;
    assert_eq!(state.header.difference(&other), Some("columns"));
    other.request[5] ^= 1;
    assert_eq!(state.header.difference(&other), Some("request"));
}

#[test]
fn a_state_is_the_link_keys_and_no_result() {
    let sealed = Checksum::seal(partial(SET, &mut Numbers(1)).encode().unwrap());
    assert!(Envelope::read_only(&sealed)
        .unwrap()
        .authenticate(&Checksum)
        .is_ok());
    let mut wrong = sealed.clone();
    let last = wrong.len() - 20;
    wrong[last] ^= 1;
    let refused = Envelope::read_only(&wrong).unwrap().authenticate(&Checksum);
    assert_eq!(name(refused), "tag");
    let result = Envelope::read_only(&sealed)
        .unwrap()
        .authenticate(&Anyone)
        .unwrap()
        .result();
    assert_eq!(name(result), "unknown_kind");
    assert!(matches!(
        read(&sealed[..sealed.len() - 1]),
        Err(WireError::Truncated { .. })
    ));
}
