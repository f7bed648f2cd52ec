//! Partial states: sums of ciphertexts or of pads that others are added to.

use isopod_wire::codes::size;
use isopod_wire::{AnySet, Authentic, Envelope, ItemKind, Manifest, PadPartial, PadSum, Partial};

use crate::request::job::Request;
use crate::{Result, Server};

/// A partial state.
pub(crate) enum State {
    /// A sum of ciphertexts of CKKS or BFV.
    Rns(Partial),
    /// A sum of packets of pads.
    Pads(PadPartial),
}

impl State {
    /// A partial state, parsed.
    ///
    /// # Errors
    /// [`crate::Error::Wire`]; [`crate::Error::OtherKey`] for another key pair or set.
    pub fn read(server: &Server, item: &Authentic<Envelope<'_>>) -> Result<Self> {
        if item.kind() == ItemKind::PadPartial {
            let state = item.pad_partial()?;
            server.check_pair(state.key_id, AnySet::Pads)?;
            return Ok(Self::Pads(state));
        }
        let state = item.partial()?;
        server.check_pair(state.header.key_id, AnySet::Rns(state.header.params))?;
        Ok(Self::Rns(state))
    }

    /// Digest of the request that it is for.
    pub fn request(&self) -> &[u8; size::DIGEST] {
        match self {
            Self::Rns(state) => &state.header.request,
            Self::Pads(state) => &state.request,
        }
    }

    /// The frames that entered.
    ///
    /// # Errors
    /// [`crate::Error::Wire`].
    pub fn manifest(&self) -> Result<Manifest> {
        Ok(match self {
            Self::Rns(state) => state.manifest.clone(),
            Self::Pads(state) => state.sum.manifest()?,
        })
    }
}

/// A sum of pads as a sealed partial state.
pub(crate) fn pad_state(server: &Server, request: &Request, sum: PadSum) -> Result<Vec<u8>> {
    let state = PadPartial {
        key_id: server.key_id(),
        nonce: isopod_keys::random()?,
        request: request.digest(server.set()),
        job: request.job.name().name().to_owned(),
        sum,
    };
    Ok(server.link().seal(state.encode()?))
}
