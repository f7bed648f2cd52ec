#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod anchor;
mod answers;
mod blob;
mod core_dump;
mod device;
mod error;
mod files;
mod flash;
mod fleet;
mod header;
mod key_id;
mod ledger;
mod new_folder;
mod owner;
mod passphrase;
mod public;
mod record;
mod replay;
mod secret;
mod server;
mod split;
mod state;
mod tag;

pub use answers::{remember, Novelty, ANSWERS_FILE};
pub use blob::{verify_blob, verify_tfhe_blob};
pub use core_dump::forbid_core_dumps;
pub use device::DeviceKeys;
pub use error::{KeysError, Result};
pub use files::{read_bounded, read_private, unfinished, SecretBytes};
pub use flash::{family_number, image, sealed_key, ImageFormat, FAMILIES};
pub use fleet::{
    revoke, DeviceNumbers, Register, RegisterLock, Revocation, Revoked, Span, REGISTER_FILE,
    REVOKED_FILE,
};
pub use header::{c_header, public_c_header};
pub use key_id::key_name;
pub use ledger::SharingLedger;
pub use new_folder::NewFolder;
pub use owner::{OwnerKeys, Protection, OWNER_FILE, OWNER_FILE_ENCRYPTED};
pub use passphrase::Passphrase;
pub use public::{find_public_key, read_public_key, save_public_key, PUBLIC_FILE, PUBLIC_FOLDER};
pub use replay::{Judge, Replay, Seen, REPLAY_FILE, WINDOW};
pub use secret::{random, SecretKey};
pub use server::{LastDevice, ServerKeys, EVALUATION_KEYS_FILE, SERVER_FILE};
pub use split::split_public_key;
pub use state::{reserve, Reserved, Wanted, STATE_FILE};
