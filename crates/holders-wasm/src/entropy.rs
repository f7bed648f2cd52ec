//! Entropy of the page, for both generations of the crate that asks for it.

use std::num::NonZeroU32;

#[link(wasm_import_module = "isopod")]
extern "C" {
    /// Fills memory with entropy; 0 if there was enough.
    fn entropy(address: *mut u8, length: usize) -> u32;
}

/// Any code that is not one of the operating system.
const FAILED: NonZeroU32 = NonZeroU32::MIN;

#[no_mangle]
unsafe extern "Rust" fn __getrandom_v03_custom(
    address: *mut u8,
    length: usize,
) -> Result<(), getrandom::Error> {
    // SAFETY: the caller's memory, for writing.
    match unsafe { entropy(address, length) } {
        0 => Ok(()),
        _ => Err(getrandom::Error::new_custom(FAILED.get() as u16)),
    }
}

fn below_age(bytes: &mut [u8]) -> Result<(), getrandom_below_age::Error> {
    // SAFETY: memory of this module, for writing.
    match unsafe { entropy(bytes.as_mut_ptr(), bytes.len()) } {
        0 => Ok(()),
        _ => {
            let code = getrandom_below_age::Error::CUSTOM_START | FAILED.get();
            Err(NonZeroU32::new(code).unwrap_or(FAILED).into())
        }
    }
}

getrandom_below_age::register_custom_getrandom!(below_age);
