//! Pads that hide tags (`spec/verify.md`, section 2): they follow from a frame's name, its shape, and the key of its device.

use chacha20::cipher::consts::U10;
use chacha20::cipher::{KeyIvInit as _, StreamCipher as _};
use chacha20::{hchacha, ChaCha20};
use isopod_keys::SecretKey;
use isopod_wire::codes::size;
use isopod_wire::PackingId;
use zeroize::Zeroizing;

use crate::field;

/// Sequences whose pads are one block.
const SEQUENCES: u64 = 8;
const BLOCK: usize = 64;

/// In place of the stride in shapes of sums of columns.
pub(crate) const OF_ROWS: u32 = 0;
const OF_READINGS: u32 = 1;

/// Arrangement and meaning of the values, which a tag binds beside them and the name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Values of a row.
    pub columns: u32,
    /// Places from row to row. Sums of columns have none: they have the shapes of [`Shape::of_rows`] and
    /// [`Shape::of_readings`].
    pub stride: u32,
    /// Name of the columns.
    pub packing: Option<PackingId>,
    /// log2 of the unit of the integers, 0 in BFV.
    pub log2_unit: i8,
}

impl Shape {
    /// The shape of integers of BFV, of which each column is summed over all rows.
    pub fn of_rows(columns: u32, packing: Option<PackingId>) -> Self {
        Self {
            columns,
            stride: OF_ROWS,
            packing,
            log2_unit: 0,
        }
    }

    /// The shape of one-hot readings of BFV, of which each bucket is summed over all readings; at least two buckets.
    pub fn of_readings(buckets: u32, packing: Option<PackingId>) -> Self {
        Self {
            stride: OF_READINGS,
            ..Self::of_rows(buckets, packing)
        }
    }

    fn input(&self, epoch: u32) -> [u8; 16] {
        let last = u32::from(self.log2_unit as u8) | u32::from(self.packing.is_some()) << 8;
        let mut input = [0; 16];
        for (bytes, word) in
            (input.chunks_exact_mut(4)).zip([epoch, self.columns, self.stride, last])
        {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        input
    }
}

/// The pads of one device and epoch, of frames of one shape.
pub struct Pads {
    key: Zeroizing<[u8; 32]>,
    block: Zeroizing<[u8; BLOCK]>,
    /// Number of the block.
    number: Option<u64>,
}

impl Pads {
    /// The pads under the key of the device in its period.
    pub fn new(key: &SecretKey, shape: &Shape, epoch: u32) -> Self {
        let packing = shape.packing.unwrap_or([0; size::PACKING]);
        let first = Zeroizing::new(hashed(key.expose(), &packing));
        Self {
            key: Zeroizing::new(hashed(&first, &shape.input(epoch))),
            block: Zeroizing::new([0; BLOCK]),
            number: None,
        }
    }

    /// The pad of a sequence, below p; fast for sequences in their order.
    pub fn pad(&mut self, sequence: u64) -> u64 {
        let (number, at) = (sequence / SEQUENCES, (sequence % SEQUENCES) as usize * 8);
        if self.number != Some(number) {
            self.fill(number);
        }
        let mut bytes = [0; 8];
        bytes.copy_from_slice(&self.block[at..at + 8]);
        field::reduced(u64::from_le_bytes(bytes))
    }

    fn fill(&mut self, number: u64) {
        let mut nonce = [0; 12];
        nonce[..8].copy_from_slice(&number.to_le_bytes());
        let mut stream = ChaCha20::new((&*self.key).into(), &nonce.into());
        self.block.fill(0);
        stream.apply_keystream(&mut self.block[..]);
        self.number = Some(number);
    }
}

fn hashed(key: &[u8; 32], input: &[u8; 16]) -> [u8; 32] {
    hchacha::<U10>(key.into(), input.into()).into()
}
