//! Sample extraction (`[TFHE18]`): one LWE ciphertext per coefficient of a ring ciphertext.
//!
//! The phase of coefficient i is b_i - sum_j m_ij s_j, where m_ij is a_{i-j} for j <= i and -a_{N+i-j} otherwise. Row i is
//! therefore a window of one array of 2N - 1 words, and extraction is a copy.

/// A word of the torus, 32 or 64 bits; the modulus is the word's.
pub trait Word: Copy {
    /// Two's complement.
    fn negated(self) -> Self;
}

impl Word for u32 {
    fn negated(self) -> Self {
        self.wrapping_neg()
    }
}

impl Word for u64 {
    fn negated(self) -> Self {
        self.wrapping_neg()
    }
}

/// The masks of all coefficients of one ring ciphertext.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Windows<T> {
    /// a_{N-1} .. a_0, then -a_{N-1} .. -a_1.
    words: Vec<T>,
    degree: usize,
}

impl<T: Word> Windows<T> {
    /// Windows of the mask polynomial a of b = a*s + ..., modulo X^N + 1. N is the length, at least 1.
    pub fn of_ring(mask: &[T]) -> Self {
        let reversed = mask.iter().rev();
        let negated = mask[1..].iter().rev().map(|word| word.negated());
        Self {
            words: reversed.copied().chain(negated).collect(),
            degree: mask.len(),
        }
    }

    /// Windows of the first mask M of a compact list, which tfhe-rs multiplies by X^i for ciphertext i.
    pub fn of_list(first: &[T]) -> Self {
        let negated = first[1..].iter().map(|word| word.negated());
        Self {
            words: negated.chain(first.iter().copied()).collect(),
            degree: first.len(),
        }
    }

    /// Ring degree N.
    pub fn degree(&self) -> usize {
        self.degree
    }

    /// The N mask words of coefficient `index` < N.
    pub fn row(&self, index: usize) -> &[T] {
        &self.words[self.degree - 1 - index..][..self.degree]
    }
}

#[cfg(test)]
mod tests {
    use super::Windows;

    /// Mask of a row by the definition, word for word.
    fn defined(mask: &[u64], row: usize) -> Vec<u64> {
        (0..mask.len())
            .map(|column| match row.checked_sub(column) {
                Some(at) => mask[at],
                None => mask[mask.len() + row - column].wrapping_neg(),
            })
            .collect()
    }

    #[test]
    fn rows_are_as_defined() {
        let mask: Vec<u64> = (1..=16).map(|at| at * at + 7).collect();
        let windows = Windows::of_ring(&mask);
        for row in 0..mask.len() {
            assert_eq!(windows.row(row), defined(&mask, row));
        }
    }

    #[test]
    fn a_list_begins_with_row_zero() {
        let mask: Vec<u64> = (1..=16).map(|at| at * at + 7).collect();
        let ring = Windows::of_ring(&mask);
        assert_eq!(Windows::of_list(ring.row(0)), ring);
    }
}
