//! Encryption of frames.

use super::device::Device;
use super::error::Refusal;
use super::frame::{Context, Frame};
use super::key::Key;
use super::method::{Method, Suite};
use super::set::{Set, Tables};
use super::status::Status;
use super::values::{Reader, Values};
use core::ptr::null;
use isopod_sys::*;
use rand_core::TryCryptoRng;

/// Rows of rounded coefficients (`isopod/rounded.h`). The default is one row of all values, nothing dropped.
#[derive(Debug, Clone, Copy, Default)]
pub struct Rounding {
    /// Values of a row; 0: all.
    pub columns: u32,
    /// Coefficients sent of each row; 0: the columns.
    pub run: u32,
    /// Low bits dropped of c0 and, by public key, of c1.
    pub dropped: [u8; 2],
}

/// Settings that stay the same from frame to frame; `isopod/encryption.h` explains each.
#[derive(Clone, Copy)]
pub struct Settings<'a> {
    /// The set.
    pub set: Set,
    /// Its tables.
    pub tables: &'a Tables<'a>,
    /// The key.
    pub key: &'a Key<'a>,
    /// Scheme and layout.
    pub method: Method,
    /// Randomness.
    pub suite: Suite,
    /// 1, 2, 4 or 8; 0 for rounded coefficients.
    pub chunks: u8,
    /// CKKS: log2 of the scale.
    pub log2_scale: u8,
    /// CKKS: log2 of the bound on every value.
    pub log2_bound: i8,
    /// Primes to encrypt under; 0: all.
    pub level: u8,
    /// BFV: the bound on every value; 0: half the plaintext modulus.
    pub bound: u32,
    /// Places from row to row; 0: one row.
    pub stride: u32,
    /// Places of one reading; 0: one.
    pub buckets: u32,
    /// Name of the columns; none: not said.
    pub packing: Option<&'a [u8; ISOPOD_PACKING_BYTES]>,
    /// Rows of rounded coefficients.
    pub rounding: Rounding,
    /// A value beyond the bound becomes the bound instead of being refused; not for rounded coefficients.
    pub clamp: Option<Clamp>,
}

/// The rule that clamps values, linked only where it is named.
#[derive(Clone, Copy)]
pub struct Clamp(*const isopod_range_rule);

// SAFETY: a constant object of the C library.
#[allow(unsafe_code)]
unsafe impl Sync for Clamp {}

impl Clamp {
    /// The rule.
    pub const TO_BOUND: Self = Self(&raw const isopod_clamp);
}

impl<'a> Settings<'a> {
    /// The scale of the set, one row, ChaCha20, and one chunk where there are chunks.
    pub fn new(set: Set, tables: &'a Tables<'a>, key: &'a Key<'a>, method: Method) -> Self {
        Self {
            set,
            tables,
            key,
            method,
            suite: Suite::CHACHA20,
            chunks: u8::from(method.rounded.is_null()),
            log2_scale: set.log2_scale(),
            log2_bound: 0,
            level: 0,
            bound: 0,
            stride: 0,
            buckets: 0,
            packing: None,
            rounding: Rounding::default(),
            clamp: None,
        }
    }

    fn rounding(&self) -> isopod_rounding {
        isopod_rounding {
            method: self.method.rounded,
            columns: self.rounding.columns,
            run: self.rounding.run,
            dropped: self.rounding.dropped,
        }
    }

    fn config(&self) -> isopod_encryption_config {
        isopod_encryption_config {
            params: self.set.pointer(),
            tables: self.tables.pointer(),
            suite: self.suite.0,
            key: self.key.pointer(),
            encoder: self.method.encoder,
            chunks: self.chunks,
            log2_scale: self.log2_scale,
            log2_bound: self.log2_bound,
            level: self.level,
            layout: self.method.layout,
            out_of_range: self.clamp.map_or(null(), |rule| rule.0),
            bound: self.bound,
            stride: self.stride,
            buckets: self.buckets,
            packing: self.packing.map_or(null(), |id| id.as_ptr()),
            ..isopod_encryption_config::default()
        }
    }
}

/// Encryption with the same settings in the same workspace, whose length is one of
/// [`workspace_words`](super::workspace_words).
pub struct Encryptor<'a> {
    settings: Settings<'a>,
    workspace: &'a mut [u64],
}

impl<'a> Encryptor<'a> {
    /// An encryptor; everything is checked when a frame begins.
    pub fn new(settings: Settings<'a>, workspace: &'a mut [u64]) -> Self {
        Self {
            settings,
            workspace,
        }
    }

    /// Begins the device's next frame: checks everything, takes entropy once, encodes and samples.
    ///
    /// Errors: every status that names an encryption's settings, values, key or entropy.
    #[allow(unsafe_code)]
    pub fn begin<'f, 'v: 'f, R: TryCryptoRng>(
        &'f mut self,
        context: &'f mut Context,
        device: &'f mut Device<'_, R>,
        values: Values<'v>,
    ) -> Result<Frame<'f>, Refusal> {
        let (source, reader) = values.source();
        // SAFETY: only the frame's calls of C use it, and the frame lives no longer than 'v.
        let reader = unsafe { core::mem::transmute::<Reader<'v>, Reader<'static>>(reader) };
        let (sender, entropy) = device.pointers();
        let is_rounded = !self.settings.method.rounded.is_null();
        *context = Context {
            config: self.settings.config(),
            encryptor: isopod_encryptor {
                workspace: isopod_workspace {
                    memory: self.workspace.as_mut_ptr().cast(),
                    bytes: size_of_val(self.workspace),
                },
                entropy,
                sender,
            },
            rounding: self.settings.rounding(),
            reader,
            ..Context::new()
        };
        let context: *mut Context = context;
        // SAFETY: all that the configuration points to is borrowed for 'f, the context with it, so that nothing moves.
        let status = unsafe {
            if is_rounded {
                (*context).config.rounding = &raw const (*context).rounding;
            }
            let source = isopod_value_source {
                state: (&raw mut (*context).reader).cast(),
                ..source
            };
            let encryption = &raw mut (*context).encryption;
            let (config, encryptor) = (
                &raw const (*context).config,
                &raw const (*context).encryptor,
            );
            (self.settings.method.begin)(encryption, config, encryptor, &source)
        };
        // SAFETY: the context has begun or failed to.
        let mut frame = unsafe { Frame::new(context, self.settings.method) };
        Status::checked(status)
            .and_then(|_| frame.seal())
            .map_err(|status| frame.refusal(status))?;
        Ok(frame)
    }
}
