//! Partitions go into tables, each frame once: whatever is interrupted, repeated, or read by two servers.
// The support of the workflow's tests asks for a feature of that crate.
#![allow(clippy::unwrap_used, unexpected_cfgs)]

#[path = "../../../workflow/tests/suite/support/mod.rs"]
mod support;

mod interrupted;
mod refused;
mod topic;
mod two_servers;
