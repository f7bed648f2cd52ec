//! Decryption and decoding of CKKS and BFV results by the C library (`spec/decryption.md`), at one to three primes.

use crate::decrypt::decryption::{decrypt, open_result, Ciphertext, Decoded};
use crate::decrypt::verifier::Verifier;
use crate::encrypt::encryption::workspace_of;
use crate::error::{DeviceError, Result};
use crate::key::OpenedKey;
use crate::tables::SetTables;
use crate::word::Word;
use isopod_linear::{Machine, Ring};
use isopod_share::Private;
use isopod_sys::*;
use isopod_wire::{pack, Decoding, EncryptedResult, KeyBlob, KeyId, Layout, ParameterSet, Scheme};
use std::ffi::c_int;

/// Most primes that a result may have left.
const MOST_PRIMES: usize = ISOPOD_DECRYPT_PRIMES;
const _: () = assert!(Decoding::PRIMES == MOST_PRIMES);

/// Decryptor of results under one secret key. Holds the key, the set's tables and the C library's workspace, 16n bytes for
/// ring degree n (32n for 64-bit words), which is wiped after every decryption; not `Sync`, since one decryption runs at a
/// time.
pub struct Decryptor {
    set: &'static ParameterSet,
    key_id: KeyId,
    tables: SetTables,
    key: OpenedKey<isopod_key>,
    decoder: *const isopod_decoder,
    verifier: Option<Verifier>,
    workspace: Vec<u64>,
}

impl Decryptor {
    /// Opens a secret key blob, ternary or in NTT form, and builds the tables of its set.
    ///
    /// Errors: [`DeviceError::Wire`] and [`DeviceError::KeyFormat`] for a malformed or damaged blob; [`DeviceError::KeyKind`]
    /// for a public key; [`DeviceError::Parameters`] for a set unknown to the C library.
    pub fn new(blob: &[u8]) -> Result<Self> {
        let read = KeyBlob::read(blob)?;
        match read.params.word_bytes() {
            8 => Self::open::<u64>(&read, blob),
            _ => Self::open::<u32>(&read, blob),
        }
    }

    fn open<W: Word>(read: &KeyBlob<'_>, blob: &[u8]) -> Result<Self> {
        let set = read.params;
        let tables = SetTables::build(set)?;
        let key = OpenedKey::open(W::CALLS.decryption_key_open, tables.params, blob)
            .map_err(|status| error(set, status, 0))?;
        let workspace_bytes =
            ISOPOD_WORKSPACE_OWNER_BYTES + set.ring_degree * (MOST_PRIMES + 1) * size_of::<W>();
        Ok(Self {
            set,
            key_id: read.key_id,
            tables,
            key,
            decoder: match set.scheme() {
                Scheme::Ckks => W::CALLS.ckks_decode,
                Scheme::Bfv => W::CALLS.bfv_decode,
            },
            verifier: None,
            workspace: vec![0; workspace_bytes / 8],
        })
    }

    /// The decryptor that takes sealed results with linear tags of this group and period alone, and gives their values only if
    /// the tags prove them, as a device does (`isopod/linear_verifier.h`).
    ///
    /// Errors: [`DeviceError::KeyKind`] for a key that is not ternary.
    pub fn with_verifier(self, group: u32, period: u32) -> Result<Self> {
        let verifier = Verifier::open(self.key.pointer(), group, period)
            .map_err(|status| error(self.set, status, 0))?;
        Ok(Self {
            verifier: Some(verifier),
            ..self
        })
    }

    /// The set of the key.
    pub fn params(&self) -> &'static ParameterSet {
        self.set
    }

    /// Opens a sealed result of CKKS (spec/wire.md, section 3) with the C library's own parser and decrypts it: the values
    /// of its slots or coefficients, all within 2^log2_bound.
    ///
    /// Errors: [`DeviceError::Authentication`] for an item that was not sealed under this link key;
    /// [`DeviceError::ResultFormat`]; [`DeviceError::ResultLevel`]; [`DeviceError::NoProof`], [`DeviceError::Unproved`]; and
    /// those of [`Decryptor::decrypt`].
    pub fn decrypt_sealed(
        &mut self,
        item: &[u8],
        link_key: &[u8; 32],
        log2_bound: i8,
    ) -> Result<Private<Vec<f64>>> {
        self.open_sealed(item, link_key, log2_bound)
            .map(Private::new)
    }

    /// Decrypts a sealed result of BFV exactly, like [`Decryptor::decrypt_sealed`]; values are from -(t-1)/2 to (t-1)/2.
    ///
    /// Errors: those of [`Decryptor::decrypt_sealed`] and [`Decryptor::decrypt_integers`].
    pub fn decrypt_integers_sealed(
        &mut self,
        item: &[u8],
        link_key: &[u8; 32],
    ) -> Result<Vec<i32>> {
        self.open_sealed(item, link_key, 0)
    }

    /// Decrypts a result of CKKS that [`isopod_wire::Envelope`] has authenticated: the values of its slots, of magnitude at most
    /// 2^log2_bound; None stands for the largest bound that costs no precision beside the noise of any ciphertext, and for one
    /// that the result's own bound needs. If more than three primes are left, the first three are read, which hold every value
    /// within the bound.
    ///
    /// Errors: [`DeviceError::OtherValues`] for integers; [`DeviceError::KeySet`] for a result of another key;
    /// [`DeviceError::ResultBound`], [`DeviceError::DecodeBound`].
    pub fn decrypt(
        &mut self,
        result: &EncryptedResult,
        log2_bound: Option<i8>,
    ) -> Result<Private<Vec<f64>>> {
        // The C library refuses any bound at a scale that has none.
        let widest = || result.decoding().map_or(0, |of| of.log2_bound());
        let log2_bound = log2_bound.unwrap_or_else(widest);
        let primes = result.primes().min(MOST_PRIMES);
        self.open_parsed(result, primes, log2_bound)
            .map(Private::new)
    }

    /// Decrypts an authenticated result of BFV at one to three primes exactly; values are from -(t-1)/2 to (t-1)/2. Values and
    /// errors are for the owner only: failures betray the key to whoever chooses ciphertexts.
    ///
    /// Errors: [`DeviceError::OtherValues`] for real numbers; [`DeviceError::KeySet`]; [`DeviceError::ResultLevel`];
    /// [`DeviceError::ResultNoise`].
    pub fn decrypt_integers(&mut self, result: &EncryptedResult) -> Result<Vec<i32>> {
        self.open_parsed(result, result.primes(), 0)
    }

    /// Decrypts packed residues of CKKS whose origin nobody checked: `sides` are c0 and c1, each under the same number of
    /// primes, the first of the set. Returns all slots, which are within 2^log2_bound. Decryptions of chosen ciphertexts betray
    /// the key to whoever sees their effects: received results go through [`Decryptor::decrypt_sealed`].
    ///
    /// Errors: [`DeviceError::ResultLevel`] for a length that fits no number of primes; those of [`Decryptor::decrypt`].
    pub fn decrypt_unauthenticated(
        &mut self,
        sides: [&[u8]; 2],
        scale: f64,
        log2_bound: i8,
    ) -> Result<Vec<f64>> {
        self.open_packed(sides, scale, log2_bound)
    }

    /// Decrypts every slot of BFV like [`Decryptor::decrypt_unauthenticated`], from -(t-1)/2 to (t-1)/2.
    ///
    /// Errors: [`DeviceError::ResultLevel`] for a length that fits no number of primes; those of [`Decryptor::decrypt_integers`].
    pub fn decrypt_integers_unauthenticated(&mut self, sides: [&[u8]; 2]) -> Result<Vec<i32>> {
        self.open_packed(sides, 1.0, 0)
    }

    fn open_sealed<T: Decoded>(
        &mut self,
        item: &[u8],
        link_key: &[u8; 32],
        log2_bound: i8,
    ) -> Result<Vec<T>> {
        let result = open_result(self.tables.params, link_key, item)
            .map_err(|status| error(self.set, status, log2_bound))?;
        self.run((log2_bound, result.layout()), &result)
    }

    fn open_parsed<T: Decoded>(
        &mut self,
        result: &EncryptedResult,
        primes: usize,
        log2_bound: i8,
    ) -> Result<Vec<T>> {
        if result.params.set_id != self.set.set_id || result.key_id != self.key_id {
            return Err(DeviceError::KeySet(self.set.name));
        }
        if result.c0.len() != result.c1.len() {
            return Err(DeviceError::ResultFormat);
        }
        if !(1..=MOST_PRIMES.min(self.set.data_primes.len())).contains(&primes) {
            return Err(error(self.set, ISOPOD_ERROR_LEVEL, log2_bound));
        }
        let [c0, c1] = match result.rounded {
            None => [&result.c0, &result.c1].map(|side| self.packed(&side[..primes])),
            Some(_) => transformed(result)?.map(|side| self.packed(&side)),
        };
        let claim = isopod_claim {
            scale: result.scale.to_bits(),
            first: result.first,
            rows: result.grid.rows,
            columns: result.grid.columns,
            stride: result.grid.stride,
            primes: primes as u8,
        };
        let layout = match result.rounded {
            None => Layout::Slots,
            Some(_) => Layout::CoefficientsRounded,
        };
        self.run((log2_bound, layout), &Ciphertext::Packed(claim, [&c0, &c1]))
    }

    fn open_packed<T: Decoded>(
        &mut self,
        sides: [&[u8]; 2],
        scale: f64,
        log2_bound: i8,
    ) -> Result<Vec<T>> {
        let mut bytes = 0;
        let last = self.set.data_primes.iter().position(|&prime| {
            bytes += self.set.packed_bytes(prime);
            sides.iter().all(|side| side.len() == bytes)
        });
        let last = last.ok_or_else(|| error(self.set, ISOPOD_ERROR_LEVEL, log2_bound))?;
        let claim = isopod_claim {
            scale: scale.to_bits(),
            first: 0,
            rows: 1,
            columns: self.set.slots() as u32,
            stride: self.set.slots() as u32,
            primes: last as u8 + 1,
        };
        self.run(
            (log2_bound, Layout::Slots),
            &Ciphertext::Packed(claim, sides),
        )
    }

    /// Packs the residues of the first primes.
    fn packed(&self, polynomials: &[Vec<u64>]) -> Vec<u8> {
        let primes = self.set.data_primes.iter();
        let packed = polynomials.iter().zip(primes);
        packed
            .flat_map(|(polynomial, prime)| pack(64 - prime.leading_zeros(), polynomial))
            .collect()
    }

    /// Decrypts the values of one ciphertext.
    fn run<T: Decoded>(
        &mut self,
        (log2_bound, layout): (i8, Layout),
        ciphertext: &Ciphertext<'_>,
    ) -> Result<Vec<T>> {
        let (set, scheme) = (self.set, self.set.scheme());
        if scheme != T::SCHEME {
            return Err(DeviceError::OtherValues {
                set: set.name,
                scheme: scheme.name(),
            });
        }
        let count = ciphertext.count().min(set.places(layout) as u64) as usize;
        let mut values = vec![T::default(); count];
        let config = isopod_decrypt_config {
            params: self.tables.params,
            tables: &self.tables.tables,
            key: self.key.pointer(),
            decoder: match (layout, scheme) {
                (Layout::CoefficientsRounded, Scheme::Ckks) => {
                    &raw const isopod_ckks_decode_coefficients
                }
                _ => self.decoder,
            },
            log2_bound,
            layout: layout.number(),
            verifier: self
                .verifier
                .as_ref()
                .map_or(std::ptr::null(), Verifier::pointer),
        };
        let workspace = workspace_of(&mut self.workspace);
        decrypt(&config, &workspace, ciphertext, &mut values)
            .map_err(|status| error(set, status, log2_bound))?;
        Ok(values)
    }
}

/// The residues of both polynomials of a rounded result.
fn transformed(result: &EncryptedResult) -> Result<[Vec<Vec<u64>>; 2]> {
    let ring = Ring::new(result.params, result.primes(), Machine::best());
    let answer = ring.and_then(|ring| ring.answer(result));
    answer.map_err(|_| DeviceError::ResultFormat)
}

fn error(set: &ParameterSet, status: c_int, log2_bound: i8) -> DeviceError {
    match status {
        ISOPOD_ERROR_SCALE | ISOPOD_ERROR_BOUND => DeviceError::DecodeBound { log2_bound },
        ISOPOD_ERROR_COUNT | ISOPOD_ERROR_RESULT_FORMAT => DeviceError::ResultFormat,
        ISOPOD_ERROR_AUTHENTICATION => DeviceError::Authentication,
        ISOPOD_ERROR_UNPROVED => DeviceError::Unproved,
        ISOPOD_ERROR_NO_PROOF => DeviceError::NoProof,
        ISOPOD_ERROR_LEVEL => DeviceError::ResultLevel {
            set: set.name,
            max: set.data_primes.len().min(MOST_PRIMES),
        },
        ISOPOD_ERROR_RESIDUE => DeviceError::Residue,
        ISOPOD_ERROR_RESULT_BOUND if set.scheme() == Scheme::Bfv => DeviceError::ResultNoise,
        ISOPOD_ERROR_RESULT_BOUND => DeviceError::ResultBound { log2_bound },
        other => DeviceError::of_status(other, set.name, set.label, "secret"),
    }
}
