//! Every job on bits and integers, on frames of the device library, against the clear; and refusals.
#![allow(missing_docs, clippy::unwrap_used)]

use std::sync::OnceLock;

use isopod_device::{Sender, TfheEncoding, TfheEncryptor, TfheKeyPair};
use isopod_eval::bits::{
    Alarm, Argument, BitsInput, BitsJob, Count, Extreme, Extremum, Histogram, Session,
};
use isopod_eval::{DecisionTree, Error, Side, Threshold};
use isopod_tfhe::native::{pack_result, ServerKeyBytes, ServerKeys};
use isopod_tfhe::{secret_coefficients, OwnerSecrets};
use isopod_wire::{
    Authenticator, Envelope, Label, Provenance, Relation, Schema, Tag, TfheBlob, TfheFrame,
    TfheResult, TfheSuite, ValueType, TFHE_SETS,
};

struct Keys {
    pair: TfheKeyPair,
    owner: OwnerSecrets,
    server: ServerKeys,
}

fn keys() -> &'static Keys {
    static KEYS: OnceLock<Keys> = OnceLock::new();
    KEYS.get_or_init(|| {
        let pair = TfheKeyPair::generate(&TFHE_SETS[0]).unwrap();
        let blob = TfheBlob::read(&pair.secret_blob).unwrap();
        let owner = OwnerSecrets::new(&secret_coefficients(&blob).unwrap()).unwrap();
        let stored = ServerKeyBytes::generate(&owner).unwrap();
        let server = ServerKeys::load(&stored.server, &stored.packing).unwrap();
        Keys {
            pair,
            owner,
            server,
        }
    })
}

struct Anyone;

impl Authenticator for Anyone {
    fn verify(&self, _: Relation, _: &[u8; 24], _: &[u8], _: &Tag) -> bool {
        true
    }
}

/// A frame of values by the device's public key, with rounded bodies: the noisiest that devices send.
fn frame(of: ValueType, values: &[i128]) -> TfheFrame {
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
    let schema = Schema::of_values(vec![of; values.len()]).unwrap();
    let mut encryptor = TfheEncryptor::new(&keys().pair.public_blob, encoding).unwrap();
    let bytes = encryptor.encrypt(&schema, values, &mut sender).unwrap();
    let frame = Envelope::read_only(&bytes)
        .unwrap()
        .authenticate(&Anyone)
        .unwrap();
    frame.tfhe_frame(encryptor.params()).unwrap()
}

/// Runs a job and decrypts its packed result as the owner does; progress reaches its end.
fn computed(job: &dyn BitsJob, of: ValueType, values: &[i128]) -> Result<Vec<i128>, Error> {
    // In two frames, where rows stay whole or one value stays alone.
    let cut = if job.name() == "tree" {
        0
    } else {
        values.len() / 3
    };
    let parts = [&values[..cut], &values[cut..]];
    let parts = parts.iter().filter(|part| !part.is_empty());
    let frames: Vec<BitsInput> = parts.map(|part| frame(of, part).into()).collect();
    computed_on(job, &frames)
}

/// Runs a job on frames.
fn computed_on(job: &dyn BitsJob, frames: &[BitsInput]) -> Result<Vec<i128>, Error> {
    let mut last = (0, 0);
    let mut progress = |done, total| last = (done, total);
    let mut session = Session {
        keys: &keys().server,
        threads: 2,
        progress: &mut progress,
    };
    let natives = job.run(&mut session, frames)?;
    assert_eq!(last.0, last.1, "all steps were told");
    let (schema, packed) = pack_result(&keys().server, natives).unwrap();
    let result = TfheResult {
        params: &TFHE_SETS[0],
        key_id: [0; 16],
        nonce: [0; 16],
        provenance: Provenance::default(),
        columns: schema.values() as u32,
        frame_columns: 1,
        schema,
        packed,
    };
    Ok(keys().owner.decrypt(&result).unwrap())
}

const BYTES: [i128; 7] = [12, 200, 7, 200, 0, 255, 99];

#[test]
fn alarms() {
    let alarm = |value, side, each| Alarm {
        threshold: Threshold { value, side },
        each,
    };
    let of = ValueType::U8;
    assert_eq!(
        computed(&alarm(254, Side::Above, false), of, &BYTES).unwrap(),
        [1]
    );
    assert_eq!(
        computed(&alarm(255, Side::Above, false), of, &BYTES).unwrap(),
        [0]
    );
    let each = computed(&alarm(12, Side::Below, true), of, &BYTES).unwrap();
    assert_eq!(each, [1, 0, 0, 1, 0, 1, 0, 0]);
    let signed = [-5, 3, i128::from(i16::MIN)];
    let each = computed(&alarm(-4, Side::Below, true), ValueType::I16, &signed).unwrap();
    assert_eq!(each, [1, 1, 0, 1]);
    assert_eq!(
        computed(&alarm(0, Side::Below, false), of, &[0]).unwrap(),
        [0]
    );
}

/// The server adds what it knows to what it does not: packets of pads to encrypted pads.
#[test]
fn numbers_in_the_clear_are_added_modulo_the_type() {
    let (least, of) = (i128::from(i16::MIN), ValueType::I16);
    let added = [1, 1, 0xffff, 0x8000, 0xedcc, 0, 0x5555];
    let values = [-1, -least - 1, 0, least, 0x1234, 77, 0x2aab];
    let sums = [0, least, -1, 0, 0, 77, least];
    let input = |range: std::ops::Range<usize>| BitsInput {
        frame: frame(of, &values[range.clone()]),
        added: added[range].to_vec(),
    };
    for (at, sum) in sums.into_iter().enumerate() {
        let which = Extremum::Maximum;
        let found = computed_on(&Extreme { which }, &[input(at..at + 1)]).unwrap();
        assert_eq!(found, [sum], "value {at}");
    }
    let threshold = Threshold {
        value: 0,
        side: Side::Below,
    };
    let job = Alarm {
        threshold,
        each: true,
    };
    let threshold = Threshold {
        value: 76,
        side: Side::Above,
    };
    let count = computed_on(&Count { threshold }, &[input(0..7)]).unwrap();
    assert_eq!(count, [1]);
    let least = Extreme {
        which: Extremum::Minimum,
    };
    assert_eq!(computed_on(&least, &[input(2..6)]).unwrap(), [-1]);
    let inputs = [input(0..2), input(2..7), frame(of, &[5, -5]).into()];
    let each = computed_on(&job, &inputs).unwrap();
    assert_eq!(each, [1, 0, 1, 1, 0, 0, 0, 1, 0, 1]);
}

#[test]
fn extremes_and_their_places() {
    let (least, most) = (Extremum::Minimum, Extremum::Maximum);
    assert_eq!(
        computed(&Extreme { which: least }, ValueType::U8, &BYTES).unwrap(),
        [0]
    );
    assert_eq!(
        computed(&Extreme { which: most }, ValueType::U8, &BYTES).unwrap(),
        [255]
    );
    assert_eq!(
        computed(&Argument { which: most }, ValueType::U8, &BYTES[..4]).unwrap(),
        [1, 200]
    );
    let signed = [i128::from(i32::MAX), -9, -9];
    assert_eq!(
        computed(&Argument { which: least }, ValueType::I32, &signed).unwrap(),
        [1, -9]
    );
    assert_eq!(
        computed(
            &Argument { which: most },
            ValueType::U64,
            &[u64::MAX.into()]
        )
        .unwrap(),
        [0, u64::MAX.into()]
    );
}

#[test]
fn counts_and_histograms() {
    let count = |value, side| Count {
        threshold: Threshold { value, side },
    };
    assert_eq!(
        computed(&count(99, Side::Above), ValueType::U8, &BYTES).unwrap(),
        [3]
    );
    assert_eq!(
        computed(&count(99, Side::Below), ValueType::U8, &BYTES).unwrap(),
        [3]
    );
    let edges = vec![8, 100, 201];
    assert_eq!(
        computed(&Histogram { edges }, ValueType::U8, &BYTES).unwrap(),
        [2, 2, 2, 1]
    );
    let edges = vec![-3, 0];
    assert_eq!(
        computed(&Histogram { edges }, ValueType::I8, &[-128, -3, -1, 0, 127]).unwrap(),
        [1, 2, 2]
    );
}

const TREE: &str = r#"{"features": 2, "root": {"branch": {"feature": 0, "above": 50,
    "then": {"branch": {"feature": 1, "above": 10, "then": {"leaf": 7}, "otherwise": {"leaf": 5}}},
    "otherwise": {"leaf": 1}}}}"#;

#[test]
fn trees() {
    let tree = DecisionTree::from_json(TREE).unwrap();
    let rows = [51, 11, 51, 10, 50, 11, 255, 255];
    assert_eq!(computed(&tree, ValueType::U8, &rows).unwrap(), [7, 5, 1, 7]);
    let only = DecisionTree::from_json(r#"{"features": 1, "root": {"leaf": 9}}"#).unwrap();
    assert_eq!(computed(&only, ValueType::I8, &[-1]).unwrap(), [9]);
}

/// Numbers that repeat in every run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self, of: ValueType) -> i128 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let (least, most) = of.range();
        least + i128::from(self.0 >> 16).rem_euclid(most - least + 1)
    }

    fn several(&mut self, of: ValueType, count: usize) -> Vec<i128> {
        (0..count).map(|_| self.next(of)).collect()
    }
}

fn reaches(value: i128, threshold: Threshold) -> bool {
    match threshold.side {
        Side::Above => value > threshold.value,
        Side::Below => value < threshold.value,
    }
}

/// Thresholds at both ends of a type, that end in zeros and in ones, and others.
fn thresholds(of: ValueType, numbers: &mut Numbers) -> Vec<i128> {
    let (least, most) = of.range();
    let middle = (least + most + 1) / 2;
    vec![
        least,
        least + 1,
        middle - 1,
        middle,
        most - 1,
        most,
        numbers.next(of),
    ]
}

#[test]
fn every_comparison_is_that_of_the_clear() {
    let mut numbers = Numbers(1);
    for of in [ValueType::U8, ValueType::I16] {
        for value in thresholds(of, &mut numbers) {
            let (least, most) = of.range();
            let mut values: Vec<i128> = [value - 1, value, value + 1, numbers.next(of)]
                .into_iter()
                .filter(|value| (least..=most).contains(value))
                .collect();
            values.extend(numbers.several(of, 1));
            let sides = [Side::Above, Side::Below];
            let taken = if of == ValueType::U8 { 2 } else { 1 };
            for side in sides.into_iter().cycle().skip(values.len() % 2).take(taken) {
                let threshold = Threshold { value, side };
                let bits = values
                    .iter()
                    .map(|&value| i128::from(reaches(value, threshold)));
                let bits: Vec<i128> = bits.collect();
                let any = bits.iter().copied().max().unwrap();
                let each = [&[any], &bits[..]].concat();
                let alarm = Alarm {
                    threshold,
                    each: true,
                };
                let found = computed(&alarm, of, &values).unwrap();
                assert_eq!(found, each, "{of:?} {threshold:?} {values:?}");
            }
        }
    }
}

#[test]
fn sums_of_many_bits_are_those_of_the_clear() {
    let mut numbers = Numbers(2);
    let of = ValueType::U8;
    for (count, value) in [(1, 3), (6, 127)] {
        let values = numbers.several(of, count);
        let threshold = Threshold {
            value,
            side: Side::Above,
        };
        let wanted = values
            .iter()
            .filter(|&&value| reaches(value, threshold))
            .count() as i128;
        assert_eq!(
            computed(&Count { threshold }, of, &values).unwrap(),
            [wanted]
        );
        let alarm = Alarm {
            threshold,
            each: false,
        };
        assert_eq!(computed(&alarm, of, &values).unwrap(), [wanted.min(1)]);
    }
    let values = vec![255; 70];
    let threshold = Threshold {
        value: 191,
        side: Side::Above,
    };
    assert_eq!(computed(&Count { threshold }, of, &values).unwrap(), [70]);
    let alarm = Alarm {
        threshold: Threshold {
            value: 191,
            side: Side::Below,
        },
        each: false,
    };
    assert_eq!(computed(&alarm, of, &values).unwrap(), [0]);
}

#[test]
fn every_extreme_is_that_of_the_clear() {
    let mut numbers = Numbers(3);
    for (of, count) in [
        (ValueType::U8, 5),
        (ValueType::I8, 3),
        (ValueType::U16, 2),
        (ValueType::I16, 2),
    ] {
        // Equals among them.
        let mut values = numbers.several(of, count);
        values.extend_from_within(..count / 2);
        let least = *values.iter().min().unwrap();
        let most = *values.iter().max().unwrap();
        for (which, wanted) in [(Extremum::Minimum, least), (Extremum::Maximum, most)] {
            let place = values.iter().position(|&value| value == wanted).unwrap() as i128;
            assert_eq!(
                computed(&Argument { which }, of, &values).unwrap(),
                [place, wanted]
            );
        }
        // Without places it is another job on one contest: once for each type is enough.
        let which = [Extremum::Minimum, Extremum::Maximum][count % 2];
        let wanted = [least, most][count % 2];
        assert_eq!(computed(&Extreme { which }, of, &values).unwrap(), [wanted]);
    }
}

#[test]
fn what_is_refused_before_any_work() {
    let refusal =
        |job: &dyn BitsJob, types: &[ValueType]| job.check(types).unwrap_err().to_string();
    let alarm = Alarm {
        threshold: Threshold {
            value: 256,
            side: Side::Above,
        },
        each: false,
    };
    assert_eq!(
        refusal(&alarm, &[]),
        "alarm has no values to work on; give at least one"
    );
    assert_eq!(
        refusal(&alarm, &[ValueType::U8]),
        "threshold: 256 is out of range; allowed is 0 to 255 for u8"
    );
    let mixed = [ValueType::U8, ValueType::I8];
    let extreme = Extreme {
        which: Extremum::Minimum,
    };
    assert_eq!(
        refusal(&extreme, &mixed),
        "minimum: value 1 is of type i8; allowed is u8 throughout"
    );
    assert_eq!(
        refusal(&extreme, &[ValueType::Bool]),
        "minimum: value 0 is of type bool; allowed is a number throughout"
    );
    let many = vec![ValueType::U8; 65536];
    let argument = Argument {
        which: Extremum::Minimum,
    };
    assert_eq!(
        refusal(&argument, &many),
        "argmin: 65536 values; allowed are at most 65535"
    );
    assert_eq!(extreme.check(&many), Ok(()));
    for edges in [vec![], vec![3, 3], vec![4, 3]] {
        assert!(refusal(&Histogram { edges }, &[ValueType::U8]).starts_with("edges "));
    }
    let tree = DecisionTree::from_json(TREE).unwrap();
    assert!(refusal(&tree, &[ValueType::U8; 3])
        .starts_with("tree: features is 2, but there are 3 values"));
}

#[test]
fn trees_that_are_malformed_are_refused() {
    for text in [
        "{}",
        r#"{"features": 0, "root": {"leaf": 1}}"#,
        r#"{"features": 1, "root": {"leaf": 256}}"#,
        r#"{"features": 1, "root": {"leaf": 1}, "more": 1}"#,
        &TREE.replace(r#""features": 2"#, r#""features": 1"#),
    ] {
        assert!(
            DecisionTree::from_json(text)
                .unwrap_err()
                .to_string()
                .starts_with("tree "),
            "{text}"
        );
    }
}
