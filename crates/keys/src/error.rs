//! Errors of keys and their files. A message names the file; its source gives the reason.

use std::path::{Path, PathBuf};

use isopod_wire::{KeyId, WireError};
use thiserror::Error;

use crate::key_name::key_name;

/// The result of every call of this crate.
pub type Result<T> = std::result::Result<T, KeysError>;

/// The reason why a key was refused or a file not written. No message contains key material.
#[derive(Debug, Error)]
pub enum KeysError {
    /// An operation of the operating system failed.
    #[error("{}", path.display())]
    File {
        /// File or folder.
        path: PathBuf,
        /// Reason.
        source: std::io::Error,
    },
    /// A file's content is not what its name says.
    #[error("{}", path.display())]
    Content {
        /// File.
        path: PathBuf,
        /// Reason.
        source: WireError,
    },
    /// A blob is not of the kind that is needed.
    #[error("key blob: {0}")]
    Blob(WireError),
    /// A file with a secret is readable by others.
    #[error("{}: mode {mode:03o} lets others read a secret; allowed is 600, so run: chmod 600 '{}'", path.display(), path.display())]
    Permissions {
        /// File.
        path: PathBuf,
        /// Permission bits.
        mode: u32,
    },
    /// The target exists, and nothing is ever overwritten.
    #[error("{}: exists already; keys are never overwritten, so choose another folder or move this one away", .0.display())]
    Exists(PathBuf),
    /// A file larger than any of its kind.
    #[error("{}: larger than any file of its kind; allowed are at most {most} bytes", path.display())]
    TooLarge {
        /// File.
        path: PathBuf,
        /// Largest size of its kind.
        most: u64,
    },
    /// The folder has neither form of the owner's key file.
    #[error("{}: holds neither owner.key.age nor owner.key; name the owner's folder that keygen wrote", .0.display())]
    NoOwnerKey(PathBuf),
    /// The passphrase is empty and would protect nothing.
    #[error(
        "passphrase: empty; allowed is at least one character, best are six or more random words"
    )]
    EmptyPassphrase,
    /// The age file does not open.
    #[error("{}: does not open: {reason}; check the passphrase", path.display())]
    Passphrase {
        /// File.
        path: PathBuf,
        /// Message of age.
        reason: String,
    },
    /// The age file could not be written.
    #[error("key file: could not be encrypted: {0}")]
    Encrypt(String),
    /// A device lacks the key of linear tags of one holder, or has one that does not belong to the others.
    #[error("{}: missing, or of another device, period or number of files than the others; allowed are the {parts} files of one \
             period that the holders wrote for this device, or none", path.display())]
    LinearParts {
        /// The file.
        path: PathBuf,
        /// Files of the device.
        parts: u8,
    },
    /// The folder has no key file of a holder.
    #[error("{}: holds neither holder.key.age nor holder.key; name the folder that isopod owner begin or join wrote", .0.display())]
    NoHolderKey(PathBuf),
    /// A text that is no identity of age.
    #[error("identity: not one of age; the holder's key file was damaged, so put back the last good copy")]
    Identity,
    /// A text that is no recipient of age.
    #[error("recipient: not one of age; allowed is age1 and 58 more characters, as isopod owner wrote it")]
    Recipient,
    /// A holder's folder without a change of shares.
    #[error("keys: no change of shares is under way; allowed is one that isopod owner refresh or replace began")]
    NoChange,
    /// An age file that does not open with the holder's identity.
    #[error("sealed: not encrypted to this holder, or damaged; allowed is a file that names this holder, so let it be sent again")]
    NotForHolder,
    /// A key file's digest differs.
    #[error("{}: digest does not match; the file was changed or damaged, so copy it again", .0.display())]
    Damaged(PathBuf),
    /// A blob's digest differs.
    #[error("key blob: digest does not match; the blob was changed or damaged, so copy it again")]
    Digest,
    /// A public key's content is not what its key id names.
    #[error("key blob: key_id is not that of the key; the blob was put together of several, so copy it again from one keygen run")]
    KeyId,
    /// A value of a secret key is out of range; its position is not told.
    #[error("key blob: a secret value is out of range; allowed is -1, 0 or 1, or a residue below its prime")]
    SecretRange,
    /// A residue of a public key is not reduced.
    #[error("key blob: position {position} of prime {prime} is out of range; allowed is 0 to {prime} - 1")]
    Residue {
        /// The modulus.
        prime: u64,
        /// Position of the word within the prime's polynomials.
        position: usize,
    },
    /// The declared number of results has been published.
    #[error("queries: {wanted} more results to share, but {used} of the {declared} declared for this key are used up; this key \
             shares no more than that, so make a new one: an owner with isopod rotate, several with isopod owner begin")]
    SharesUsedUp {
        /// Declared number of results.
        declared: u64,
        /// Number of published results.
        used: u64,
        /// Number of results asked for.
        wanted: u64,
    },
    /// The declaration differs from the first one, which holds for the life of the key.
    #[error(
        "{field}: {found}; this key was declared with {declared}, which cannot change any more"
    )]
    OtherDeclaration {
        /// Name of the parameter.
        field: &'static str,
        /// Value asked for.
        found: u64,
        /// Value declared first.
        declared: u64,
    },
    /// A file that this program keeps for itself is damaged, foreign or missing.
    #[error("{}: {problem}; nothing was changed, so put back the last good copy", path.display())]
    Record {
        /// File.
        path: PathBuf,
        /// The problem.
        problem: String,
    },
    /// A frame so old that nothing tells any more whether it was seen.
    #[error("frame {sequence} of epoch {epoch} of device {device}: stale; allowed are {allowed}, or frames known from before")]
    Stale {
        /// Its device.
        device: u64,
        /// Its epoch.
        epoch: u32,
        /// Its sequence.
        sequence: u64,
        /// The frames that are not stale.
        allowed: String,
    },
    /// A frame that entered an answer to the same request before.
    #[error("frame {sequence} of epoch {epoch} of device {device}: repeated; it entered an answer to this request before, allowed is once")]
    Repeated {
        /// Its device.
        device: u64,
        /// Its epoch.
        epoch: u32,
        /// Its sequence.
        sequence: u64,
    },
    /// A number below those that were used.
    #[error("{field}: {found} may have been used; allowed is {least} or more")]
    Used {
        /// Name of the number.
        field: &'static str,
        /// Number asked for.
        found: u64,
        /// Least number that was never used.
        least: u64,
    },
    /// The clock is before 1970 or beyond 32 bits.
    #[error(
        "epoch: the clock gives none; allowed is a time from 1970 to 2106, or an epoch of your own"
    )]
    Clock,
    /// Numbers beyond the last one.
    #[error("sequence: {found} is out of range; allowed is up to 2^64 less the number of frames, {frames}")]
    Exhausted {
        /// First number.
        found: u64,
        /// Numbers asked for.
        frames: u64,
    },
    /// The owner's folder counts less than was published.
    #[error("used: {found} published results in {}, but this machine published {least}, so the folder is an old copy; allowed is \
             the one that counted last", path.display())]
    Behind {
        /// The owner's key file.
        path: PathBuf,
        /// Its count.
        found: u64,
        /// Count of the anchor.
        least: u64,
    },
    /// Two files name different key pairs.
    #[error("{}: of key {}, another key pair; allowed is key {}, so take files of one keygen run", path.display(),
            key_name(found), key_name(wanted))]
    OtherKey {
        /// File.
        path: PathBuf,
        /// The key pair it is of.
        found: KeyId,
        /// The key pair it has to be of.
        wanted: KeyId,
    },
    /// A key file is refused for what is in it.
    #[error("{}", path.display())]
    In {
        /// File.
        path: PathBuf,
        /// Reason.
        source: Box<KeysError>,
    },
    /// A device's folder without the public key that its fleet shares.
    #[error("{}: no public key, neither public.key in it nor public/public.key beside it; keygen wrote one for all devices of the \
             key pair, so copy it into this folder, or name it", .0.display())]
    NoPublicKey(PathBuf),
    /// A device number that was given before.
    #[error("device {device}: given before, and a number stands for one key; allowed are numbers that were never given")]
    DeviceGiven {
        /// Its number.
        device: u64,
    },
    /// A device number that was never given.
    #[error("device {device}: unknown; allowed are the devices of this key pair: {given}")]
    DeviceUnknown {
        /// Its number.
        device: u64,
        /// The devices of the key pair.
        given: String,
    },
    /// A number whose device was revoked.
    #[error(
        "device {device}: revoked, and a number is never in use again; allowed are other numbers"
    )]
    RevokedNumber {
        /// The number.
        device: u64,
    },
    /// A frame of a device that was revoked.
    #[error("device {device}: revoked; allowed is {allowed}")]
    Revoked {
        /// Its number.
        device: u64,
        /// The frames that are taken still.
        allowed: String,
    },
    /// A second revocation.
    #[error("device {device}: revoked before; allowed are devices in use, or, where earlier frames were kept, to keep them no more")]
    RevokedBefore {
        /// Its number.
        device: u64,
    },
    /// The entropy source failed.
    #[error("entropy: the system gives no random bytes: {0}; nothing was written")]
    Entropy(String),
}

impl KeysError {
    pub(crate) fn other_key(path: &Path, found: KeyId, wanted: KeyId) -> Self {
        Self::OtherKey {
            path: path.to_owned(),
            found,
            wanted,
        }
    }

    pub(crate) fn file(path: &Path) -> impl FnOnce(std::io::Error) -> Self + '_ {
        move |source| Self::File {
            path: path.to_owned(),
            source,
        }
    }

    pub(crate) fn content(path: &Path) -> impl FnOnce(WireError) -> Self + '_ {
        move |source| Self::Content {
            path: path.to_owned(),
            source,
        }
    }
}
