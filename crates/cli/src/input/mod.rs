//! Files, values and passphrases that a command reads.

pub(crate) mod csv_rows;
pub(crate) mod device_numbers;
pub(crate) mod files;
pub(crate) mod jobs;
pub(crate) mod pad_span;
pub(crate) mod passphrase;
pub(crate) mod row_ids;
pub(crate) mod separator;
pub(crate) mod sources;
pub(crate) mod text;
pub(crate) mod values;
