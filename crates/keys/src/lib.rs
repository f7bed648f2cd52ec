#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod blob;
mod core_dump;
mod error;
mod files;
mod firmware;
mod flash;
mod fleet;
mod folder;
mod holders;
mod key_id;
mod key_name;
mod linear;
mod new_folder;
mod pad_master;
mod protection;
mod record;
mod replay;
mod secret;
mod state;

pub use blob::{verify_blob, verify_tfhe_blob};
pub use core_dump::forbid_core_dumps;
pub use error::{KeysError, Result};
pub use files::{digest_of, read_bounded, read_private, unfinished, SecretBytes};
pub use firmware::c_header::{c_header, public_c_header, DeviceSecret};
pub use firmware::split::split_public_key;
pub use flash::{family_number, image, sealed_key, ImageFormat, FAMILIES};
pub use fleet::{
    DeviceNumbers, Register, RegisterLock, Revocation, Revoked, Span, REGISTER_FILE, REVOKED_FILE,
};
pub use folder::device::DeviceKeys;
pub use folder::owner::{OwnerKeys, OWNER_FILE, OWNER_FILE_ENCRYPTED};
pub use folder::public::{
    find_public_key, read_public_key, save_public_key, PUBLIC_FILE, PUBLIC_FOLDER,
};
pub use folder::server::{LastDevice, ServerKeys, EVALUATION_KEYS_FILE, SERVER_FILE};
pub use holders::blobs::{board_share_blob, joint_public_blob, zero_key_blob};
pub use holders::folder::{HolderFolder, HOLDER_FILE};
pub use holders::identity::{seal_to, HolderIdentity};
pub use holders::keys::{EndedCeremony, HolderDraft, HolderKeys};
pub use key_name::key_name;
pub use linear::account::{LinearAccount, LINEAR_ACCOUNT_FILE, MOST_REFUSALS};
pub use linear::file::LINEAR_FILE;
pub use linear::secrets::{linear_pad_key, linear_point, LinearMaster, LinearSecrets};
pub use new_folder::NewFolder;
pub use pad_master::PadMaster;
pub use protection::file::Protection;
pub use protection::passphrase::Passphrase;
pub use replay::{
    append_number, revoke, take_number, Replay, ReplayCheck, Seen, REPLAY_FILE, WINDOW,
};
pub use secret::{random, SecretKey};
pub use state::answers::{remember, Novelty, ANSWERS_FILE};
pub use state::counters::{reserve, NumberChoice, Reserved, STATE_FILE};
pub use state::sharing_ledger::SharingLedger;
