//! The file `replay` of a server's folder: durable, under a lock, and refused by name when it is not what it was.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use isopod_keys::{KeysError, NewFolder, OwnerKeys, Replay, ServerKeys, REPLAY_FILE, REVOKED_FILE};
use isopod_wire::{BlobKind, FrameId};
use tempfile::TempDir;

/// A server's folder, and its memory of frames.
fn server() -> (TempDir, Replay) {
    let place = tempfile::tempdir().unwrap();
    let secret = crate::support::blob("ckks-1024x1-sum", BlobKind::SecretTernary, &[0; 256]);
    let owner = OwnerKeys::new(secret.into()).unwrap();
    let new = NewFolder::new(&place.path().join("keys")).unwrap();
    new.folder("server").unwrap();
    owner.server_keys().save(&new, "server").unwrap();
    new.publish().unwrap();
    let replay = of(&place.path().join("keys/server"));
    (place, replay)
}

fn of(folder: &Path) -> Replay {
    Replay::new(folder, ServerKeys::open(folder).unwrap().key_id())
}

fn file(place: &TempDir) -> std::path::PathBuf {
    place.path().join("keys/server").join(REPLAY_FILE)
}

fn id(sequence: u64) -> FrameId {
    FrameId {
        device: 1,
        epoch: 5,
        sequence,
    }
}

fn check(replay: &Replay, frames: &[FrameId]) -> Result<(), KeysError> {
    let judge = replay.judge([0; 32], false)?;
    frames.iter().try_for_each(|&frame| judge.check(frame))
}

#[test]
fn frames_of_states_may_be_old_but_enter_once() {
    let (_place, replay) = server();
    replay.commit(&[id(0), id(5000)], &[1; 32], false).unwrap();
    assert!(check(&replay, &[id(3)]).is_err(), "stale");
    let judge = replay.judge([0; 32], false).unwrap();
    judge.check_entered(id(3)).unwrap();
    replay
        .commit_all(&[id(5001)], &[id(3)], &[0; 32], false)
        .unwrap();
    let again = replay.commit_all(&[], &[id(3)], &[0; 32], false);
    assert!(matches!(
        again,
        Err(KeysError::Repeated { sequence: 3, .. })
    ));
}

#[test]
fn what_entered_is_known_after_a_restart() {
    let (place, replay) = server();
    let frames = [id(0), id(1)];
    check(&replay, &frames).unwrap();
    assert_eq!(replay.commit(&frames, &[0; 32], false).unwrap(), 0);
    let again = of(file(&place).parent().unwrap());
    let refusal = again.commit(&frames, &[0; 32], false);
    assert!(matches!(
        refusal,
        Err(KeysError::Repeated { sequence: 0, .. })
    ));
    assert_eq!(again.commit(&frames, &[1; 32], false).unwrap(), 1);
    assert_eq!(again.commit(&frames, &[0; 32], true).unwrap(), 2);
}

#[test]
fn a_check_alone_enters_nothing() {
    let (place, replay) = server();
    let before = fs::read(file(&place)).unwrap();
    check(&replay, &[id(0)]).unwrap();
    assert_eq!(fs::read(file(&place)).unwrap(), before);
}

/// A server's folder with the file that version 0.2.0 wrote.
fn former() -> (TempDir, Replay) {
    let kept = Path::new(env!("CARGO_MANIFEST_DIR"));
    let kept = kept.join("../../spec/compatibility/0.2.0/ckks-1024x1-sum/server");
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("keys/server");
    fs::create_dir_all(&folder).unwrap();
    for name in [REPLAY_FILE, REVOKED_FILE] {
        fs::copy(kept.join(name), folder.join(name)).unwrap();
    }
    let key_id = fs::read(folder.join(REPLAY_FILE)).unwrap()[8..24].try_into();
    let replay = Replay::new(&folder, key_id.unwrap());
    (place, replay)
}

#[test]
fn a_torn_file_of_an_earlier_version_is_not_an_empty_one() {
    let (place, replay) = former();
    let whole = fs::read(file(&place)).unwrap();
    for length in 0..whole.len() {
        fs::write(file(&place), &whole[..length]).unwrap();
        let refusal = check(&replay, &[id(9)]);
        let message = refusal.unwrap_err().to_string();
        assert!(
            message.contains("replay: ") && message.contains("put back"),
            "{length}: {message}"
        );
    }
    for at in 0..whole.len() {
        let mut changed = whole.clone();
        changed[at] ^= 1;
        fs::write(file(&place), &changed).unwrap();
        assert!(replay.commit(&[id(9)], &[0; 32], false).is_err(), "{at}");
        assert!(fs::read(file(&place)).unwrap() == changed, "{at}: reset");
    }
    fs::write(file(&place), &whole).unwrap();
    assert!(replay.commit(&[id(9)], &[0; 32], false).is_ok());
}

#[test]
fn a_missing_file_is_not_an_empty_one() {
    let (place, replay) = server();
    fs::remove_file(file(&place)).unwrap();
    let message = check(&replay, &[id(0)]).unwrap_err().to_string();
    assert!(message.contains("replay: missing"), "{message}");
}

#[test]
fn the_memory_of_another_key_is_refused() {
    let (place, replay) = server();
    let other = Replay::new(file(&place).parent().unwrap(), [9; 16]);
    let message = check(&other, &[id(0)]).unwrap_err().to_string();
    assert!(message.contains("of another key pair"), "{message}");
    assert!(check(&replay, &[id(0)]).is_ok());
}

#[test]
fn an_earlier_version_leaves_its_memory_and_no_litter() {
    let (place, replay) = former();
    let litter = file(&place).with_file_name(".replay.0123456789abcdef.partial");
    fs::write(&litter, b"half").unwrap();
    let names = || {
        fs::read_dir(file(&place).parent().unwrap())
            .unwrap()
            .count()
    };
    check(&replay, &[id(0)]).unwrap();
    assert_eq!(names(), 3, "replay, revoked and the lock");
    assert_eq!(replay.commit(&[id(0)], &[0; 32], false).unwrap(), 0);
    assert!(check(&replay, &[id(0)]).is_err());
    assert_eq!(replay.commit(&[id(1)], &[0; 32], false).unwrap(), 1);
    assert_eq!(names(), 3);
}

#[test]
fn servers_by_mistake_at_once_share_frames_and_numbers() {
    let (place, _) = server();
    let folder = file(&place).parent().unwrap().to_owned();
    let numbers: Vec<Option<u64>> = std::thread::scope(|scope| {
        let each = |thread: u64| {
            let replay = of(&folder);
            scope.spawn(move || {
                let commit = |at| replay.commit(&[id(at / 2)], &[0; 32], false).ok();
                (0..16)
                    .map(|at| commit(at + thread % 2))
                    .collect::<Vec<_>>()
            })
        };
        let threads: Vec<_> = (0..4).map(each).collect();
        threads
            .into_iter()
            .flat_map(|thread| thread.join().unwrap())
            .collect()
    });
    let given: Vec<u64> = numbers.into_iter().flatten().collect();
    let distinct: BTreeSet<u64> = given.iter().copied().collect();
    assert_eq!(given.len(), 9, "each of nine frames once");
    assert_eq!(distinct, (0..9).collect());
}
