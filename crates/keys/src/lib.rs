#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

#[cfg(feature = "folders")]
mod blob;
#[cfg(feature = "folders")]
mod core_dump;
mod error;
#[cfg(feature = "folders")]
mod files;
#[cfg(feature = "folders")]
mod firmware;
#[cfg(feature = "folders")]
mod flash;
#[cfg(feature = "folders")]
mod fleet;
#[cfg(feature = "folders")]
mod folder;
mod holders;
#[cfg_attr(not(feature = "folders"), allow(dead_code))]
mod key_id;
mod key_name;
#[cfg(feature = "folders")]
mod linear;
#[cfg(feature = "folders")]
mod new_folder;
#[cfg(feature = "folders")]
mod pad_master;
#[cfg(feature = "folders")]
mod protection;
#[cfg(feature = "folders")]
mod record;
#[cfg(feature = "folders")]
mod replay;
mod secret;
#[cfg(feature = "folders")]
mod state;

#[cfg(feature = "folders")]
pub use blob::{verify_blob, verify_tfhe_blob};
#[cfg(feature = "folders")]
pub use core_dump::forbid_core_dumps;
pub use error::{KeysError, Result};
#[cfg(feature = "folders")]
pub use files::{digest_of, read_bounded, read_private, unfinished};
#[cfg(feature = "folders")]
pub use firmware::c_header::{c_header, public_c_header, DeviceSecret};
#[cfg(feature = "folders")]
pub use firmware::split::split_public_key;
#[cfg(feature = "folders")]
pub use flash::{family_number, image, sealed_key, ImageFormat, FAMILIES};
#[cfg(feature = "folders")]
pub use fleet::{
    DeviceNumbers, Register, RegisterLock, Revocation, Revoked, Span, REGISTER_FILE, REVOKED_FILE,
};
#[cfg(feature = "folders")]
pub use folder::device::DeviceKeys;
#[cfg(feature = "folders")]
pub use folder::owner::{OwnerKeys, OWNER_FILE, OWNER_FILE_ENCRYPTED};
#[cfg(feature = "folders")]
pub use folder::public::{
    find_public_key, read_public_key, save_public_key, PUBLIC_FILE, PUBLIC_FOLDER,
};
#[cfg(feature = "folders")]
pub use folder::server::{LastDevice, ServerKeys, EVALUATION_KEYS_FILE, SERVER_FILE};
pub use holders::blobs::{board_share_blob, joint_public_blob, zero_key_blob};
#[cfg(feature = "folders")]
pub use holders::folder::{HolderFolder, HOLDER_FILE};
pub use holders::identity::{seal_to, HolderIdentity};
pub use holders::keys::{EndedCeremony, HolderDraft, HolderKeys};
pub use holders::place::HolderPlace;
#[cfg(feature = "folders")]
pub use holders::tags::HolderTags;
pub use key_name::key_name;
#[cfg(feature = "folders")]
pub use linear::account::{LinearAccount, LINEAR_ACCOUNT_FILE, MOST_REFUSALS};
#[cfg(feature = "folders")]
pub use linear::file::LINEAR_FILE;
#[cfg(feature = "folders")]
pub use linear::secrets::{linear_pad_key, linear_point, LinearMaster, LinearSecrets};
#[cfg(feature = "folders")]
pub use new_folder::NewFolder;
#[cfg(feature = "folders")]
pub use pad_master::PadMaster;
#[cfg(feature = "folders")]
pub use protection::file::Protection;
#[cfg(feature = "folders")]
pub use protection::passphrase::Passphrase;
#[cfg(feature = "folders")]
pub use replay::{
    append_number, enter_revocations, revoke, take_number, Replay, ReplayCheck, Seen, REPLAY_FILE,
    WINDOW,
};
pub use secret::{random, SecretBytes, SecretKey};
#[cfg(feature = "folders")]
pub use state::answers::{remember, Novelty, ANSWERS_FILE};
#[cfg(feature = "folders")]
pub use state::counters::{reserve, NumberChoice, Reserved, STATE_FILE};
#[cfg(feature = "folders")]
pub use state::sharing_ledger::SharingLedger;
