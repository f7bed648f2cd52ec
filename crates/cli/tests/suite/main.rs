//! All tests of the crate from outside, as one program.

mod answers;
mod attacked;
mod bad_results;
mod coefficients;
mod columns;
mod courtesies;
mod device_image;
mod fleet;
mod inspect;
mod integers;
mod keygen_jobs;
mod merged;
mod merged_tables;
mod outputs;
mod packets;
mod pads;
mod receive;
mod refusals;
mod several_owners;
mod sharing;
mod split_key;
mod story;
mod streams;
mod support;
mod verified;
mod verified_columns;
