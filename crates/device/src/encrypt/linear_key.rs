//! The key of linear tags (`spec/verify.md`), opened by the C library.

use isopod_sys::{
    isopod_linear_key, isopod_linear_key_add_pads, isopod_linear_key_open,
    isopod_linear_key_open_columns, isopod_linear_pad_key, isopod_linear_secrets, ISOPOD_OK,
};
use zeroize::Zeroize as _;

/// Secrets of a device's linear tags in one period. Whoever makes it wipes what it copied from.
pub struct LinearSecrets<'a> {
    /// Secret of all devices of the group.
    pub group: &'a [u8; 32],
    /// Secret of this device.
    pub device: &'a [u8; 32],
    /// Secrets of this device that further holders gave it: their pads hide every tag, too.
    pub others: Vec<&'a [u8; 32]>,
    /// The period.
    pub period: u32,
    /// Whether frames get a second tag, of their columns.
    pub has_column_tag: bool,
}

/// The key, wiped when dropped; it has no `Debug`.
pub(crate) struct LinearKey {
    key: Box<isopod_linear_key>,
    /// The pads that the key points to, so that they stay where they are.
    others: Box<[isopod_linear_pad_key]>,
}

impl LinearKey {
    #[allow(unsafe_code)]
    pub(crate) fn open(secrets: &LinearSecrets<'_>) -> Self {
        let mut given = isopod_linear_secrets {
            group: *secrets.group,
            device: *secrets.device,
            period: secrets.period,
        };
        let mut key = Box::new(isopod_linear_key::default());
        let open = match secrets.has_column_tag {
            true => isopod_linear_key_open_columns,
            false => isopod_linear_key_open,
        };
        // SAFETY: both structures are of this call; the C functions read one and write the other.
        unsafe { open(&raw mut *key, &raw const given) };
        let others = secrets.others.iter();
        let mut others: Box<[_]> = others.map(|_| isopod_linear_pad_key::default()).collect();
        for (pads, other) in others.iter_mut().zip(&secrets.others) {
            given.device = **other;
            // SAFETY: as above; the key keeps the address of `pads`, whose box lives as long as the key's. Periods are equal, so
            // that the call does not fail.
            let status = unsafe {
                isopod_linear_key_add_pads(&raw mut *key, &raw mut *pads, &raw const given)
            };
            debug_assert_eq!(status, ISOPOD_OK);
        }
        given.group.zeroize();
        given.device.zeroize();
        Self { key, others }
    }

    /// Address for a configuration; it stays the same while self moves.
    pub(crate) fn pointer(&self) -> *const isopod_linear_key {
        &raw const *self.key
    }
}

impl Drop for LinearKey {
    fn drop(&mut self) {
        self.key.point.zeroize();
        self.key.pads.key.zeroize();
        for pads in &mut self.others {
            pads.key.zeroize();
        }
    }
}
