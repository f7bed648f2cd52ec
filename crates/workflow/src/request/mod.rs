//! Requests to a server: jobs, their parameters, the file and digest of a request, and the names of columns.

pub(crate) mod description;
pub(crate) mod descriptor;
pub(crate) mod digest;
pub(crate) mod file;
pub(crate) mod job;
pub(crate) mod merged;
pub(crate) mod pad_span;
pub(crate) mod proof;
pub(crate) mod ranges;
pub(crate) mod several_owners;
pub(crate) mod threshold;
