//! The bytes of Isopod: parameter sets, parts and frames, results, evaluation keys, key blobs and key files.
//!
//! Reading has two steps by type. [`Envelope::read`] finds one bounded item and the fields that choose its key;
//! [`Envelope::authenticate`] asks an [`Authenticator`]; only the [`Authentic`] envelope can be parsed into a [`Part`],
//! an [`EncryptedResult`] or [`EvaluationKeys`]. Writing mirrors it: an item encodes to an [`Unsealed`] message, which
//! becomes bytes once its tag is known. The crate contains no cryptography; `isopod-keys` supplies it.
//!
//! The formats are defined by `spec/wire.md` and `spec/wire.cddl`. Any deviation is refused with a
//! [`WireError`] that names the field and what is allowed.
#![forbid(unsafe_code)]

mod any_set;
mod bits;
mod blob;
mod blob_header;
mod cbor;
mod claims;
pub mod codes;
mod envelope;
mod error;
mod evaluation;
mod field;
mod formats;
mod frame;
mod grid;
mod key_file;
mod layout;
mod manifest;
mod origins;
mod packed;
mod params;
mod part;
mod partial;
mod provenance;
mod residues;
mod result;
mod rounding;
mod tfhe;
mod unsealed;

pub use any_set::AnySet;
pub use bits::{pack, unpack};
pub use blob::{BlobKind, KeyBlob};
pub use cbor::Writer;
pub use claims::Claims;
pub use codes::key_blob::{HEADER_BYTES as BLOB_HEADER_BYTES, HEAD_BYTES as BLOB_HEAD_BYTES};
pub use envelope::{Authentic, Authenticator, Envelope, ItemKind};
pub use error::WireError;
pub use evaluation::{EvaluationKeys, EvaluationKeysHeader, EvaluationKeysWriter, PolynomialIndex};
pub use frame::{Frame, Mask};
pub use grid::Grid;
pub use key_file::{DeviceKeyFile, OwnerKeyFile, Secret, ServerKeyFile, Sharing};
pub use layout::Layout;
pub use manifest::{FrameRange, Gap, Manifest};
pub use origins::Origins;
pub use packed::{PackedFrame, PackedPart};
pub use params::tfhe as tfhe_params;
pub use params::tfhe::{Noise, Secret as SecretDistribution, TfheParams, TFHE_SETS};
pub use params::{
    by_id, by_name, sets, Label, ParameterSet, ScaleRange, Scheme, BFV_SETS, CKKS_SETS, SETS64,
};
pub use part::{FrameHeader, FrameId, Kind, Part, Suite};
pub use partial::{Alike, Partial, Term};
pub use provenance::Provenance;
pub use result::{EncryptedResult, RoundedAnswers};
pub use rounding::{RoundedFrame, Rounding};
pub use tfhe::{
    Run, Schema, TfheBlob, TfheBlobKind, TfheFrame, TfheHeader, TfheResult, TfheServerKeys,
    TfheSuite, ValueType,
};
pub use unsealed::{Relation, Unsealed};

/// First bytes of the hash that names a key pair.
pub type KeyId = [u8; codes::size::KEY_ID];
/// First bytes of the hash that names what a frame's columns are.
pub type PackingId = [u8; codes::size::PACKING];
/// Fresh public bytes of an item.
pub type Nonce = [u8; codes::size::NONCE];
/// Authentication tag of an item.
pub type Tag = [u8; codes::size::TAG];
/// Result of every reader and writer of this crate.
pub type Result<T> = std::result::Result<T, WireError>;
