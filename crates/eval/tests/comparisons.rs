//! Every job on bits and integers, on frames of the device library, against the clear; and refusals.
#![allow(missing_docs, clippy::unwrap_used)]

use std::sync::OnceLock;

use isopod_device::{Sender, TfheEncoding, TfheEncryptor, TfheKeyPair};
use isopod_eval::bits::{Alarm, Argument, BitsJob, Count, Extreme, Histogram, Session, Which};
use isopod_eval::{DecisionTree, Error, Side, Threshold};
use isopod_tfhe::native::{pack_result, Native, RingCiphertext, ServerKeyBytes, ServerKeys};
use isopod_tfhe::{secret_coefficients, OwnerSecrets};
use isopod_wire::{
    Authenticator, Envelope, Label, Provenance, Relation, Schema, Tag, TfheBlob, TfheResult,
    TfheSuite, ValueType, TFHE_SETS,
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

/// Encrypts values by the device's public key, and converts them as the server does.
fn encrypted(of: ValueType, values: &[i128]) -> Vec<Native> {
    let encoding = TfheEncoding {
        suite: TfheSuite::Chacha20,
        rounded: false,
        streaming: false,
        columns: 0,
        packing: None,
        accept_label: Label::Bits128,
    };
    let mut sender = Sender {
        device: 1,
        epoch: 0,
        sequence: 0,
        key: &[0; 32],
    };
    let schema = Schema::of_values(vec![of; values.len()]).unwrap();
    let mut encryptor = TfheEncryptor::new(&keys().pair.public_blob, encoding).unwrap();
    let bytes = encryptor.encrypt(&schema, values, &mut sender).unwrap();
    let frame = Envelope::read_only(&bytes)
        .unwrap()
        .authenticate(&Anyone)
        .unwrap();
    let frame = frame.tfhe_frame(encryptor.params()).unwrap();
    RingCiphertext::new(&frame).unwrap().values().unwrap()
}

/// Runs a job and decrypts its packed result as the owner does; progress reaches its end.
fn computed(job: &dyn BitsJob, of: ValueType, values: &[i128]) -> Result<Vec<i128>, Error> {
    let mut last = (0, 0);
    let mut progress = |done, total| last = (done, total);
    let mut session = Session::new(&keys().server, &mut progress);
    let natives = job.run(&mut session, encrypted(of, values))?;
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

#[test]
fn extremes_and_their_places() {
    let (least, most) = (Which::Minimum, Which::Maximum);
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
    let signed = [7, -9, -9, 4, i128::from(i32::MAX)];
    assert_eq!(
        computed(&Argument { which: least }, ValueType::I32, &signed).unwrap(),
        [1, -9]
    );
    assert_eq!(
        computed(&Extreme { which: most }, ValueType::I32, &signed).unwrap(),
        [i128::from(i32::MAX)]
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
        which: Which::Minimum,
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
    assert_eq!(
        refusal(&extreme, &many),
        "minimum: 65536 values; allowed are at most 65535"
    );
    for edges in [vec![], vec![3, 3], vec![4, 3]] {
        assert!(refusal(&Histogram { edges }, &[ValueType::U8]).starts_with("edges "));
    }
    let tree = DecisionTree::from_json(TREE).unwrap();
    assert!(refusal(&tree, &[ValueType::U8; 3])
        .starts_with("tree: features is 2, but there are 3 values"));
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
