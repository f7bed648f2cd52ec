//! Items before and after their tag is known.

pub(crate) mod sealed;
pub(crate) mod unsealed;
