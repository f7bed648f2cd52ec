//! Files of several owners: what is written is read, and nothing else.
#![allow(clippy::unwrap_used)]

use isopod_wire::{
    by_name, kind_of_owners, unpack, Announcement, BoardContribution, Change, ChangeStep,
    Contribution, HolderDraftFile, HolderKeyFile, Invitation, LinearTag, Opening, SealedShare,
    WireError,
};

fn invitation() -> Invitation {
    Invitation {
        params: by_name("bfv-4096x3-sum").unwrap(),
        ceremony: [1; 32],
        holders: ["alice", "bob-2"].map(str::to_owned).to_vec(),
        threshold: 2,
        frames: 1000,
        statistical_bits: 40,
        queries: 64,
    }
}

fn announcement() -> Announcement {
    Announcement {
        invitation: [2; 32],
        holder: 2,
        recipient: "age1recipient".to_owned(),
        commitment: [3; 32],
    }
}

fn contribution(bits: u8) -> Contribution {
    let values = (0..64u128).map(|at| (u128::MAX / 77 * (at + 1)) >> (128 - bits));
    Contribution {
        key_id: [4; 16],
        holder: 1,
        generation: 9,
        answering: vec![1, 3],
        answer: [5; 32],
        index: 0,
        total: 1,
        primes: 3,
        pads: (bits > 60).then(|| LinearTag::new(5, 1 << 60)),
        bits,
        values: values.collect(),
    }
}

/// A contribution of a board: 64 values of 3 bits.
fn board_contribution() -> Vec<u8> {
    let fields: [&[u8]; 8] = [
        &[0x8b, 2, 0x18, 60, 0x50],
        &[4; 16],
        &[&[0x50][..], &[5; 16]].concat(),
        &[1, 0x82, 1, 3],
        &[&[0x50][..], &[6; 16]].concat(),
        &[0x18, 40, 3],
        &[&[0x58, 24][..], &[0b1000_1000; 24]].concat(),
        &[&[0x50][..], &[7; 16]].concat(),
    ];
    fields.concat()
}

/// The bytes of an opening with two shares.
fn opening() -> Vec<u8> {
    let share = |receiver| SealedShare {
        announcements: [6; 32],
        holder: 1,
        receiver,
        sealed: b"sealed",
    };
    let opening = Opening {
        announcements: [6; 32],
        holder: 1,
        blind: [7; 32],
        public: b"public",
    };
    opening.write(&[share(2), share(3)])
}

fn draft() -> Vec<u8> {
    let file = HolderDraftFile {
        invitation: b"invitation",
        holder: 10,
        identity: "AGE-SECRET-KEY-1",
        blind: &[8; 32],
        seed: &[9; 32],
    };
    file.write()
}

fn key() -> Vec<u8> {
    let file = HolderKeyFile {
        invitation: b"invitation",
        fingerprint: &[1; 32],
        key_id: [2; 16],
        holder: 1,
        identity: "AGE-SECRET-KEY-1",
        recipients: "one,two",
        share: b"share",
        link: &[3; 32],
        device_master: &[4; 32],
        used: 5,
        generation: 2,
        change: Some(&[6; 32]),
        next: b"transcript and share",
    };
    file.write()
}

/// The bytes of a step with a share.
fn change(step: ChangeStep) -> Vec<u8> {
    let change = Change {
        fingerprint: [1; 32],
        generation: 3,
        step,
        holder: 2,
        digest: [6; 32],
    };
    change.write(&[SealedShare {
        announcements: [6; 32],
        holder: 2,
        receiver: 1,
        sealed: b"sealed",
    }])
}

/// A kind, bytes of it, and its reader.
type FileOf = (u64, Vec<u8>, fn(&[u8]) -> Result<(), WireError>);
/// A field, and a change that makes it wrong.
type WrongField = (&'static str, fn(&mut Invitation));

/// Every file, and whether bytes are read as one.
fn files() -> Vec<FileOf> {
    vec![
        (53, invitation().write(), |bytes| {
            Invitation::read(bytes).map(drop)
        }),
        (54, announcement().write(), |bytes| {
            Announcement::read(bytes).map(drop)
        }),
        (55, opening(), |bytes| Opening::read(bytes).map(drop)),
        (57, draft(), |bytes| HolderDraftFile::read(bytes).map(drop)),
        (58, key(), |bytes| HolderKeyFile::read(bytes).map(drop)),
        (63, change(ChangeStep::Dealt), |bytes| {
            Change::read(bytes).map(drop)
        }),
        (59, contribution(25).write(), |bytes| {
            Contribution::read(bytes, 64).map(drop)
        }),
        (60, board_contribution(), |bytes| {
            BoardContribution::read(bytes, 64).map(drop)
        }),
    ]
}

#[test]
fn everything_comes_back() {
    assert_eq!(Invitation::read(&invitation().write()), Ok(invitation()));
    assert_eq!(
        Announcement::read(&announcement().write()),
        Ok(announcement())
    );
    for bits in [1, 8, 25, 59, 60, 61, 77, 119, 120] {
        let twice = [contribution(bits).write(), contribution(bits).write()].concat();
        let read = Contribution::read(&twice, 64).unwrap();
        assert_eq!(read, [contribution(bits), contribution(bits)]);
    }
    let bytes = opening();
    let (read, shares) = Opening::read(&bytes).unwrap();
    assert_eq!(read.write(&shares), bytes);
    assert_eq!(
        (read.public, shares[1].receiver, shares[1].sealed),
        (&b"public"[..], 3, &b"sealed"[..])
    );
    for step in [
        ChangeStep::Confirmed,
        ChangeStep::Masked,
        ChangeStep::Given,
        ChangeStep::Ended,
    ] {
        let bytes = change(step);
        let (read, shares) = Change::read(&bytes).unwrap();
        assert_eq!((read.write(&shares), read.step), (bytes, step));
    }
    let mut bytes = change(ChangeStep::Ended);
    let step = bytes.iter().position(|&byte| byte == 5).unwrap();
    bytes[step] = 6;
    let refused = Change::read(&bytes).unwrap_err().to_string();
    assert_eq!(refused, "step: 6 is out of range; allowed is 1 to 5");
    let (bytes, draft) = (key(), draft());
    let file = HolderKeyFile::read(&bytes).unwrap();
    assert_eq!(
        (file.write(), file.used, file.recipients),
        (bytes.clone(), 5, "one,two")
    );
    assert_eq!((file.generation, file.change), (2, Some(&[6; 32])));
    let file = HolderDraftFile::read(&draft).unwrap();
    assert_eq!((file.write(), file.holder), (draft.clone(), 10));
}

#[test]
fn contributions_of_boards_come_back() {
    let bytes = board_contribution();
    let read = BoardContribution::read(&bytes, 64).unwrap();
    assert_eq!(
        (read.holder, &read.answering[..], read.count),
        (1, &[1, 3][..], 40)
    );
    assert_eq!((read.result, read.bits, read.tag), ([6; 16], 3, &[7; 16]));
    assert_eq!(
        (read.message, read.nonce[15..18].to_vec()),
        (&bytes[..bytes.len() - 17], vec![5, 0, 0])
    );
    // Even coefficients come first on the wire.
    let numbers = read.numbers(read.values);
    let wire: Vec<u128> = unpack(3, read.values).map(u128::from).collect();
    assert_eq!((numbers[2], numbers[3]), (wire[1], wire[33]));
    assert!(BoardContribution::read(&bytes, 128).is_err());
    for bits in [0, 29] {
        let mut changed = bytes.clone();
        changed[62] = bits;
        assert!(BoardContribution::read(&changed, 64).is_err());
    }
}

#[test]
fn whatever_is_cut_off_follows_or_is_of_another_kind_is_refused() {
    for (kind, bytes, read) in files() {
        assert_eq!(kind_of_owners(&bytes), Ok(kind));
        assert_eq!(read(&bytes), Ok(()));
        // An opening is whole before each of its shares, contributions are before the first.
        let heads =
            |at: &usize| [55, 63].contains(&kind) && bytes[*at..].starts_with(&[0x86, 2, 0x18, 56]);
        let whole: Vec<usize> = match kind {
            59 => vec![0],
            _ => (0..bytes.len() - 4).filter(heads).collect(),
        };
        for end in 0..bytes.len() {
            let is_read = read(&bytes[..end]).is_ok();
            assert_eq!(is_read, whole.contains(&end), "{kind} to {end}");
        }
        assert!(
            read(&[&bytes[..], &[0]].concat()).is_err(),
            "{kind} and a byte"
        );
        let mut other = bytes.clone();
        other[1] = 3;
        assert_eq!(
            kind_of_owners(&other),
            Err(WireError::UnknownVersion { found: 3 })
        );
        for (found, foreign, _) in files() {
            assert!(
                found == kind || read(&foreign).is_err(),
                "{found} read as {kind}"
            );
        }
    }
}

#[test]
fn invitations_that_no_ceremony_has_are_refused() {
    let cases: [WrongField; 10] = [
        ("holders", |one| one.holders.truncate(1)),
        ("holders", |one| {
            one.holders = (0..11).map(|at| format!("h{at}")).collect()
        }),
        ("holders", |one| one.holders[1] = "alice".to_owned()),
        ("holders", |one| one.holders[1] = String::new()),
        ("holders", |one| one.holders[1] = "x".repeat(33)),
        ("threshold", |one| one.threshold = 1),
        ("threshold", |one| one.threshold = 3),
        ("frames", |one| one.frames = 0),
        ("statistical_bits", |one| one.statistical_bits = 65),
        ("queries", |one| one.queries = (1 << 32) + 1),
    ];
    for (field, change) in cases {
        let mut changed = invitation();
        change(&mut changed);
        for refused in [
            changed.check(),
            Invitation::read(&changed.write()).map(drop),
        ] {
            let refused = refused.unwrap_err().to_string();
            assert!(refused.starts_with(&format!("{field}: ")), "{refused}");
        }
    }
    assert_eq!(
        (invitation().number("bob-2"), invitation().number("eve")),
        (Some(2), None)
    );
    assert_eq!(
        [0, 1, 3].map(|number| invitation().name(number).to_owned()),
        ["", "alice", ""]
    );
}

#[test]
fn contributions_of_no_bits_or_holder_are_refused() {
    let mut changed = contribution(25);
    changed.holder = 0;
    assert!(Contribution::read(&changed.write(), 64).is_err());
    changed.holder = 11;
    assert!(Contribution::read(&changed.write(), 64).is_err());
    assert!(Contribution::read(&contribution(25).write(), 128).is_err());
}

#[test]
fn mutants_are_refused_or_written_back() {
    let valid: Vec<Vec<u8>> = files().into_iter().map(|(_, bytes, _)| bytes).collect();
    assert!(crate::smoke::run(&valid, 60_000, crate::support::reread::owners) > 1_000);
}
