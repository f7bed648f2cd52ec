//! Keys as data in a device's flash: the seal behind a key, and the files that flash programmers take.

mod hex;
mod seal;
mod uf2;

pub use seal::sealed_key;
pub use uf2::{family_number, FAMILIES};

/// The form of a file for a flash programmer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageFormat {
    /// The bytes alone; whoever programs them knows the address.
    Binary,
    /// Intel HEX with 32-bit addresses.
    IntelHex,
    /// UF2 blocks of 256 bytes, with the number of a family of chips where one is named.
    Uf2 {
        /// See [`FAMILIES`].
        family: Option<u32>,
    },
}

/// An image of `data` for the flash at `address`, which 4 divides (in UF2 256, the block's length).
///
/// Errors: a text that names the allowed addresses, where the address is not one or the data would end beyond 2^32.
pub fn image(format: ImageFormat, address: u32, data: &[u8]) -> Result<Vec<u8>, String> {
    let alignment: u32 = match format {
        ImageFormat::Uf2 { .. } => 256,
        _ => 4,
    };
    if !address.is_multiple_of(alignment) {
        return Err(format!(
            "address {address:#010x}: allowed are multiples of {alignment}"
        ));
    }
    if u64::from(address) + data.len() as u64 > 1 << 32 {
        return Err(format!(
            "address {address:#010x}: {} bytes from there on end beyond 32-bit addresses; allowed is at most {:#010x}",
            data.len(),
            ((1_u64 << 32) - data.len() as u64) / u64::from(alignment) * u64::from(alignment)
        ));
    }
    Ok(match format {
        ImageFormat::Binary => data.to_vec(),
        ImageFormat::IntelHex => hex::image(address, data).into_bytes(),
        ImageFormat::Uf2 { family } => uf2::image(address, data, family),
    })
}
