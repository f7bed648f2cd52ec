//! Commands for servers.

pub mod evaluate;
pub mod export;
pub mod export_tfhepp;
