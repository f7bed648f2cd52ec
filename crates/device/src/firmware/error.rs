//! Errors: a status of the library with the value it is about, or a writer's own.

use super::status::Status;
use core::ffi::CStr;
use core::fmt;
use isopod_sys::{isopod_status_text, ISOPOD_DONE, ISOPOD_OK};

impl Status {
    /// The error of a code of the C library.
    pub fn of(code: i32) -> Option<Self> {
        let found = Self::ALL.iter().find(|status| status.code() == code);
        found.copied()
    }

    /// The C library's code.
    pub const fn code(self) -> i32 {
        self as i32
    }

    /// Where to look, what happened, what is allowed and what to do. Its strings, 5 KB, are linked only if they are used.
    #[allow(unsafe_code)]
    pub fn text(self) -> &'static str {
        // SAFETY: the C library gives a string literal for every status.
        let text = unsafe { CStr::from_ptr(isopod_status_text(self.code())) };
        text.to_str().unwrap_or_default()
    }

    /// Whether a call succeeded; true after the last piece of an output.
    pub(super) fn checked(code: i32) -> Result<bool, Self> {
        match code {
            ISOPOD_OK => Ok(false),
            ISOPOD_DONE => Ok(true),
            // Every code that is no success is in the list, which is generated with the library's.
            code => Err(Self::of(code).unwrap_or(Self::State)),
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.text())
    }
}

impl core::error::Error for Status {}

/// An encryption that was refused; nothing was output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refusal {
    /// The cause.
    pub status: Status,
    /// Number of the first value that is not finite or too large; absent where another cause has.
    pub value: Option<u32>,
}

impl fmt::Display for Refusal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.value {
            Some(number) => write!(out, "value number {number}: {}", self.status),
            None => self.status.fmt(out),
        }
    }
}

impl core::error::Error for Refusal {}

/// A frame that did not leave as a whole. What left of it is useless, and its number is spent: the values are encrypted anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SendError<E> {
    /// The writer failed.
    Write(E),
    /// The library refused a value that a callback gave, or found a fault.
    Encryption(Refusal),
}

impl<E: fmt::Debug> fmt::Display for SendError<E> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Write(error) => write!(out, "the frame was not sent: {error:?}"),
            Self::Encryption(refusal) => refusal.fmt(out),
        }
    }
}

impl<E: fmt::Debug> core::error::Error for SendError<E> {}
