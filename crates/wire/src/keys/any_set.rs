//! Parameter sets of any scheme, as key files name them.

use crate::cbor::codec::Reader;
use crate::codes::size::{PAD_KEY, SET_ID};
use crate::params::{self, tfhe};
use crate::{
    BlobKind, Label, ParameterSet, Result, TfheBlob, TfheBlobKind, TfheParams, WireError,
    BLOB_HEADER_BYTES,
};

/// Facts of pads, which have no parameters.
mod pads {
    use crate::codes::size::SET_ID;
    use crate::Label;

    pub const NAME: &str = "pads";
    pub const LABEL: Label = Label::Bits128;
    /// First bytes of SHA3-256("isopod-v2-pad").
    pub const ID: [u8; SET_ID] = [0x37, 0xd4, 0x57, 0x0a, 0xcb, 0xa0, 0x27, 0xdd];
}

/// A set of CKKS or BFV, or of TFHE, or pads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnySet {
    /// CKKS and BFV: real numbers, or integers in slots.
    Rns(&'static ParameterSet),
    /// TFHE: bits and integers.
    Tfhe(&'static TfheParams),
    /// Pads: integers in sums. There is nothing to choose.
    Pads,
}

impl AnySet {
    /// The set of that name, if any.
    pub fn by_name(name: &str) -> Option<Self> {
        let ckks = params::by_name(name).map(Self::Rns);
        let tfhe = || tfhe::by_name(name).map(Self::Tfhe);
        ckks.or_else(tfhe)
            .or((name == pads::NAME).then_some(Self::Pads))
    }

    /// The set of that identity, if any.
    pub fn by_id(id: &[u8; 8]) -> Option<Self> {
        let ckks = params::by_id(id).map(Self::Rns);
        let tfhe = || tfhe::by_id(id).map(Self::Tfhe);
        ckks.or_else(tfhe)
            .or((*id == pads::ID).then_some(Self::Pads))
    }

    /// The set's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rns(set) => set.name,
            Self::Tfhe(set) => set.name,
            Self::Pads => pads::NAME,
        }
    }

    /// Whether its values are integers, and its results exact.
    pub fn is_exact(self) -> bool {
        match self {
            Self::Rns(set) => set.plain_modulus.is_some(),
            Self::Tfhe(_) | Self::Pads => true,
        }
    }

    /// The set's security label.
    pub fn label(self) -> Label {
        match self {
            Self::Rns(set) => set.label,
            Self::Tfhe(set) => set.label,
            Self::Pads => pads::LABEL,
        }
    }

    /// The set's identity on the wire.
    pub fn set_id(self) -> &'static [u8; 8] {
        match self {
            Self::Rns(set) => &set.set_id,
            Self::Tfhe(set) => &set.set_id,
            Self::Pads => &pads::ID,
        }
    }

    /// The set, if it is one of CKKS or BFV.
    ///
    /// Errors: another set.
    pub fn rns(self) -> Result<&'static ParameterSet> {
        match self {
            Self::Rns(set) => Ok(set),
            other => Err(WireError::out_of_range(
                "set",
                other.name(),
                "a set of SEAL's here",
            )),
        }
    }

    /// The set, if it is one of TFHE.
    ///
    /// Errors: another set.
    pub fn tfhe(self) -> Result<&'static TfheParams> {
        match self {
            Self::Tfhe(set) => Ok(set),
            other => Err(WireError::out_of_range(
                "set",
                other.name(),
                "a TFHE set here",
            )),
        }
    }

    /// Length of the blob in which an owner keeps the secret key, or of the pad master, in bytes.
    pub fn secret_blob_bytes(self) -> usize {
        match self {
            Self::Rns(set) => BLOB_HEADER_BYTES + BlobKind::SecretTernary.payload_bytes(set),
            Self::Tfhe(set) => TfheBlob::bytes(TfheBlobKind::Secret, set),
            Self::Pads => PAD_KEY,
        }
    }

    pub(crate) fn read(reader: &mut Reader<'_>) -> Result<Self> {
        let id = reader.fixed::<SET_ID>("set")?;
        Self::by_id(id).ok_or_else(|| WireError::unknown_set(id))
    }
}
