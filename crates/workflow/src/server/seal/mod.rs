//! The last room: results receive their provenance and are sealed for the owner.

pub(crate) mod merged;
pub(crate) mod provenance;
pub(crate) mod results;
