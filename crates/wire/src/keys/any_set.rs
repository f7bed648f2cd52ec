//! Parameter sets of any scheme, as key files name them.

use crate::cbor::codec::Reader;
use crate::codes::size::SET_ID;
use crate::params::{self, tfhe};
use crate::{
    BlobKind, Label, ParameterSet, Result, TfheBlob, TfheBlobKind, TfheParams, WireError,
    BLOB_HEADER_BYTES,
};

/// A set of CKKS or BFV, or of TFHE.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnySet {
    /// CKKS and BFV: real numbers, or integers in slots.
    Rns(&'static ParameterSet),
    /// TFHE: bits and integers.
    Tfhe(&'static TfheParams),
}

impl AnySet {
    /// The set of that name, if any.
    pub fn by_name(name: &str) -> Option<Self> {
        let ckks = params::by_name(name).map(Self::Rns);
        ckks.or_else(|| tfhe::by_name(name).map(Self::Tfhe))
    }

    /// The set of that identity, if any.
    pub fn by_id(id: &[u8; 8]) -> Option<Self> {
        let ckks = params::by_id(id).map(Self::Rns);
        ckks.or_else(|| tfhe::by_id(id).map(Self::Tfhe))
    }

    /// The set's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rns(set) => set.name,
            Self::Tfhe(set) => set.name,
        }
    }

    /// The set's security label.
    pub fn label(self) -> Label {
        match self {
            Self::Rns(set) => set.label,
            Self::Tfhe(set) => set.label,
        }
    }

    /// The set's identity on the wire.
    pub fn set_id(self) -> &'static [u8; 8] {
        match self {
            Self::Rns(set) => &set.set_id,
            Self::Tfhe(set) => &set.set_id,
        }
    }

    /// The set, if it is one of CKKS or BFV.
    ///
    /// Errors: a set of TFHE.
    pub fn rns(self) -> Result<&'static ParameterSet> {
        match self {
            Self::Rns(set) => Ok(set),
            Self::Tfhe(set) => Err(WireError::out_of_range(
                "set",
                set.name,
                "a set of SEAL's here",
            )),
        }
    }

    /// The set, if it is one of TFHE.
    ///
    /// Errors: a set of CKKS or BFV.
    pub fn tfhe(self) -> Result<&'static TfheParams> {
        match self {
            Self::Tfhe(set) => Ok(set),
            Self::Rns(set) => Err(WireError::out_of_range("set", set.name, "a TFHE set here")),
        }
    }

    /// Length of the blob in which an owner keeps the secret key, in bytes.
    pub fn secret_blob_bytes(self) -> usize {
        match self {
            Self::Rns(set) => BLOB_HEADER_BYTES + BlobKind::SecretTernary.payload_bytes(set),
            Self::Tfhe(set) => TfheBlob::bytes(TfheBlobKind::Secret, set),
        }
    }

    pub(crate) fn read(reader: &mut Reader<'_>) -> Result<Self> {
        let id = reader.fixed::<SET_ID>("set")?;
        Self::by_id(id).ok_or_else(|| WireError::unknown_set(id))
    }
}
