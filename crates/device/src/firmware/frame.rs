//! One frame as bytes: piece by piece, or to a writer.

use super::error::{Refusal, SendError};
use super::method::Method;
use super::status::Status;
use super::values::Reader;
use core::marker::PhantomData;
use isopod_sys::*;

/// Bytes on the stack of [`Frame::write_to`].
const PIECE: usize = 256;

/// Memory of one frame in progress: about 450 bytes on a 32-bit machine.
#[derive(Default)]
pub struct Context {
    pub(super) config: isopod_encryption_config,
    pub(super) encryptor: isopod_encryptor,
    pub(super) rounding: isopod_rounding,
    pub(super) encryption: isopod_rounded,
    pub(super) frame: isopod_frame,
    pub(super) reader: Reader<'static>,
}

impl Context {
    /// Empty memory.
    pub fn new() -> Self {
        Self::default()
    }
}

/// A frame in progress. Dropping it wipes context and workspace; the frame then cannot be finished.
pub struct Frame<'a> {
    context: *mut Context,
    method: Method,
    borrows: PhantomData<&'a mut Context>,
}

/// Bytes of a frame, which never cross the end of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece {
    /// Bytes written.
    pub length: usize,
    /// Number of the part that they belong to.
    pub part: u8,
    /// Whether they complete the part.
    pub completes_part: bool,
}

#[allow(unsafe_code)]
impl<'a> Frame<'a> {
    /// A frame of a context that has begun, or failed to.
    ///
    /// # Safety
    ///
    /// The context and all that it points to are borrowed for 'a.
    pub(super) unsafe fn new(context: *mut Context, method: Method) -> Self {
        Self {
            context,
            method,
            borrows: PhantomData,
        }
    }

    /// Begins the frame of the encryption.
    pub(super) fn seal(&mut self) -> Result<(), Status> {
        // SAFETY: a context that has begun and does not move.
        let status = unsafe {
            let context = self.context;
            (self.method.frame_begin)(&raw mut (*context).frame, &raw mut (*context).encryption)
        };
        Status::checked(status).map(|_| ())
    }

    /// The status, with the number of the value that it is about.
    pub(super) fn refusal(&self, status: Status) -> Refusal {
        let is_about_value = matches!(status, Status::NotFinite | Status::ValueRange);
        // SAFETY: the context is alive; each kind of encryption writes a member of its own.
        let refused = unsafe {
            match self.method.rounded.is_null() {
                true => (*self.context).encryption.encryption.refused,
                false => (*self.context).encryption.refused,
            }
        };
        Refusal {
            status,
            value: is_about_value.then_some(refused),
        }
    }

    /// Values that the clamp changed.
    pub fn clamped(&self) -> u32 {
        // SAFETY: the context is alive.
        unsafe { (*self.context).encryption.encryption.clamped }
    }

    /// Length of the part whose bytes come next, for prefixes and buffers; 0 after the last.
    pub fn part_bytes(&self) -> usize {
        // SAFETY: a frame that has begun.
        unsafe { isopod_frame_part_bytes(&raw const (*self.context).frame) }
    }

    /// Writes the next bytes into `out`, at least one; none after the last.
    ///
    /// Errors: [`Status::Capacity`] for no room; [`Status::NotFinite`] and [`Status::ValueRange`] of a value that was asked for
    /// only now, and [`Status::State`] from then on.
    pub fn next_piece(&mut self, out: &mut [u8]) -> Result<Option<Piece>, Refusal> {
        let mut piece = isopod_piece::default();
        // SAFETY: a frame that has begun; at most the length is written.
        let status = unsafe {
            isopod_frame_next(
                &raw mut (*self.context).frame,
                out.as_mut_ptr(),
                out.len(),
                &mut piece,
            )
        };
        match Status::checked(status) {
            Ok(true) => Ok(None),
            Ok(false) => Ok(Some(Piece {
                length: piece.length,
                part: piece.part,
                completes_part: piece.part_complete != 0,
            })),
            Err(status) => Err(self.refusal(status)),
        }
    }

    /// Writes the whole frame and flushes; the number of its bytes. The bytes go over the stack, 256 at a time.
    ///
    /// Errors: the writer's own, after which the frame is given up and wiped; those of [`Frame::next_piece`].
    pub fn write_to<W: embedded_io::Write>(
        mut self,
        out: &mut W,
    ) -> Result<usize, SendError<W::Error>> {
        let (mut buffer, mut total) = ([0; PIECE], 0);
        while let Some(piece) = self
            .next_piece(&mut buffer)
            .map_err(SendError::Encryption)?
        {
            out.write_all(&buffer[..piece.length])
                .map_err(SendError::Write)?;
            total += piece.length;
        }
        out.flush().map_err(SendError::Write)?;
        Ok(total)
    }
}

#[allow(unsafe_code)]
impl Drop for Frame<'_> {
    fn drop(&mut self) {
        // SAFETY: a context that has begun or failed to; the call has no effect on one that has ended.
        unsafe { (self.method.abort)(&raw mut (*self.context).encryption) }
    }
}
