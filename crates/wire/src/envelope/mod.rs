//! Items before and after their tag is known.

pub(crate) mod sealed;
pub(crate) mod stored_packet;
pub(crate) mod tagged;
pub(crate) mod unsealed;
