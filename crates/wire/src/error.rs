//! Errors of parsing and encoding, one variant for each name in the known answers of `spec/vectors`.

use thiserror::Error;

use crate::codes::limit::CONTEXTS;
use crate::FrameId;

/// Reason why bytes were refused. A refused item changes nothing.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum WireError {
    /// The bytes end inside an item.
    #[error(
        "{field}: the bytes end early; allowed is a complete item, so send or copy the file again"
    )]
    Truncated {
        /// Field in which the bytes ended.
        field: &'static str,
    },
    /// Bytes follow the only item allowed.
    #[error("{extra} bytes follow the item; allowed are none, so remove them")]
    TrailingBytes {
        /// Number of bytes that follow.
        extra: usize,
    },
    /// A field is not in deterministic CBOR.
    #[error("{field}: not in deterministic CBOR; allowed are shortest integers and definite lengths only")]
    NotCanonical {
        /// Name of the field.
        field: &'static str,
    },
    /// A field has another CBOR type.
    #[error("{field}: wrong CBOR type; allowed is {expected}")]
    WrongType {
        /// Field of the wrong type.
        field: &'static str,
        /// Type that the grammar asks for.
        expected: &'static str,
    },
    /// Bytes that begin no item of any kind.
    #[error("item: no Isopod file, or a damaged one: none begins here; allowed are frames, results, partial states and keys as Isopod wrote them")]
    NoItem,
    /// Another version of the format.
    #[error("version: {found}; allowed is 2; make new keys and encrypt anew")]
    UnknownVersion {
        /// Version that was read.
        found: u64,
    },
    /// A kind of item that is not allowed in this place.
    #[error("kind: {found} is not allowed here; allowed is {allowed}")]
    UnknownKind {
        /// Kind that was read.
        found: u64,
        /// Kinds that are allowed in this place.
        allowed: &'static str,
    },
    /// No parameter set has this identity.
    #[error("set: {found} is unknown; allowed are the sets that `isopod params` lists")]
    UnknownSet {
        /// The set_id in hexadecimal.
        found: String,
    },
    /// No randomness suite has this number.
    #[error(
        "suite: {found} is unknown; allowed is 1 (chacha20), 2 (shake256), 3 (seal-shake256, CKKS) or 4 (aes128, TFHE)"
    )]
    UnknownSuite {
        /// Suite that was read.
        found: u64,
    },
    /// A field's length is not the one that set and kind demand.
    #[error("{field}: {found} bytes or elements; allowed is {allowed}")]
    Length {
        /// Field of the wrong length.
        field: &'static str,
        /// Length that was read.
        found: u64,
        /// Lengths that are allowed.
        allowed: String,
    },
    /// A residue is not reduced.
    #[error("residues: position {position} of prime {prime} is out of range; allowed is 0 to {prime} - 1")]
    ResidueRange {
        /// The modulus.
        prime: u64,
        /// Position of the residue in its polynomial.
        position: usize,
    },
    /// The tag does not belong to these bytes and this key.
    #[error("tag: does not verify; the item was changed, or comes from a device or owner with another key")]
    Tag,
    /// A packet whose context is not known.
    #[error("context: {number} of device {device} is unknown; allowed are registered ones: let the device send it, or its owner")]
    UnknownContext {
        /// Number of the sender.
        device: u64,
        /// Number of the context.
        number: u8,
    },
    /// A part, or the frame that it belongs to, was accepted before.
    #[error("part {part} of device {device}, epoch {epoch}, sequence {sequence} is a duplicate; each is accepted once")]
    Duplicate {
        /// Number of the sender.
        device: u64,
        /// The device's restart counter.
        epoch: u32,
        /// The frame's number.
        sequence: u64,
        /// The prime's number.
        part: u16,
    },
    /// A part whose header differs from that of earlier parts of its frame.
    #[error("{field}: differs from the other parts of the frame; allowed are equal headers in all parts")]
    Mismatch {
        /// Field that differs.
        field: &'static str,
    },
    /// Manifests that share frames.
    #[error("manifest: sequences {first} to {last} of device {device}, epoch {epoch} occur twice; allowed is each frame once")]
    Overlap {
        /// Number of the sender.
        device: u64,
        /// The device's restart counter.
        epoch: u32,
        /// The first sequence that occurs twice.
        first: u64,
        /// The last one.
        last: u64,
    },
    /// A frame is not complete.
    #[error("part: {missing:?} of device {device}, epoch {epoch}, sequence {sequence} missing; send them again")]
    MissingParts {
        /// Number of the sender.
        device: u64,
        /// The device's restart counter.
        epoch: u32,
        /// The frame's number.
        sequence: u64,
        /// Numbers of the primes whose part is missing.
        missing: Vec<u16>,
    },
    /// A value is out of range.
    #[error("{field}: {value} is out of range; allowed is {allowed}")]
    OutOfRange {
        /// Field out of range.
        field: &'static str,
        /// Value that was read.
        value: String,
        /// Allowed range, in words or numbers.
        allowed: String,
    },
}

impl WireError {
    /// The error of a part that came before; of a whole frame by its part 0.
    pub fn duplicate(id: FrameId, part: u16) -> Self {
        Self::Duplicate {
            device: id.device,
            epoch: id.epoch,
            sequence: id.sequence,
            part,
        }
    }

    /// The error of a packet of a device whose context is not known.
    pub fn unknown_context(device: u64, packet: &[u8]) -> Self {
        let number = packet.first().map_or(0, |first| first % CONTEXTS as u8);
        Self::UnknownContext { device, number }
    }

    /// The error of a frame that lacks these parts.
    pub fn missing_parts(id: FrameId, missing: Vec<u16>) -> Self {
        Self::MissingParts {
            device: id.device,
            epoch: id.epoch,
            sequence: id.sequence,
            missing,
        }
    }

    /// The stable name of the error, as in `spec/vectors`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Truncated { .. } => "truncated",
            Self::TrailingBytes { .. } => "trailing_bytes",
            Self::NotCanonical { .. } => "not_canonical",
            Self::WrongType { .. } | Self::NoItem => "wrong_type",
            Self::UnknownVersion { .. } => "unknown_version",
            Self::UnknownKind { .. } => "unknown_kind",
            Self::UnknownSet { .. } => "unknown_set",
            Self::UnknownSuite { .. } => "unknown_suite",
            Self::Length { .. } => "length",
            Self::ResidueRange { .. } => "residue_range",
            Self::Tag => "tag",
            Self::UnknownContext { .. } => "unknown_context",
            Self::Duplicate { .. } => "duplicate",
            Self::Mismatch { .. } => "mismatch",
            Self::Overlap { .. } => "overlap",
            Self::MissingParts { .. } => "missing_parts",
            Self::OutOfRange { .. } => "out_of_range",
        }
    }

    pub(crate) fn unknown_set(id: &[u8]) -> Self {
        let found = id.iter().map(|byte| format!("{byte:02x}")).collect();
        Self::UnknownSet { found }
    }

    pub(crate) fn out_of_range(
        field: &'static str,
        value: impl ToString,
        allowed: impl ToString,
    ) -> Self {
        Self::OutOfRange {
            field,
            value: value.to_string(),
            allowed: allowed.to_string(),
        }
    }

    pub(crate) fn length(field: &'static str, found: usize, allowed: impl ToString) -> Self {
        Self::Length {
            field,
            found: found as u64,
            allowed: allowed.to_string(),
        }
    }
}
