//! Durable state beside the keys: reserved counters, answers that were read, and the ledger of key shares.

pub(crate) mod anchor;
pub(crate) mod answers;
pub(crate) mod counters;
pub(crate) mod sharing_ledger;
