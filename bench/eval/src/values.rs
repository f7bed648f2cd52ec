//! Values of frames: at the bound, near it, and within.

/// SplitMix64: repeatable test data, no cryptography.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number in [0, 1].
    pub fn share(&mut self) -> f64 {
        self.word() as f64 / u64::MAX as f64
    }

    /// A number below `count`.
    pub fn below(&mut self, count: usize) -> usize {
        (self.word() % count as u64) as usize
    }

    /// A number in [-1, 1].
    pub fn unit(&mut self) -> f64 {
        self.word() as f64 / u64::MAX as f64 * 2.0 - 1.0
    }
}

/// Values of one frame by turns: all at the bound, at plus or minus the bound, and uniform within.
pub fn frame(seed: u64, count: usize, bound: f64) -> Vec<f64> {
    let mut random = Random::new(seed);
    (0..count)
        .map(|_| match seed % 4 {
            0 => bound,
            1 => bound * random.unit().signum(),
            _ => bound * random.unit(),
        })
        .collect()
}

/// One-hot blocks, by turns all in one bucket and spread.
pub fn one_hot(seed: u64, count: usize, buckets: usize) -> Vec<f64> {
    let mut random = Random::new(seed);
    let mut values = vec![0.0; count];
    for block in values.chunks_exact_mut(buckets) {
        let bucket = match seed % 2 {
            0 => seed as usize / 2 % buckets,
            _ => random.word() as usize % buckets,
        };
        block[bucket] = 1.0;
    }
    values
}
