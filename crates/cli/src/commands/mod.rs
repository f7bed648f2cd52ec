//! One module per command: its arguments and its output.

pub mod advise;
pub mod bench;
pub mod completions;
pub mod decrypt;
pub mod demo;
pub mod device;
pub mod device_image;
pub mod encrypt;
pub mod evaluate;
pub mod export;
pub mod export_tfhepp;
pub mod inspect;
pub mod keygen;
pub mod man;
pub mod params;
pub mod params_board;
mod params_tfhe;
pub mod receive;
pub mod request;
pub mod rotate;
pub mod server_keys;
pub mod share;
pub mod split_key;
