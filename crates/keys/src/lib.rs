//! Who holds which key: tags, device keys, verified blobs, and the folders of owner, server and devices.
//!
//! The owner keeps the secret key, the link key and the device master; the server the last two; a device its own key
//! and the public key. Secret types have neither Debug nor Clone and wipe themselves; files are created anew with
//! mode 0600 in folders of mode 0700, and opened only while nobody else can read them.
#![forbid(unsafe_code)]

mod blob;
mod core_dump;
mod device;
mod error;
mod files;
mod header;
mod ledger;
mod owner;
mod passphrase;
mod secret;
mod server;
mod split;
mod tag;

pub use blob::{verify_blob, verify_tfhe_blob};
pub use core_dump::forbid_core_dumps;
pub use device::{DeviceBlobs, DeviceKeys};
pub use error::KeysError;
pub use files::{NewFolder, SecretBytes};
pub use header::c_header;
pub use ledger::SharingLedger;
pub use owner::{OwnerKeys, Protection, OWNER_FILE, OWNER_FILE_ENCRYPTED};
pub use passphrase::Passphrase;
pub use secret::{random, SecretKey};
pub use server::{ServerKeys, EVALUATION_KEYS_FILE, SERVER_FILE};
pub use split::split_public_key;

/// What this crate returns.
pub type Result<T> = std::result::Result<T, KeysError>;
