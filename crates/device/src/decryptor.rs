//! Decrypt + decode, as a device does it.

use crate::tables::SetTables;
use crate::{ffi, ffi_decrypt, DeviceError, Result};
use isopod_share::Private;
use isopod_wire::{pack, EncryptedResult, KeyBlob, ParameterSet, Scheme};
use std::ffi::c_int;
use zeroize::Zeroizing;

mod unauthenticated;

/// The most primes that a result may have left.
const MOST_PRIMES: usize = 3;
/// Bits of the coefficients (log2 of scale times bound) that 64-bit words hold far more exactly than noise leaves them.
const EXACT_BITS: i32 = 57;
/// What values may reach at any scale, where the modulus has room: 2 to this.
const LEAST_BOUND: i32 = 8;

/// Decrypts results under one secret key. Holds the key, the set's tables and the C library's workspace, which is wiped
/// after every decryption; not `Sync`, since one decryption runs at a time.
pub struct Decryptor {
    set: &'static ParameterSet,
    tables: SetTables,
    /// Leads into `blob`, which never moves on the heap.
    key: ffi::Key,
    blob: Zeroizing<Vec<u64>>,
    workspace: Vec<u64>,
}

impl Decryptor {
    /// Opens a secret key blob, ternary or in NTT form, and builds the tables of its set.
    ///
    /// Errors: a malformed or damaged blob, an unknown set, a public key.
    #[allow(unsafe_code)]
    pub fn new(blob: &[u8]) -> Result<Self> {
        let set = KeyBlob::read(blob)?.params;
        let mut decryptor = Self {
            set,
            tables: SetTables::build(set)?,
            key: ffi::Key {
                params: std::ptr::null(),
                method: std::ptr::null(),
                blob: std::ptr::null(),
                kind: 0,
            },
            blob: crate::encryptor::words_of(blob),
            workspace: vec![
                0;
                set.ring_degree * (MOST_PRIMES + 1) / if set.is_wide() { 1 } else { 2 }
            ],
        };
        // SAFETY: the blob's words live in self, as long as the key, and are never changed.
        let status = unsafe {
            if set.is_wide() {
                ffi_decrypt::isopod_wide_decryption_key_open(
                    &mut decryptor.key,
                    decryptor.tables.params,
                    decryptor.blob.as_ptr(),
                    blob.len(),
                )
            } else {
                ffi_decrypt::isopod_decryption_key_open(
                    &mut decryptor.key,
                    decryptor.tables.params,
                    decryptor.blob.as_ptr().cast(),
                    blob.len(),
                )
            }
        };
        match status {
            ffi::OK => Ok(decryptor),
            other => Err(decryptor.error(other, 0)),
        }
    }

    /// The set of the key.
    pub fn params(&self) -> &'static ParameterSet {
        self.set
    }

    /// Opens a sealed result (spec/wire.md, section 3) of CKKS with the C library's own parser and decrypts it: the values
    /// of its slots, all within 2^log2_bound.
    ///
    /// Errors: [`DeviceError::Authentication`] for whatever was not sealed under this link key;
    /// [`DeviceError::ResultFormat`]; [`DeviceError::ResultLevel`]; and those of [`Decryptor::decrypt`].
    pub fn decrypt_sealed(
        &mut self,
        item: &[u8],
        link_key: &[u8; 32],
        log2_bound: i8,
    ) -> Result<Private<Vec<f64>>> {
        self.open_sealed(item, link_key, log2_bound)
            .map(Private::new)
    }

    /// As [`Decryptor::decrypt_sealed`], of BFV: exact, from -(t-1)/2 to (t-1)/2.
    ///
    /// Errors: as there, and those of [`Decryptor::decrypt_integers`].
    pub fn decrypt_integers_sealed(
        &mut self,
        item: &[u8],
        link_key: &[u8; 32],
    ) -> Result<Vec<i32>> {
        self.open_sealed(item, link_key, 0)
    }

    /// Decrypts a result of CKKS that [`isopod_wire::Envelope`] has authenticated: the values of its slots. `log2_bound`: no
    /// value's magnitude exceeds 2^log2_bound; None for the largest
    /// that costs no precision beside the noise of any ciphertext. Of more than three primes the first three are read,
    /// which hold every value within the bound.
    ///
    /// Errors: [`DeviceError::OtherValues`] for integers; [`DeviceError::KeySet`] for a result of another key;
    /// [`DeviceError::ResultBound`], [`DeviceError::DecodeBound`].
    pub fn decrypt(
        &mut self,
        result: &EncryptedResult,
        log2_bound: Option<i8>,
    ) -> Result<Private<Vec<f64>>> {
        let log2_bound = log2_bound.unwrap_or_else(|| self.roomiest(result));
        let primes = result.c0.len().min(MOST_PRIMES);
        self.open_parsed(result, primes, log2_bound)
            .map(Private::new)
    }

    /// As [`Decryptor::decrypt`], of BFV at one to three primes: exact, from -(t-1)/2 to (t-1)/2. What this says is for the
    /// owner only: failures betray the key to whoever chooses ciphertexts.
    ///
    /// Errors: [`DeviceError::OtherValues`] for real numbers; [`DeviceError::KeySet`]; [`DeviceError::ResultLevel`];
    /// [`DeviceError::ResultNoise`].
    pub fn decrypt_integers(&mut self, result: &EncryptedResult) -> Result<Vec<i32>> {
        self.open_parsed(result, result.c0.len(), 0)
    }

    #[allow(unsafe_code)]
    fn open_sealed<T: Decoded>(
        &mut self,
        item: &[u8],
        link_key: &[u8; 32],
        log2_bound: i8,
    ) -> Result<Vec<T>> {
        // SAFETY: plain data, for which zeroes are a valid value.
        let mut result: ffi_decrypt::SealedResult = unsafe { std::mem::zeroed() };
        // SAFETY: the item and the key are as long as is said, and outlive the result.
        let status = unsafe {
            ffi_decrypt::isopod_result_open(
                &mut result,
                self.tables.params,
                link_key.as_ptr(),
                item.as_ptr(),
                item.len(),
            )
        };
        if status != ffi::OK {
            return Err(self.error(status, log2_bound));
        }
        let count = result.answer.count;
        self.run(log2_bound, count, |context, config, out| {
            // SAFETY: everything outlives the call.
            unsafe { ffi_decrypt::isopod_decrypt_result(context, config, &result, out) }
        })
    }

    #[allow(unsafe_code)]
    fn open_parsed<T: Decoded>(
        &mut self,
        result: &EncryptedResult,
        primes: usize,
        log2_bound: i8,
    ) -> Result<Vec<T>> {
        if result.params.set_id != self.set.set_id || result.key_id != self.key_id() {
            return Err(DeviceError::KeySet(self.set.name));
        }
        if result.c0.len() != result.c1.len() {
            return Err(DeviceError::ResultFormat);
        }
        if !(1..=MOST_PRIMES.min(self.set.data_primes.len())).contains(&primes) {
            return Err(self.error(LEVEL, log2_bound));
        }
        let sides = [&result.c0, &result.c1].map(|side| self.packed(&side[..primes]));
        let answer = ffi_decrypt::Answer {
            scale: result.scale.to_bits(),
            first: result.first,
            step: result.step,
            count: result.count,
            primes: primes as u8,
        };
        self.run(log2_bound, answer.count, |context, config, out| {
            // SAFETY: everything outlives the calls, and each side is as long as is said.
            unsafe {
                let mut status =
                    ffi_decrypt::isopod_decrypt_unauthenticated_begin(context, config, &answer);
                for side in &sides {
                    if status == ffi::OK {
                        status = ffi_decrypt::isopod_decrypt_unauthenticated_feed(
                            context,
                            side.as_ptr(),
                            side.len(),
                        );
                    }
                }
                match status {
                    ffi::OK => ffi_decrypt::isopod_decrypt_unauthenticated_finish(context, out),
                    other => other,
                }
            }
        })
    }

    fn key_id(&self) -> [u8; 16] {
        let mut id = [0; 16];
        for (bytes, word) in id.chunks_mut(8).zip(&self.blob[3..5]) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        id
    }

    fn packed(&self, polynomials: &[Vec<u64>]) -> Vec<u8> {
        let primes = self.set.data_primes.iter();
        let packed = polynomials.iter().zip(primes);
        packed
            .flat_map(|(polynomial, prime)| pack(64 - prime.leading_zeros(), polynomial))
            .collect()
    }

    fn roomiest(&self, result: &EncryptedResult) -> i8 {
        let most = result.c0.len().min(MOST_PRIMES);
        let primes = self.set.data_primes.iter().take(most);
        let bits: u32 = primes.map(|prime| 64 - prime.leading_zeros()).sum();
        let log2_scale = result.scale.log2().ceil() as i32;
        let wanted = EXACT_BITS.max(log2_scale + LEAST_BOUND);
        (wanted.min(bits as i32 - 2) - log2_scale).clamp(-60, 57) as i8
    }

    /// One decryption into `count` values, wiped however it ends.
    #[allow(unsafe_code)]
    fn run<T: Decoded>(
        &mut self,
        log2_bound: i8,
        count: u32,
        decrypt: impl Call,
    ) -> Result<Vec<T>> {
        if self.set.scheme() != T::SCHEME {
            return Err(DeviceError::OtherValues {
                set: self.set.name,
                scheme: self.set.scheme().name(),
            });
        }
        let slots = u32::try_from(self.set.slots()).unwrap_or(u32::MAX);
        let mut values = vec![T::default(); count.min(slots) as usize];
        let config = ffi_decrypt::Config {
            params: self.tables.params,
            tables: &self.tables.tables,
            key: &self.key,
            decoder: decoder_of(self.set),
            workspace: self.workspace.as_mut_ptr().cast(),
            workspace_bytes: self.workspace.len() * 8,
            log2_bound,
            layout: 0,
        };
        let out = ffi_decrypt::Decoded {
            data: values.as_mut_ptr().cast(),
            capacity: values.len() as u32,
            kind: T::KIND,
        };
        // SAFETY: plain data, for which zeroes are a valid value.
        let mut context: ffi_decrypt::Decrypt = unsafe { std::mem::zeroed() };
        let status = decrypt(&mut context, &config, &out);
        // SAFETY: a context that begun or is empty; harmless after its end.
        unsafe { ffi_decrypt::isopod_decrypt_abort(&mut context) };
        match status {
            ffi::OK => Ok(values),
            other => Err(self.error(other, log2_bound)),
        }
    }

    fn error(&self, status: c_int, log2_bound: i8) -> DeviceError {
        let set = self.set;
        match status {
            -1 => DeviceError::Parameters,
            -4 | -5 => DeviceError::DecodeBound { log2_bound },
            -7 | -32 => DeviceError::ResultFormat,
            -11 => DeviceError::KeyFormat,
            -12 => DeviceError::KeySet(set.name),
            -13 => DeviceError::KeyKind("secret"),
            -31 => DeviceError::Authentication,
            LEVEL => DeviceError::ResultLevel {
                set: set.name,
                max: set.data_primes.len().min(MOST_PRIMES),
            },
            -35 => DeviceError::Residue,
            -36 if set.scheme() == Scheme::Bfv => DeviceError::ResultNoise,
            -36 => DeviceError::ResultBound { log2_bound },
            other => DeviceError::Internal(other),
        }
    }
}

/// What values are decoded to.
trait Decoded: Copy + Default {
    const SCHEME: Scheme;
    const KIND: c_int;
}

impl Decoded for f64 {
    const SCHEME: Scheme = Scheme::Ckks;
    const KIND: c_int = ffi::VALUES_FLOAT64;
}

impl Decoded for i32 {
    const SCHEME: Scheme = Scheme::Bfv;
    const KIND: c_int = ffi::VALUES_INT32;
}

fn decoder_of(set: &ParameterSet) -> *const ffi_decrypt::Decoder {
    match (set.scheme(), set.is_wide()) {
        (Scheme::Ckks, false) => &raw const ffi_decrypt::isopod_ckks_decode,
        (Scheme::Ckks, true) => &raw const ffi_decrypt::isopod_wide_ckks_decode,
        (Scheme::Bfv, false) => &raw const ffi_decrypt::isopod_bfv_decode,
        (Scheme::Bfv, true) => &raw const ffi_decrypt::isopod_wide_bfv_decode,
    }
}

/// What runs between the setting up of a context and its end.
trait Call:
    FnOnce(&mut ffi_decrypt::Decrypt, &ffi_decrypt::Config, &ffi_decrypt::Decoded) -> c_int
{
}

impl<F> Call for F where
    F: FnOnce(&mut ffi_decrypt::Decrypt, &ffi_decrypt::Config, &ffi_decrypt::Decoded) -> c_int
{
}

/// ISOPOD_ERROR_LEVEL
const LEVEL: c_int = -33;
