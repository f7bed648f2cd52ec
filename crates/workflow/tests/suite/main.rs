//! All tests of the crate from outside, as one program.

mod answers;
mod coefficients;
mod columns;
mod equal_readings;
mod frames;
mod hostile_network;
mod jobs;
mod malicious_server;
mod outputs;
mod parameters;
mod quarantine;
mod readings;
mod spliced_keys;
mod support;
