//! Changes of the holders of one key (`spec/owners.md`, section 5): refresh of shares, replacement of a holder, end of a share.

pub(crate) mod ending;
pub(crate) mod newcomer;
pub(crate) mod refresh;
pub(crate) mod replacement;
mod steps;
