//! The module's interface: memory that the caller fills, and one call.
//!
//! A list of byte strings is their number and the length of each, in words of 32 bits, little endian; then their bytes.

use zeroize::{Zeroize, Zeroizing};

use crate::calls::run;
use crate::steps::Chunks;

/// Memory for `length` bytes, until [`isopod_holders_release`].
#[no_mangle]
pub extern "C" fn isopod_holders_take(length: usize) -> *mut u8 {
    Box::leak(vec![0u8; length].into_boxed_slice()).as_mut_ptr()
}

/// Wipes memory and takes it back.
///
/// # Safety
/// Address and length are those of one call of this module, and used no more.
#[no_mangle]
pub unsafe extern "C" fn isopod_holders_release(address: *mut u8, length: usize) {
    // SAFETY: as the caller says.
    let mut bytes = unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(address, length)) };
    bytes.zeroize();
}

/// Runs a step on a list of byte strings. The result begins with its whole length, in a word; then come 0 and the list that the
/// step gives, or 1 and a list of the refusal alone.
///
/// # Safety
/// Address and length are those of [`isopod_holders_take`].
#[no_mangle]
pub unsafe extern "C" fn isopod_holders_run(address: *const u8, length: usize) -> *mut u8 {
    // SAFETY: as the caller says.
    let bytes = unsafe { std::slice::from_raw_parts(address, length) };
    let done = match split(bytes) {
        Some(chunks) => run(&chunks),
        None => Err("call: not a list of byte strings".to_owned().into()),
    };
    let (status, chunks) = match done {
        Ok(chunks) => (0, chunks),
        Err(refusal) => (1, vec![Zeroizing::new(refusal.json())]),
    };
    let result = join(status, &chunks);
    Box::leak(result.into_boxed_slice()).as_mut_ptr()
}

fn split(bytes: &[u8]) -> Option<Vec<&[u8]>> {
    let word = |at: usize| {
        let bytes = bytes.get(at..at + 4)?.try_into().ok()?;
        Some(u32::from_le_bytes(bytes) as usize)
    };
    let count = word(0)?;
    let mut at = 4 + 4 * count;
    (0..count)
        .map(|number| {
            let length = word(4 + 4 * number)?;
            let chunk = bytes.get(at..at + length)?;
            at += length;
            Some(chunk)
        })
        .collect()
}

fn join(status: u32, chunks: &Chunks) -> Vec<u8> {
    let data: usize = chunks.iter().map(|chunk| chunk.len()).sum();
    let length = 12 + 4 * chunks.len() + data;
    // Its whole capacity, so that growth leaves no copy behind.
    let mut bytes = Vec::with_capacity(length);
    let mut word = |number: usize| bytes.extend_from_slice(&(number as u32).to_le_bytes());
    word(length);
    word(status as usize);
    word(chunks.len());
    chunks.iter().for_each(|chunk| word(chunk.len()));
    chunks
        .iter()
        .for_each(|chunk| bytes.extend_from_slice(chunk));
    bytes
}
