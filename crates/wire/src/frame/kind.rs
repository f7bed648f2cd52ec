//! The kind of a frame: the key that encrypted it.

use crate::codes::kind;
use crate::{Result, Scheme, WireError};

/// Kind of a frame: the key that encrypted it. The scheme is that of its set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The public key; both polynomials travel.
    PublicKey,
    /// The secret key; the second polynomial travels as its seed.
    SecretKey,
}

impl Kind {
    /// The kind's number on the wire.
    pub(crate) fn number(self, scheme: Scheme) -> u64 {
        match (self, scheme) {
            (Self::PublicKey, Scheme::Ckks) => kind::CKKS_PUBLIC,
            (Self::SecretKey, Scheme::Ckks) => kind::CKKS_SECRET,
            (Self::PublicKey, Scheme::Bfv) => kind::BFV_PUBLIC,
            (Self::SecretKey, Scheme::Bfv) => kind::BFV_SECRET,
        }
    }

    pub(crate) fn read(number: u64, scheme: Scheme) -> Result<Self> {
        let kinds = [Self::PublicKey, Self::SecretKey];
        let known = kinds.into_iter().find(|kind| kind.number(scheme) == number);
        known.ok_or(WireError::UnknownKind {
            found: number,
            allowed: match scheme {
                Scheme::Ckks => "1 or 2 for a set of CKKS",
                Scheme::Bfv => "3 or 4 for a set of BFV",
            },
        })
    }
}
