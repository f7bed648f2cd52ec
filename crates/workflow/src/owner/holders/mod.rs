//! Several owners of one key (`spec/owners.md`): the ceremony that makes it, contributions to answers, and opening them.

pub(crate) mod board;
pub(crate) mod change;
pub(crate) mod fleet;
pub(crate) mod fold;
pub(crate) mod folder;
pub(crate) mod requester;
pub(crate) mod tags;
