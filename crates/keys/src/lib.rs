#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod blob;
mod core_dump;
mod device;
mod error;
mod files;
mod header;
mod key_id;
mod ledger;
mod owner;
mod passphrase;
mod secret;
mod server;
mod split;
mod tag;

pub use blob::{verify_blob, verify_tfhe_blob};
pub use core_dump::forbid_core_dumps;
pub use device::DeviceKeys;
pub use error::{KeysError, Result};
pub use files::{NewFolder, SecretBytes};
pub use header::{c_header, DeviceBlobs};
pub use ledger::SharingLedger;
pub use owner::{OwnerKeys, Protection, OWNER_FILE, OWNER_FILE_ENCRYPTED};
pub use passphrase::Passphrase;
pub use secret::{random, SecretKey};
pub use server::{ServerKeys, EVALUATION_KEYS_FILE, SERVER_FILE};
pub use split::split_public_key;
