//! One encryption by the C library, of any scheme: begun, taken as bare residues or as a frame, and wiped.

use crate::error::{DeviceError, Result};
use crate::pull::{pull, PIECE};
use crate::sender::Sender;
use isopod_sys::*;
use std::ffi::c_int;

/// C function that begins an encryption from a context, a configuration, an encryptor and values.
pub(crate) type Begin<C, F, V> =
    unsafe extern "C" fn(*mut C, *const F, *const isopod_encryptor, *const V) -> c_int;
/// C function that writes the next piece of output into memory of a given length.
pub(crate) type Next<C, P> = unsafe extern "C" fn(*mut C, *mut u8, usize, *mut P) -> c_int;

/// C function that begins the frame of a context.
pub(crate) type FrameBegin<F, C> = unsafe extern "C" fn(*mut F, *mut C) -> c_int;

/// Inputs of an encryption from its encryptor: the C function that begins it, the settings, and the memory and entropy that it
/// writes to.
pub(crate) struct Job<C, F, V> {
    pub begin: Begin<C, F, V>,
    pub config: F,
    pub workspace: isopod_workspace,
    pub entropy: *mut isopod_entropy,
}

/// The C library's form of memory that stays where it is as long as the encryption.
pub(crate) fn workspace_of(memory: &mut [u64]) -> isopod_workspace {
    isopod_workspace {
        memory: memory.as_mut_ptr().cast(),
        bytes: size_of_val(memory),
    }
}

/// A context of the C library, and the calls that continue and end its encryption.
pub(crate) trait Context: Default {
    type Frame: Default;
    type Piece: Default;
    const NEXT: Next<Self, usize>;
    const ABORT: unsafe extern "C" fn(*mut Self);
    const FRAME_BEGIN: FrameBegin<Self::Frame, Self>;
    const FRAME_NEXT: Next<Self::Frame, Self::Piece>;
}

impl Context for isopod_encryption {
    type Frame = isopod_frame;
    type Piece = isopod_piece;
    const NEXT: Next<Self, usize> = isopod_encryption_next;
    const ABORT: unsafe extern "C" fn(*mut Self) = isopod_encryption_abort;
    const FRAME_BEGIN: FrameBegin<isopod_frame, Self> = isopod_frame_begin;
    const FRAME_NEXT: Next<isopod_frame, isopod_piece> = isopod_frame_next;
}

impl Context for isopod_rounded {
    type Frame = isopod_frame;
    type Piece = isopod_piece;
    const NEXT: Next<Self, usize> = isopod_rounded_next;
    const ABORT: unsafe extern "C" fn(*mut Self) = isopod_rounded_abort;
    const FRAME_BEGIN: FrameBegin<isopod_frame, Self> = isopod_rounded_frame_begin;
    const FRAME_NEXT: Next<isopod_frame, isopod_piece> = isopod_frame_next;
}

impl Context for isopod_tfhe {
    type Frame = isopod_frame;
    type Piece = usize;
    const NEXT: Next<Self, usize> = isopod_tfhe_next;
    const ABORT: unsafe extern "C" fn(*mut Self) = isopod_tfhe_abort;
    const FRAME_BEGIN: FrameBegin<isopod_frame, Self> = isopod_tfhe_frame_begin;
    const FRAME_NEXT: Next<isopod_frame, usize> = isopod_tfhe_frame_next;
}

/// An encryption that has begun. Dropping it wipes context and workspace.
pub(crate) struct Encryption<C: Context>(C);

/// Begins the sender's next encryption, gives it to `take` and wipes it. Everything that `job` and `values` point to is alive.
///
/// Errors: the status of `begin`.
#[allow(unsafe_code)]
pub(crate) fn encrypt<C: Context, F, V, T>(
    job: Job<C, F, V>,
    sender: &mut Sender<'_>,
    values: &V,
    take: impl FnOnce(&mut Encryption<C>) -> T,
) -> Result<T, c_int> {
    let mut named = sender.named();
    let encryptor = isopod_encryptor {
        workspace: job.workspace,
        entropy: job.entropy,
        sender: &raw mut named,
    };
    let mut encryption = Encryption(C::default());
    // SAFETY: job, encryptor, sender, values and all they point to outlive the encryption, which does not move.
    let status = unsafe { (job.begin)(&mut encryption.0, &job.config, &encryptor, values) };
    sender.sequence = named.sequence;
    match status {
        ISOPOD_OK => Ok(take(&mut encryption)),
        status => Err(status),
    }
}

#[allow(unsafe_code)]
impl<C: Context> Encryption<C> {
    /// Appends the ciphertext's packed words to `out`, without frame, nonce and seed.
    pub(crate) fn unframed(&mut self, out: &mut Vec<u8>) -> Result<()> {
        pull(
            &mut [0; PIECE],
            // SAFETY: a context that has begun; at most the capacity is written.
            |bytes, capacity, length| unsafe { C::NEXT(&mut self.0, bytes, capacity, length) },
            |length: usize, bytes| out.extend_from_slice(&bytes[..length]),
        )
    }

    /// Passes the pieces of an authenticated frame to `take`.
    pub(crate) fn framed(&mut self, take: impl FnMut(C::Piece, &[u8])) -> Result<()> {
        let mut frame = C::Frame::default();
        // SAFETY: the context outlives the frame.
        match unsafe { C::FRAME_BEGIN(&mut frame, &mut self.0) } {
            ISOPOD_OK => {}
            status => return Err(DeviceError::Internal(status)),
        }
        pull(
            &mut [0; PIECE],
            // SAFETY: a frame that has begun; at most the capacity is written.
            |bytes, capacity, piece| unsafe { C::FRAME_NEXT(&mut frame, bytes, capacity, piece) },
            take,
        )
    }
}

#[allow(unsafe_code)]
impl<C: Context> Drop for Encryption<C> {
    fn drop(&mut self) {
        // SAFETY: a context that has begun or failed to; the call has no effect on one that has ended.
        unsafe { C::ABORT(&mut self.0) }
    }
}
