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

mod bits;
mod blob;
mod cbor;
pub mod codes;
mod envelope;
mod error;
mod frame;
mod frame_id;
mod keys;
mod linear_tag;
mod owners;
mod packet;
mod packet_form;
mod pad;
mod params;
mod receipt;
mod result;
mod tfhe;

pub use bits::{pack, unpack};
pub use blob::key_blob::{BlobKind, KeyBlob};
pub use cbor::codec::Writer;
pub use codes::key_blob::{HEADER_BYTES as BLOB_HEADER_BYTES, HEAD_BYTES as BLOB_HEAD_BYTES};
pub use envelope::sealed::{Authentic, Authenticator, Envelope, ItemKind};
pub use envelope::stored_packet::StoredPacket;
pub use envelope::unsealed::{Relation, Unsealed};
pub use error::WireError;
pub use frame::claims::Claims;
pub use frame::complete::{Frame, Mask};
pub use frame::grid::Grid;
pub use frame::header::{FrameHeader, MaskOrder};
pub use frame::kind::Kind;
pub use frame::packed::{PackedFrame, PackedPart};
pub use frame::part::Part;
pub use frame::rounded::RoundedFrame;
pub use frame::rounding::Rounding;
pub use frame::suite::Suite;
pub use frame_id::FrameId;
pub use keys::any_set::AnySet;
pub use keys::evaluation::{
    EvaluationKeys, EvaluationKeysHeader, EvaluationKeysWriter, PolynomialIndex,
};
pub use keys::key_file::{DeviceKeyFile, Digested, OwnerKeyFile, Secret, ServerKeyFile, Sharing};
pub use keys::linear_key::LinearKeyFile;
pub use linear_tag::LinearTag;
pub use owners::board::{BoardContribution, BoardShare};
pub use owners::ceremony::{Announcement, Opening, SealedShare};
pub use owners::change::{Change, ChangeStep};
pub use owners::contribution::Contribution;
pub use owners::holder::{HolderDraftFile, HolderKeyFile};
pub use owners::invitation::{Invitation, JOBS_OF_OWNERS, WEIGHTED_JOB};
pub use owners::kind_of_owners;
pub use packet::context::{Context, Packet};
pub use packet::device_item::{DeviceAuthenticator, DeviceItem};
pub use packet::header::PacketHeader;
pub use packet::prefix::PacketPrefix;
pub use packet::submission::Submission;
pub use packet_form::{Naming, PacketForm};
pub use pad::description::{PadDescription, PadHeader};
pub use pad::frame::PadFrame;
pub use pad::grant::{PadGrant, PadRange};
pub use pad::partial::PadPartial;
pub use pad::result::{PadResult, PadSum};
pub use pad::run::PadRun;
pub use params::layout::Layout;
pub use params::tfhe as tfhe_params;
pub use params::tfhe::{Noise, Secret as SecretDistribution, TfheParams, TFHE_SETS};
pub use params::{
    by_id, by_name, sets, Label, ParameterSet, ScaleRange, Scheme, BFV_SETS, CKKS_SETS, SETS64,
};
pub use receipt::{Outcome, Receipt};
pub use result::decoding::Decoding;
pub use result::encrypted::{EncryptedResult, RoundedAnswers};
pub use result::manifest::{FrameRange, Gap, Manifest};
pub use result::origins::Origins;
pub use result::partial::{Partial, PartialHeader, Term};
pub use result::provenance::Provenance;
pub use tfhe::{
    Run, Schema, TfheBlob, TfheBlobKind, TfheFrame, TfheHeader, TfheResult, TfheServerKeys,
    TfheSuite, ValueType,
};

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
