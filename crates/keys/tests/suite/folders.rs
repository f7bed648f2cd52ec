//! Key folders: written whole, opened only by their owner, never overwritten.
#![allow(clippy::unwrap_used)]

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::support::blob;
use isopod_keys::{
    find_public_key, read_public_key, save_public_key, DeviceKeys, DeviceSecret, KeysError,
    NewFolder, OwnerKeys, Passphrase, Protection, ServerKeys,
};
use isopod_wire::{Authenticator, BlobKind, Relation};

const SET: &str = "ckks-1024x1-sum";

fn secret_blob() -> Vec<u8> {
    blob(SET, BlobKind::SecretTernary, &[0b00_01_10_00; 256])
}

fn write(folder: &Path, protection: &Protection) -> OwnerKeys {
    let owner = OwnerKeys::new(secret_blob().into()).unwrap();
    let public = blob(SET, BlobKind::Public, &[1, 0, 0, 0].repeat(2048 + 8));
    let new = NewFolder::new(folder).unwrap();
    for name in ["owner", "server", "public", "device-7"] {
        new.folder(name).unwrap();
    }
    owner.save(&new, "owner", protection).unwrap();
    owner.server_keys().save(&new, "server").unwrap();
    save_public_key(&new, "public", &public).unwrap();
    let device = owner.device_keys(7);
    device
        .save(
            &new,
            "device-7",
            Some(DeviceSecret::Ciphertexts {
                transformed: b"secret",
                compact: b"symbols",
            }),
        )
        .unwrap();
    new.publish().unwrap();
    owner
}

fn open_plain(folder: &Path) -> Result<OwnerKeys, KeysError> {
    OwnerKeys::open(folder, || Passphrase::new(String::new()))
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

/// An error and its source.
fn text<T>(result: Result<T, KeysError>) -> String {
    let Some(error) = result.err() else {
        return "no error".into();
    };
    let why = std::error::Error::source(&error).map_or(String::new(), ToString::to_string);
    format!("{error}: {why}")
}

#[test]
fn a_plain_folder_opens_as_it_was_written() {
    let place = tempfile::tempdir().unwrap();
    let keys = place.path().join("keys");
    let owner = write(&keys, &Protection::InsecurePlaintext);
    let read = open_plain(&keys.join("owner")).unwrap();
    assert_eq!((read.params().name(), read.key_id()), (SET, [5; 16]));
    assert_eq!(
        (read.secret_blob(), read.link().expose()),
        (owner.secret_blob(), owner.link().expose())
    );
    let server = ServerKeys::open(&keys.join("server")).unwrap();
    let folder = keys.join("device-7");
    let device = DeviceKeys::open(&folder).unwrap();
    let public = read_public_key(&find_public_key(&folder).unwrap(), None).unwrap();
    assert_eq!(public.len(), 80 + 32 + 8192);
    assert_eq!(&DeviceKeys::secret_blob(&folder).unwrap()[..], b"secret");
    assert_eq!(
        (server.key_id(), device.key_id(), device.device()),
        ([5; 16], [5; 16], 7)
    );
    let tag = device.key().tag(&[3; 24], b"message");
    for authenticator in [&read as &dyn Authenticator, &server, &device] {
        assert!(authenticator.verify(Relation::Device(7), &[3; 24], b"message", &tag));
        assert!(!authenticator.verify(Relation::Device(8), &[3; 24], b"message", &tag));
        assert!(!authenticator.verify(Relation::Link, &[3; 24], b"message", &tag));
    }
    let tag = owner.link().tag(&[3; 24], b"message");
    assert!(server.verify(Relation::Link, &[3; 24], b"message", &tag));
    assert!(!device.verify(Relation::Link, &[3; 24], b"message", &tag));
}

#[test]
fn files_and_folders_belong_to_their_owner_only() {
    let place = tempfile::tempdir().unwrap();
    let keys = place.path().join("keys");
    write(&keys, &Protection::InsecurePlaintext);
    for folder in ["", "owner", "server", "public", "device-7"] {
        assert_eq!(mode(&keys.join(folder)), 0o700, "{folder}");
    }
    let files = [
        "owner/owner.key",
        "server/server.key",
        "device-7/frame.key",
        "public/public.key",
        "public/isopod_public_key.h",
        "device-7/isopod_keys.h",
        "device-7/secret.key",
        "device-7/compact.key",
    ];
    for file in files {
        assert_eq!(mode(&keys.join(file)), 0o600, "{file}");
    }
}

#[test]
fn files_that_others_may_read_are_refused_with_the_remedy() {
    let place = tempfile::tempdir().unwrap();
    let keys = place.path().join("keys");
    write(&keys, &Protection::InsecurePlaintext);
    for (file, open) in [
        ("owner/owner.key", 0),
        ("server/server.key", 1),
        ("device-7/frame.key", 2),
    ] {
        for mode in [0o640, 0o604, 0o620] {
            let path = keys.join(file);
            fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
            let message = match open {
                0 => text(open_plain(&keys.join("owner"))),
                1 => text(ServerKeys::open(&keys.join("server"))),
                _ => text(DeviceKeys::open(&keys.join("device-7"))),
            };
            assert!(
                message.contains(&format!("chmod 600 '{}'", path.display())),
                "{message}"
            );
        }
    }
}

#[test]
fn a_passphrase_opens_and_another_does_not() {
    let place = tempfile::tempdir().unwrap();
    let keys = place.path().join("keys");
    let passphrase = |text: &str| Passphrase::new(text.into());
    let owner = write(
        &keys,
        &Protection::Passphrase(passphrase("correct horse").unwrap()),
    );
    let file = fs::read(keys.join("owner/owner.key.age")).unwrap();
    assert!(file.starts_with(b"age-encryption.org/v1"));
    assert!(!file
        .windows(32)
        .any(|window| window == owner.link().expose()));
    let read = OwnerKeys::open(&keys.join("owner"), || passphrase("correct horse")).unwrap();
    assert_eq!(read.link().expose(), owner.link().expose());
    let message = text(OwnerKeys::open(&keys.join("owner"), || {
        passphrase("wrong horse")
    }));
    assert!(message.contains("check the passphrase"), "{message}");
    assert!(text(open_plain(&keys.join("owner"))).starts_with("passphrase: empty"));
}

#[test]
fn nothing_is_overwritten_and_nothing_half_done_stays() {
    let place = tempfile::tempdir().unwrap();
    let keys = place.path().join("keys");
    let unfinished = NewFolder::new(&keys).unwrap();
    unfinished.write("one", b"1").unwrap();
    assert!(text(unfinished.write("one", b"2")).contains("exists"));
    assert!(!keys.exists());
    drop(unfinished);
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
    write(&keys, &Protection::InsecurePlaintext);
    assert!(text(NewFolder::new(&keys).map(drop)).contains("exists already"));
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1);
    assert!(open_plain(&keys.join("owner")).is_ok());
}

#[test]
fn damaged_or_foreign_files_are_refused() {
    let place = tempfile::tempdir().unwrap();
    let keys = place.path().join("keys");
    write(&keys, &Protection::InsecurePlaintext);
    let path = keys.join("owner/owner.key");
    let good = fs::read(&path).unwrap();
    let mut flipped = good.clone();
    flipped[140] ^= 1;
    fs::write(&path, &flipped).unwrap();
    assert!(text(open_plain(&keys.join("owner"))).contains("digest"));
    let mut foreign = good.clone();
    foreign[14] ^= 1;
    fs::write(&path, &foreign).unwrap();
    assert!(text(open_plain(&keys.join("owner"))).contains("another key pair"));
    fs::write(&path, &good[..good.len() - 1]).unwrap();
    assert!(text(open_plain(&keys.join("owner"))).contains("end early"));
    fs::write(keys.join("server/server.key"), &good).unwrap();
    assert!(text(ServerKeys::open(&keys.join("server"))).contains("allowed is 6"));
    fs::remove_file(&path).unwrap();
    assert!(text(open_plain(&keys.join("owner"))).contains("neither owner.key.age nor owner.key"));
    let large = fs::File::create(keys.join("server/server.key")).unwrap();
    large.set_len(17 << 20).unwrap();
    assert!(text(ServerKeys::open(&keys.join("server"))).contains("allowed are at most 16777216"));
}

#[test]
fn an_owner_needs_a_ternary_secret_key() {
    let public = blob(SET, BlobKind::Public, &[0; 32 + 8192]).into();
    assert!(text(OwnerKeys::new(public).map(drop)).contains("allowed is 3"));
}

#[test]
fn a_public_key_is_found_beside_a_device_or_in_it_and_of_its_key_pair() {
    let place = tempfile::tempdir().unwrap();
    let keys = place.path().join("keys");
    write(&keys, &Protection::InsecurePlaintext);
    let (shared, device) = (keys.join("public/public.key"), keys.join("device-7"));
    let own = device.join("public.key");
    let key_id = read_public_key(&shared, None)
        .map(|blob| blob[24..40].try_into().unwrap())
        .unwrap();
    assert!(read_public_key(&shared, Some(key_id)).is_ok());
    let other = text(read_public_key(&shared, Some([5; 16])));
    assert!(
        other.contains("public.key: of key ") && other.contains("allowed is key 05050505"),
        "{other}"
    );
    fs::rename(&shared, &own).unwrap();
    assert_eq!(find_public_key(&device).unwrap(), own);
    fs::remove_file(&own).unwrap();
    let missing = text(find_public_key(&device));
    assert!(
        missing.contains("device-7: no public key, neither public.key in it"),
        "{missing}"
    );
    for kind in [BlobKind::SecretTernary, BlobKind::PublicPrime(0)] {
        fs::write(
            &own,
            blob(
                SET,
                kind,
                &vec![0; kind.payload_bytes(isopod_wire::by_name(SET).unwrap())],
            ),
        )
        .unwrap();
        let refused = read_public_key(&own, None).unwrap_err();
        let reason = std::error::Error::source(&refused).unwrap().to_string();
        assert!(reason.contains("allowed is 1, 2, 17 or 18"), "{reason}");
    }
}
