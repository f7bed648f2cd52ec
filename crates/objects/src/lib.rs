#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod connection;
mod disk;
mod file;
mod place;

pub use disk::ObjectDisk;
pub use place::{open, Place};
