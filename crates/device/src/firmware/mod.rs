//! Firmware in Rust: frames written to any [`embedded_io::Write`], entropy from any [`rand_core::TryCryptoRng`], all memory the
//! caller's. No std, no heap; the C code is compiled for the target.
//!
//! ```
//! use isopod_device::firmware::{tables_words, workspace_words, Context, Device, Encryptor, Key, Method};
//! use isopod_device::firmware::{Settings, Set, Tables, Values};
//! # use isopod_device::KeyPair;
//! # let pair = KeyPair::generate(isopod_wire::by_name("ckks-1024x1-sum").expect("a set"))?;
//! # #[repr(align(8))]
//! # struct Blob([u8; 9000]);
//! # let mut blob = Blob([0; 9000]);
//! # blob.0[..pair.public_blob.len()].copy_from_slice(&pair.public_blob);
//! # let blob = &blob.0[..pair.public_blob.len()];
//! # struct Generator;
//! # impl rand_core::TryRng for Generator {
//! #     type Error = getrandom::Error;
//! #     fn try_next_u32(&mut self) -> Result<u32, Self::Error> { getrandom::u32() }
//! #     fn try_next_u64(&mut self) -> Result<u64, Self::Error> { getrandom::u64() }
//! #     fn try_fill_bytes(&mut self, out: &mut [u8]) -> Result<(), Self::Error> { getrandom::fill(out) }
//! # }
//! # impl rand_core::TryCryptoRng for Generator {}
//! # let generator = Generator;
//! # let frame_key = [7; 32];
//! # let mut memory = [0; 8192];
//! # let mut uart = &mut memory[..];
//! let set = Set::CKKS_1024X1_SUM;
//! let mut table_memory = [0; tables_words(1024, 1)]; // or Tables::CKKS_1024X1_SUM, which lie in flash
//! let tables = Tables::build(set, &mut table_memory)?;
//! let key = Key::open_public(set, blob)?;
//! let settings = Settings { chunks: 4, log2_bound: 6, ..Settings::new(set, &tables, &key, Method::CKKS_SLOTS) };
//!
//! let mut workspace = [0; workspace_words::public(1024, 4, 2 * 1024)];
//! let mut device = Device::new(1, 1, &frame_key, generator);
//! let mut encryptor = Encryptor::new(settings, &mut workspace);
//! encryptor.begin(&mut Context::new(), &mut device, Values::Float32(&[20.5, 21.0]))?.write_to(&mut uart)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod device;
mod encryptor;
mod error;
mod frame;
mod key;
mod method;
mod set;
mod sets;
mod status;
mod values;
pub mod workspace_words;

pub use device::Device;
pub use encryptor::{Clamp, Encryptor, Rounding, Settings};
pub use error::{Refusal, SendError};
pub use frame::{Context, Frame, Piece};
pub use key::Key;
pub use method::{Method, Suite};
pub use set::{tables_words, Set, Tables};
pub use status::Status;
pub use values::Values;
