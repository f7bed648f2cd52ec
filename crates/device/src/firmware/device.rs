//! The device: its name, its key and its entropy.

use super::status::Status;
use core::ffi::{c_int, c_void};
use core::marker::PhantomData;
use isopod_sys::*;
use rand_core::TryCryptoRng;

/// One per device, shared by all its encryptions. No two frames of a device may have the same epoch and sequence; every
/// encryption that takes entropy adds one to the sequence.
pub struct Device<'a, R> {
    sender: isopod_sender,
    entropy: isopod_entropy,
    generator: R,
    key: PhantomData<&'a [u8; ISOPOD_FRAME_KEY_BYTES]>,
}

impl<'a, R: TryCryptoRng> Device<'a, R> {
    /// A device by its number, with its starts so far as the epoch, from non-volatile memory and raised there before; the key
    /// that `isopod keygen` gave it; and a generator, which the library asks for 32 bytes once per frame. When the generator
    /// fails, all encryption is refused until the next start.
    pub fn new(
        number: u64,
        epoch: u32,
        key: &'a [u8; ISOPOD_FRAME_KEY_BYTES],
        generator: R,
    ) -> Self {
        Self {
            sender: isopod_sender {
                device: number,
                epoch,
                sequence: 0,
                key: key.as_ptr(),
                ..isopod_sender::default()
            },
            entropy: isopod_entropy::default(),
            generator,
            key: PhantomData,
        }
    }

    /// A device by its file `frame.key` (spec/wire.md, section 5), whose key stays where it is.
    ///
    /// Errors: [`Status::KeyFormat`] for other bytes; that the key is the owner's, the server says.
    pub fn from_file(file: &'a [u8], epoch: u32, generator: R) -> Result<Self, Status> {
        let (number, key) = read(file).ok_or(Status::KeyFormat)?;
        Ok(Self::new(number, epoch, key, generator))
    }

    /// Number of the device.
    pub fn number(&self) -> u64 {
        self.sender.device
    }

    /// Sequence number of the next frame.
    pub fn sequence(&self) -> u64 {
        self.sender.sequence
    }

    /// Addresses for one encryption, within which self does not move.
    pub(super) fn pointers(&mut self) -> (*mut isopod_sender, *mut isopod_entropy) {
        self.entropy.fill = Some(fill::<R>);
        self.entropy.state = (&raw mut self.generator).cast();
        (&raw mut self.sender, &raw mut self.entropy)
    }
}

/// Number and key of a device's file: CBOR [2, 50, key_id, number, frame key, digest].
fn read(file: &[u8]) -> Option<(u64, &[u8; ISOPOD_FRAME_KEY_BYTES])> {
    const BEFORE: [u8; 5] = [0x86, 2, 0x18, 50, 0x50];
    let number = file.strip_prefix(&BEFORE)?.get(ISOPOD_KEY_ID_BYTES..)?;
    let (first, after) = number.split_first()?;
    let (number, after) = match *first {
        number @ 0..24 => (u64::from(number), after),
        head @ 24..28 => {
            let (bytes, after) = after.split_at_checked(1 << (head - 24))?;
            let add = |number, byte: &u8| number << 8 | u64::from(*byte);
            (bytes.iter().fold(0, add), after)
        }
        _ => return None,
    };
    let (key, digest) = after.strip_prefix(&[0x58, 32])?.split_first_chunk()?;
    let is_whole = digest.len() == 2 + ISOPOD_DIGEST_BYTES && digest.starts_with(&[0x58, 32]);
    is_whole.then_some((number, key))
}

#[allow(unsafe_code)]
unsafe extern "C" fn fill<R: TryCryptoRng>(
    state: *mut c_void,
    out: *mut u8,
    length: usize,
) -> c_int {
    // SAFETY: the C library passes the state that it was given, and `length` writable bytes.
    let (generator, out) = unsafe {
        out.write_bytes(0, length);
        (
            &mut *state.cast::<R>(),
            core::slice::from_raw_parts_mut(out, length),
        )
    };
    c_int::from(generator.try_fill_bytes(out).is_err())
}
