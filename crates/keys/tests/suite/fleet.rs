//! Devices that come and go: numbers that are given once, and frames of revoked devices.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::PathBuf;

use isopod_keys::{
    revoke, KeysError, NewFolder, OwnerKeys, Register, RegisterLock, Replay, Revocation, Revoked,
    REGISTER_FILE, REPLAY_FILE, REVOKED_FILE,
};
use isopod_wire::{BlobKind, FrameId};
use tempfile::TempDir;

const KEY: [u8; 16] = [5; 16];
const REQUEST: [u8; 32] = [0; 32];

/// A folder of keys with an owner's register of the devices 1 to 3, and a server.
fn keys() -> (TempDir, PathBuf) {
    let place = tempfile::tempdir().unwrap();
    let secret = crate::support::blob("ckks-1024x1-sum", BlobKind::SecretTernary, &[0; 256]);
    let owner = OwnerKeys::new(secret.into()).unwrap();
    let mut register = Register::new(owner.key_id());
    for device in 1..=3 {
        register.give(device, false).unwrap();
    }
    let keys = place.path().join("keys");
    let new = NewFolder::new(&keys).unwrap();
    new.folder("owner").unwrap();
    new.folder("server").unwrap();
    register.save(&new, "owner").unwrap();
    owner.server_keys().save(&new, "server").unwrap();
    new.publish().unwrap();
    (place, keys)
}

fn frame(device: u64, epoch: u32, sequence: u64) -> FrameId {
    FrameId {
        device,
        epoch,
        sequence,
    }
}

fn text<T>(result: Result<T, KeysError>) -> String {
    result
        .err()
        .map_or_else(String::new, |error| error.to_string())
}

fn check(
    replay: &Replay,
    frames: &[FrameId],
    request: &[u8; 32],
    again: bool,
) -> Result<(), KeysError> {
    let judge = replay.judge(*request, again)?;
    frames.iter().try_for_each(|&frame| judge.check(frame))
}

#[test]
fn a_number_is_given_once() {
    let (_place, keys) = keys();
    let owner = keys.join("owner");
    let mut register = RegisterLock::open(&owner, KEY).unwrap();
    register.give(&[4, 9]).unwrap();
    assert!(text(register.give(&[10, 3])).starts_with("device 3: given before"));
    assert!(text(register.give(&[10, 10])).starts_with("device 10: given before"));
    drop(register);
    let register = Register::read(&owner).unwrap();
    assert_eq!(register.given().to_string(), "1-4, 9");
    assert!(register.check(&[1, 9]).is_ok());
    let unknown = text(register.check(&[1, 5]));
    assert_eq!(
        unknown,
        "device 5: unknown; allowed are the devices of this key pair: 1-4, 9"
    );
}

#[test]
fn a_register_that_is_not_what_it_was_is_refused() {
    let (_place, keys) = keys();
    let (owner, path) = (keys.join("owner"), keys.join("owner").join(REGISTER_FILE));
    assert!(text(RegisterLock::open(&owner, [6; 16])).contains("of another key pair, 05050505"));
    let good = fs::read(&path).unwrap();
    fs::write(&path, &good[..good.len() - 1]).unwrap();
    assert!(text(Register::read(&owner)).contains("torn or changed"));
    fs::remove_file(&path).unwrap();
    assert!(text(Register::read(&owner)).contains("missing"));
}

#[test]
fn a_register_that_cannot_be_replaced_stays_as_it_was() {
    let (_place, keys) = keys();
    let owner = keys.join("owner");
    let mut register = RegisterLock::open(&owner, KEY).unwrap();
    let path = owner.join(REGISTER_FILE);
    fs::rename(&path, owner.join("kept")).unwrap();
    fs::create_dir(&path).unwrap();
    assert!(matches!(register.give(&[4]), Err(KeysError::File { .. })));
    assert_eq!(register.register().given().to_string(), "1-3");
    fs::remove_dir(&path).unwrap();
    fs::rename(owner.join("kept"), &path).unwrap();
    register.give(&[4]).unwrap();
    assert_eq!(Register::read(&owner).unwrap().given().to_string(), "1-4");
}

#[test]
fn a_revoked_device_enters_no_answer() {
    let (_place, keys) = keys();
    let server = keys.join("server");
    let replay = Replay::new(&server, KEY);
    replay
        .commit(&[frame(2, 7, 0), frame(1, 7, 0)], &REQUEST, false)
        .unwrap();
    let done = revoke(&server, KEY, &[2], false).unwrap();
    assert_eq!(
        done,
        [Revocation {
            device: 2,
            kept: None
        }]
    );
    for id in [frame(2, 7, 0), frame(2, 7, 1), frame(2, 8, 0)] {
        for frames in [&[id][..], &[frame(1, 7, 1), id]] {
            let check = check(&replay, frames, &[1; 32], true);
            assert_eq!(text(check), "device 2: revoked; allowed is no frame of it");
            assert!(replay.commit(frames, &[1; 32], true).is_err());
        }
    }
    replay.commit(&[frame(1, 7, 1)], &REQUEST, false).unwrap();
}

#[test]
fn earlier_frames_are_kept_by_choice() {
    let (_place, keys) = keys();
    let server = keys.join("server");
    let replay = Replay::new(&server, KEY);
    replay
        .commit(&[frame(2, 6, 9), frame(2, 7, 4)], &REQUEST, false)
        .unwrap();
    let done = revoke(&server, KEY, &[2, 3], true).unwrap();
    assert_eq!(
        done.iter().map(|entry| entry.kept).collect::<Vec<_>>(),
        [Some((7, 4)), None]
    );
    let revoked = Revoked::read(&server, KEY).unwrap();
    for id in [
        frame(2, 6, 9),
        frame(2, 6, 100),
        frame(2, 7, 4),
        frame(1, 9, 9),
    ] {
        assert!(revoked.check(id).is_ok(), "{id:?}");
    }
    let refused = text(revoked.check(frame(2, 7, 5)));
    assert!(refused.contains("up to sequence 4 of epoch 7"), "{refused}");
    assert!(revoked.check(frame(2, 8, 0)).is_err());
    assert!(revoked.check(frame(3, 0, 0)).is_err());
    assert!(text(revoke(&server, KEY, &[2], true)).starts_with("device 2: revoked before"));
    assert!(check(&replay, &[frame(2, 7, 4)], &[1; 32], false).is_ok());
    revoke(&server, KEY, &[2], false).unwrap();
    assert!(check(&replay, &[frame(2, 7, 4)], &[1; 32], false).is_err());
    assert!(text(revoke(&server, KEY, &[1, 2], false)).starts_with("device 2: revoked before"));
    assert_eq!(Revoked::read(&server, KEY).unwrap().devices().count(), 2);
}

#[test]
fn a_list_that_is_not_what_it_was_is_refused() {
    let (_place, keys) = keys();
    let server = keys.join("server");
    let (replay, path) = (Replay::new(&server, KEY), server.join(REVOKED_FILE));
    revoke(&server, KEY, &[2], false).unwrap();
    let good = fs::read(&path).unwrap();
    assert!(text(Revoked::read(&server, [6; 16])).contains("of another key pair, 05050505"));
    let mut changed = good.clone();
    changed[24] ^= 1;
    fs::write(&path, changed).unwrap();
    assert!(text(check(&replay, &[frame(1, 0, 0)], &REQUEST, false)).contains("torn or changed"));
    fs::remove_file(&path).unwrap();
    let missing = text(replay.commit(&[frame(1, 0, 0)], &REQUEST, false));
    assert!(
        missing.contains("frames of revoked devices would pass"),
        "{missing}"
    );
    fs::create_dir(&path).unwrap();
    assert!(revoke(&server, KEY, &[1], false).is_err());
    fs::remove_dir(&path).unwrap();
    fs::write(&path, good).unwrap();
    fs::remove_file(server.join(REPLAY_FILE)).unwrap();
    assert!(text(revoke(&server, KEY, &[1], true)).contains("missing"));
    assert_eq!(Revoked::read(&server, KEY).unwrap().devices().count(), 1);
}
