//! The device: its name, its key and its entropy.

use core::ffi::{c_int, c_void};
use core::marker::PhantomData;
use isopod_sys::{isopod_entropy, isopod_sender, ISOPOD_FRAME_KEY_BYTES};
use rand_core::TryCryptoRng;

/// One per device, shared by all its encryptions. No two frames of a device may have the same epoch and sequence; every encryption
/// that takes entropy adds one to the sequence.
pub struct Device<'a, R> {
    sender: isopod_sender,
    entropy: isopod_entropy,
    generator: R,
    key: PhantomData<&'a [u8; ISOPOD_FRAME_KEY_BYTES]>,
}

impl<'a, R: TryCryptoRng> Device<'a, R> {
    /// A device by its number, with its starts so far as the epoch, from non-volatile memory and raised there before; the key that
    /// `isopod keygen` gave it; and a generator, which the library asks for 32 bytes once per frame. When the generator fails, all
    /// encryption is refused until the next start.
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
            },
            entropy: isopod_entropy::default(),
            generator,
            key: PhantomData,
        }
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
