//! Files of several owners of one key (`spec/wire.md`, section 17): of the ceremony, of a holder, and contributions to answers.

pub(crate) mod ceremony;
pub(crate) mod contribution;
pub(crate) mod holder;
pub(crate) mod invitation;
