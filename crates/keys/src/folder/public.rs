//! The public key of a fleet: one file for all devices of a key pair, as a blob and as a C header.

use std::path::{Path, PathBuf};

use isopod_wire::{BlobKind, KeyBlob, KeyId, TfheBlob, TfheBlobKind, WireError};

use crate::blob::{verify_blob, verify_tfhe_blob};
use crate::error::{KeysError, Result};
use crate::files::{read_bounded, MOST_SECRET_BYTES};
use crate::firmware::c_header::public_c_header;
use crate::new_folder::NewFolder;

/// The folder beside those of the devices.
pub const PUBLIC_FOLDER: &str = "public";
/// The blob in that folder, or in a device's own.
pub const PUBLIC_FILE: &str = "public.key";
/// The blob as a C array.
const HEADER_FILE: &str = "isopod_public_key.h";

/// Writes the blob and its C header into `folder` of a new folder.
///
/// Errors: [`KeysError::File`].
pub fn save_public_key(into: &NewFolder, folder: &str, blob: &[u8]) -> Result<()> {
    into.write(&format!("{folder}/{PUBLIC_FILE}"), blob)?;
    let header = public_c_header(blob);
    into.write(&format!("{folder}/{HEADER_FILE}"), header.as_bytes())
}

/// The place of the public key for a device's folder: in it, or in the folder `public` beside it.
///
/// Errors: [`KeysError::NoPublicKey`].
pub fn find_public_key(folder: &Path) -> Result<PathBuf> {
    let beside = folder.join("..").join(PUBLIC_FOLDER).join(PUBLIC_FILE);
    let mut places = [folder.join(PUBLIC_FILE), beside].into_iter();
    let found = places.find(|place| place.symlink_metadata().is_ok());
    found.ok_or_else(|| KeysError::NoPublicKey(folder.to_owned()))
}

/// Reads a whole public key and verifies it. `wanted` names the key pair that it has to be of.
///
/// Errors: [`KeysError::File`]; [`KeysError::In`] for what is no public key; [`KeysError::OtherKey`].
pub fn read_public_key(path: &Path, wanted: Option<KeyId>) -> Result<Vec<u8>> {
    let mut bytes = read_bounded(path, MOST_SECRET_BYTES)?;
    let found = verify(&bytes).map_err(|source| KeysError::In {
        path: path.to_owned(),
        source: Box::new(source),
    })?;
    match wanted {
        Some(wanted) if wanted != found => Err(KeysError::other_key(path, found, wanted)),
        _ => Ok(std::mem::take(&mut *bytes)),
    }
}

/// The name of the key, whose content is what it names.
fn verify(bytes: &[u8]) -> Result<KeyId> {
    if let Ok(blob) = TfheBlob::read(bytes) {
        match blob.kind {
            TfheBlobKind::Public | TfheBlobKind::SeededPublic => verify_tfhe_blob(&blob)?,
            kind => return Err(other_kind(kind.number())),
        }
        return Ok(blob.key_id);
    }
    let blob = KeyBlob::read(bytes).map_err(KeysError::Blob)?;
    match blob.kind {
        BlobKind::Public | BlobKind::SeededPublic => verify_blob(&blob)?,
        kind => return Err(other_kind(kind.number())),
    }
    Ok(blob.key_id)
}

fn other_kind(number: u32) -> KeysError {
    KeysError::Blob(WireError::UnknownKind {
        found: number.into(),
        allowed: "1, 2, 17 or 18, a whole public key",
    })
}
