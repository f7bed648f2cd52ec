//! Results of pads: what is written comes back, and what no server writes is refused.
#![allow(clippy::unwrap_used)]

use crate::support::{provenance, reread, Checksum, Numbers};
use isopod_wire::{
    AnySet, Context, Envelope, FrameId, Naming, PacketForm, PadDescription, PadHeader, PadPartial,
    PadResult, PadRun, PadSum, Provenance, WireError,
};

fn description(number: u8) -> PadDescription {
    PadDescription {
        number,
        width: 3,
        columns: 2,
        bound: 1000,
        packing: Some(*b"packing of tests"),
        ratchet: false,
        form: PacketForm {
            naming: Naming::Sequence,
            device_bytes: 4,
            tag_bytes: 8,
        },
    }
}

fn run(device: u64, first: u64, last: u64, context: u32, weight: i32) -> PadRun {
    PadRun {
        device,
        epoch: 3,
        first,
        last,
        context,
        weight,
    }
}

fn result() -> PadResult {
    PadResult {
        key_id: [1; 16],
        nonce: [2; 16],
        provenance: Provenance {
            frames: 12,
            manifest: None,
            ..provenance("weighted")
        },
        sum: PadSum {
            contexts: vec![description(2), description(5)],
            runs: vec![
                run(7, 4, 9, 1, -1),
                run(7, 10, 14, 1, i32::MIN),
                run(8, 0xffff_fffe, 0xffff_fffe, 0, 3),
            ],
            sums: vec![0xff_ffff, 0x01_0203],
        },
    }
}

fn read(bytes: &[u8]) -> Result<PadResult, WireError> {
    let envelope = Envelope::read_only(bytes)?;
    envelope.authenticate(&Checksum)?.pad_result()
}

fn partial() -> PadPartial {
    PadPartial {
        key_id: [1; 16],
        nonce: [2; 16],
        request: [3; 32],
        job: "weighted".into(),
        sum: result().sum,
    }
}

/// Its sum has the bytes of the result's.
#[test]
fn partial_states_come_back() {
    let bytes = Checksum::seal(partial().encode().unwrap());
    let authentic = Envelope::read_only(&bytes).unwrap();
    let authentic = authentic.authenticate(&Checksum).unwrap();
    assert_eq!(authentic.pad_partial().unwrap(), partial());
    assert!(authentic.kind().is_partial());
    for other in [
        authentic.pad_result().map(drop),
        authentic.partial().map(drop),
    ] {
        assert_eq!(other.unwrap_err().name(), "unknown_kind");
    }
    let result = Checksum::seal(result().encode().unwrap());
    let sum = |bytes: &[u8]| bytes[bytes.len() - 77..bytes.len() - 17].to_vec();
    assert_eq!(sum(&bytes), sum(&result));
    let unnamed = PadPartial {
        job: "\n".into(),
        ..partial()
    };
    assert!(unnamed.encode().is_err());
}

#[test]
fn results_come_back() {
    let result = result();
    let bytes = Checksum::seal(result.encode().unwrap());
    assert_eq!(read(&bytes).unwrap(), result);
    assert!(reread::item(&bytes));
    assert_eq!(result.sum.bound(), 1000 * (6 + 5 * (1 << 31) + 3));
    assert_eq!(result.sum.manifest().unwrap().count(), 12);
    let envelope = Envelope::read_only(&bytes).unwrap();
    let authentic = envelope.authenticate(&Checksum).unwrap();
    assert_eq!(authentic.result().unwrap_err().name(), "unknown_kind");
}

/// A change of a result, and the name of the refusal of it.
type Case = (&'static str, fn(&mut PadResult));

const CASES: [Case; 13] = [
    ("overlap", |result| {
        result.sum.runs[1].first = 9;
        result.provenance.frames = 13;
    }),
    ("not_canonical", |result| result.sum.runs.swap(0, 2)),
    ("not_canonical", |result| result.sum.runs[1].weight = -1),
    ("not_canonical", |result| result.sum.contexts.swap(0, 1)),
    ("out_of_range", |result| result.sum.runs[0].context = 2),
    ("out_of_range", |result| {
        result.sum.runs[2].last += 1;
        result.provenance.frames = 13;
    }),
    ("out_of_range", |result| result.sum.contexts[0].bound = 0),
    ("out_of_range", |result| {
        result.sum.contexts[1].form.tag_bytes = 7
    }),
    ("out_of_range", |result| result.sum.runs.clear()),
    ("length", |result| result.sum.contexts.clear()),
    ("length", |result| result.sum.sums.truncate(1)),
    ("mismatch", |result| result.sum.contexts[1].columns = 3),
    ("out_of_range", |result| result.provenance.frames = 11),
];

/// The writer refuses some, the reader all others.
#[test]
fn results_that_contradict_themselves_are_refused() {
    for (at, (wanted, change)) in CASES.into_iter().enumerate() {
        let mut changed = result();
        change(&mut changed);
        let refused = match changed.encode() {
            Ok(unsealed) => read(&Checksum::seal(unsealed)).unwrap_err(),
            Err(error) => error,
        };
        assert_eq!(refused.name(), wanted, "case {at}: {refused}");
    }
}

#[test]
fn mutants_never_panic() {
    let header = PadHeader {
        key_id: [1; 16],
        id: FrameId {
            device: 7,
            epoch: 3,
            sequence: 5,
        },
        description: description(2),
    };
    let context = Context::new_pad(&header).unwrap().seal(|_| [9; 16]);
    let state = Checksum::seal(partial().encode().unwrap());
    let valid = [Checksum::seal(result().encode().unwrap()), context, state];
    let mut numbers = Numbers(7);
    let mut accepted = [0; 3];
    for turn in 0..90_000 {
        let mut bytes = valid[turn % 3].clone();
        let at = numbers.below(bytes.len() as u64) as usize;
        match numbers.below(3) {
            0 => bytes[at] ^= 1 << numbers.below(8),
            1 => bytes.truncate(at),
            _ => bytes.insert(at, numbers.next() as u8),
        }
        let read = match turn % 3 {
            1 => reread::submission(&bytes),
            _ => reread::item(&bytes),
        };
        accepted[turn % 3] += usize::from(read);
    }
    assert!(
        accepted.iter().all(|read| (1_000..20_000).contains(read)),
        "{accepted:?}"
    );
    assert!(Context::open(&valid[1], AnySet::Pads, |_, _, tag| tag == &[9; 16]).is_ok());
}
