//! Evaluation keys as plain numbers.

use std::collections::BTreeMap;

/// One key switching key as plain numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeySwitchingKey {
    /// Two polynomials per data prime d; each has n canonical residues, in NTT order, for every data prime and then for the
    /// special prime.
    pub decompositions: Vec<[Vec<Vec<u64>>; 2]>,
}

/// Evaluation keys as plain numbers, like those of a file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct KeyMaterial {
    /// Relinearization key, needed after products of ciphertexts.
    pub relinearization: Option<KeySwitchingKey>,
    /// Galois keys by Galois element (odd, from 3 to 2n - 1); see [`crate::galois_element`].
    pub galois: BTreeMap<u32, KeySwitchingKey>,
}
