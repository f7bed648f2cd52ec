//! Commands for devices.

pub mod derived;
pub mod device_image;
pub mod devices;
pub mod encoding;
pub mod encrypt;
pub mod packet_choice;
pub mod receive;
pub mod split_key;
pub mod tag_key;
