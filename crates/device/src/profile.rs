//! Labels and randomness suites as the C library names them.

use isopod_wire::{Label, Suite, TfheSuite};

/// The C library's number of a label.
pub(crate) fn label(label: Label) -> u8 {
    match label {
        Label::Bits128 => isopod_sys::ISOPOD_LABEL_128,
        Label::Compat2018 => isopod_sys::ISOPOD_LABEL_COMPAT_2018,
        Label::CompatTfhepp => isopod_sys::ISOPOD_LABEL_COMPAT_TFHEPP,
        Label::Research => isopod_sys::ISOPOD_LABEL_RESEARCH,
    }
}

/// The C library's suite for CKKS and BFV.
pub(crate) fn suite(suite: Suite) -> *const isopod_sys::isopod_suite {
    match suite {
        Suite::Chacha20 => &raw const isopod_sys::isopod_suite_chacha20,
        Suite::Shake256 => &raw const isopod_sys::isopod_suite_shake256,
        Suite::SealShake256 => &raw const isopod_sys::isopod_suite_seal_shake256,
    }
}

/// The C library's suite for TFHE.
pub(crate) fn tfhe_suite(suite: TfheSuite) -> *const isopod_sys::isopod_tfhe_suite {
    match suite {
        TfheSuite::Chacha20 => &raw const isopod_sys::isopod_tfhe_chacha20,
        TfheSuite::Shake256 => &raw const isopod_sys::isopod_tfhe_shake256,
        TfheSuite::Aes128 => &raw const isopod_sys::isopod_tfhe_aes128,
    }
}
