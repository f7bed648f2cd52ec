//! Files and text that a command writes.

pub(crate) mod classes;
pub mod decrypted_rows;
pub(crate) mod escaped;
pub(crate) mod failure;
pub(crate) mod new_file;
pub(crate) mod new_folder;
pub(crate) mod progress;
pub(crate) mod quarantine;
pub(crate) mod report;
pub(crate) mod table;
pub(crate) mod unfinished;
