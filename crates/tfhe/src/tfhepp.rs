//! Files that fill `TRLWE<lvl1param>`, `TLWE<lvl1param>` and keys of TFHEpp (`[TFHEPP21]`): little endian, no header, no padding.

use isopod_wire::TfheFrame;

use crate::extract::Windows;
use crate::{frame_mask, Error, Result};

/// Ring degree N of TFHEpp's `lvl1param`.
pub const TFHEPP_DEGREE: usize = 1024;

/// One ring ciphertext of up to 1024 bits, q = 2^32: bit 1 is +2^29, bit 0 is -2^29.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tfhepp {
    mask: Vec<u32>,
    /// 1024 words; those from `used` on are zero.
    body: Vec<u32>,
    used: usize,
}

fn length(field: &'static str, found: usize, allowed: impl ToString) -> Error {
    Error::Length {
        field,
        found,
        allowed: allowed.to_string(),
    }
}

impl Tfhepp {
    /// Converts an authenticated frame of a set with N = 1024, q = 2^32.
    ///
    /// Errors: a frame of another ring.
    pub fn from_frame(frame: &TfheFrame) -> Result<Self> {
        let params = frame.header.params;
        if (params.ring_degree, params.log2_modulus) != (TFHEPP_DEGREE, 32) {
            return Err(Error::OutOfRange {
                field: "set",
                value: params.name.to_owned(),
                allowed: "a set with N = 1024 and q = 2^32".to_owned(),
            });
        }
        let narrow = |word: u64| word as u32;
        let used = frame.bodies.len();
        let mut body: Vec<u32> = frame.bodies.iter().copied().map(narrow).collect();
        body.resize(TFHEPP_DEGREE, 0);
        let mask = frame_mask(frame).into_iter().map(narrow).collect();
        Ok(Self { mask, body, used })
    }

    /// Reads a `TRLWE<lvl1param>` whose first `used` coefficients carry bits.
    ///
    /// Errors: a length other than 8192 bytes, or more than 1024 coefficients.
    pub fn from_trlwe(bytes: &[u8], used: usize) -> Result<Self> {
        if bytes.len() != 8 * TFHEPP_DEGREE {
            return Err(length("TRLWE", bytes.len(), "8192 bytes"));
        }
        if used > TFHEPP_DEGREE {
            return Err(length("coefficients", used, "at most 1024"));
        }
        let word = |chunk: &[u8]| u32::from_le_bytes([chunk[0], chunk[1], chunk[2], chunk[3]]);
        let mut mask: Vec<u32> = bytes.chunks_exact(4).map(word).collect();
        let body = mask.split_off(TFHEPP_DEGREE);
        Ok(Self { mask, body, used })
    }

    /// Number of coefficients that carry bits.
    pub fn used(&self) -> usize {
        self.used
    }

    /// Writes a `TRLWE<lvl1param>`: a_0 .. a_1023, b_0 .. b_1023; 8192 bytes. Unused coefficients have a body of zero.
    pub fn trlwe(&self) -> Vec<u8> {
        let words = self.mask.iter().chain(&self.body);
        words.flat_map(|word| word.to_le_bytes()).collect()
    }

    /// Writes a `TLWE<lvl1param>` per chosen coefficient: 1024 mask words, then the body; 4100 bytes each.
    ///
    /// Errors: a coefficient that carries nothing.
    pub fn tlwe(&self, coefficients: impl IntoIterator<Item = usize>) -> Result<Vec<u8>> {
        let windows = Windows::of_ring(&self.mask);
        let mut rows = Vec::new();
        for at in coefficients {
            if at >= self.used {
                return Err(Error::OutOfRange {
                    field: "coefficient",
                    value: at.to_string(),
                    allowed: format!("0 to {}", self.used.saturating_sub(1)),
                });
            }
            let row = windows.row(at).iter().chain([&self.body[at]]);
            rows.extend(row.flat_map(|word| word.to_le_bytes()));
        }
        Ok(rows)
    }

    /// Writes a `lvl1param` key: 1024 signed 32-bit words of -1, 0 or 1. The caller wipes it.
    ///
    /// Errors: a number of coefficients other than 1024, or one that is not ternary; its position is not told.
    pub fn key(coefficients: &[i8]) -> Result<Vec<u8>> {
        if coefficients.len() != TFHEPP_DEGREE {
            return Err(length("secret key", coefficients.len(), TFHEPP_DEGREE));
        }
        // Reads all of them, so that the time depends on no value.
        if coefficients
            .iter()
            .filter(|value| !(-1..=1).contains(*value))
            .count()
            > 0
        {
            return Err(Error::Key(
                "a coefficient is not ternary; allowed are -1, 0 and 1",
            ));
        }
        // The capacity is exact, so that growth leaves no copy of a secret behind.
        let mut file = Vec::with_capacity(4 * TFHEPP_DEGREE);
        for &value in coefficients {
            file.extend_from_slice(&i32::from(value).to_le_bytes());
        }
        Ok(file)
    }
}
