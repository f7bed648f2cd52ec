//! Entropy for the C library: from the system, or in tests from the caller.

use crate::error::{DeviceError, Result};
use isopod_sys::isopod_entropy;
use std::ffi::{c_int, c_void};
use zeroize::Zeroizing;

/// Draws 32 fresh bytes.
///
/// Errors: [`DeviceError::Entropy`].
pub(crate) fn random() -> Result<Zeroizing<[u8; 32]>> {
    let mut bytes = Zeroizing::new([0; 32]);
    getrandom::fill(bytes.as_mut()).map_err(|_| DeviceError::Entropy)?;
    Ok(bytes)
}

/// The C library's entropy source, and the state that its callback reads.
pub(crate) struct EntropySource {
    entropy: isopod_entropy,
    state: State,
}

enum State {
    System,
    #[cfg(feature = "testing")]
    Fixed(Vec<u8>),
}

impl EntropySource {
    /// A source of the system's entropy.
    pub(crate) fn system() -> Self {
        Self {
            entropy: isopod_entropy {
                fill: Some(fill),
                ..isopod_entropy::default()
            },
            state: State::System,
        }
    }

    /// Takes entropy from `bytes` from now on, and fails when they are used up.
    #[cfg(feature = "testing")]
    pub(crate) fn fix(&mut self, bytes: Vec<u8>) {
        self.state = State::Fixed(bytes);
    }

    /// Address for a configuration that is used before self moves.
    pub(crate) fn pointer(&mut self) -> *mut isopod_entropy {
        self.entropy.state = (&raw mut self.state).cast();
        &raw mut self.entropy
    }
}

#[allow(unsafe_code)]
unsafe extern "C" fn fill(state: *mut c_void, out: *mut u8, length: usize) -> c_int {
    // SAFETY: the C library passes the state that it was given, and `length` writable bytes.
    let (state, out) = unsafe {
        (
            &mut *state.cast::<State>(),
            std::slice::from_raw_parts_mut(out, length),
        )
    };
    match state {
        State::System => c_int::from(getrandom::fill(out).is_err()),
        #[cfg(feature = "testing")]
        State::Fixed(bytes) if bytes.len() >= length => {
            out.copy_from_slice(&bytes[..length]);
            bytes.drain(..length);
            0
        }
        #[cfg(feature = "testing")]
        State::Fixed(_) => 1,
    }
}
