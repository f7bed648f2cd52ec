//! Lookups in batches: key switching, then blind rotation, each with one pass over its key for several blocks ([TFHE18]).

use tfhe::core_crypto::algorithms::slice_algorithms::slice_wrapping_sub_scalar_mul_assign;
use tfhe::core_crypto::fft_impl::fft64::crypto::bootstrap::batch_blind_rotate_assign_scratch;
use tfhe::core_crypto::prelude::{
    extract_lwe_sample_from_glwe_ciphertext, CiphertextCount, CiphertextModulus,
    CiphertextModulusLog, ComputationBuffers, ContiguousEntityContainer,
    ContiguousEntityContainerMut, Fft, GlweCiphertextCount, GlweCiphertextList,
    GlweCiphertextListOwned, LweCiphertext, LweDimension, LweKeyswitchKeyOwned,
    ModulusSwitchedLweCiphertext, MonomialDegree, SignedDecomposer,
};
use tfhe::shortint::atomic_pattern::{AtomicPatternServerKey, StandardAtomicPatternServerKey};
use tfhe::shortint::server_key::ShortintBootstrappingKey;

use super::block::{Block, LookupTable, LWE_WORDS};
use super::server::ServerKeys;
use crate::{Error, Result};

/// Blocks of a batch: their accumulators fit the cache of a core.
const BATCH: usize = 16;

/// A block at which a table is looked up.
pub type Query<'table> = (Block, &'table LookupTable);

impl ServerKeys {
    /// Looks up a table at each block, in this thread; the results have a bootstrap's noise.
    ///
    /// Errors: [`Error::Noise`] of a block before any work, [`Error::ServerKey`].
    pub fn look_up(&self, queries: &[Query<'_>]) -> Result<Vec<Block>> {
        self.rotated(queries, |list, found| {
            found.extend(list.iter().map(|one| extract(&one, 0)));
        })
    }

    /// Looks up a table of two functions at each block, in this thread.
    ///
    /// Errors: those of [`ServerKeys::look_up`].
    pub fn look_up_pairs(&self, queries: &[Query<'_>]) -> Result<Vec<(Block, Block)>> {
        self.rotated(queries, |list, found| {
            found.extend(
                list.iter()
                    .map(|one| (extract(&one, 0), extract(&one, LookupTable::SECOND))),
            );
        })
    }

    fn rotated<T>(
        &self,
        queries: &[Query<'_>],
        take: impl Fn(&GlweCiphertextListOwned<u64>, &mut Vec<T>),
    ) -> Result<Vec<T>> {
        queries.iter().try_for_each(|(block, _)| block.check())?;
        let integers: &tfhe::shortint::ServerKey = self.integers().as_ref();
        let AtomicPatternServerKey::Standard(keys) = &integers.atomic_pattern else {
            return Err(Error::ServerKey("of another pattern".to_owned()));
        };
        let mut found = Vec::with_capacity(queries.len());
        for batch in queries.chunks(BATCH) {
            take(&rotate(keys, batch)?, &mut found);
        }
        Ok(found)
    }
}

type Accumulator<'a> = tfhe::core_crypto::prelude::GlweCiphertextView<'a, u64>;

fn extract(accumulator: &Accumulator<'_>, at: usize) -> Block {
    let native = CiphertextModulus::new_native();
    let mut out = LweCiphertext::from_container(vec![0; LWE_WORDS], native);
    extract_lwe_sample_from_glwe_ciphertext(accumulator, &mut out, MonomialDegree(at));
    Block::bootstrapped(out.into_container())
}

/// Turns the tables of a batch by its blocks.
fn rotate(
    keys: &StandardAtomicPatternServerKey,
    batch: &[Query<'_>],
) -> Result<GlweCiphertextListOwned<u64>> {
    let ShortintBootstrappingKey::Classic {
        bsk,
        modulus_switch_noise_reduction_key,
    } = &keys.bootstrapping_key
    else {
        return Err(Error::ServerKey("with grouped bits".to_owned()));
    };
    let (size, degree) = (bsk.glwe_size(), bsk.polynomial_size());
    let modulus = degree.to_blind_rotation_input_modulus_log();
    let switched = switch_keys(&keys.key_switching_key, batch);
    let switched: Vec<Switched> = switched
        .into_iter()
        .map(|words| {
            let lwe = LweCiphertext::from_container(words, CiphertextModulus::new_native());
            Switched::new(
                &modulus_switch_noise_reduction_key.lwe_ciphertext_modulus_switch(&lwe, modulus),
            )
        })
        .collect();
    let count = GlweCiphertextCount(batch.len());
    let native = CiphertextModulus::new_native();
    let mut tables = GlweCiphertextList::new(0, size, degree, count, native);
    for (mut table, (_, wanted)) in tables.iter_mut().zip(batch) {
        let mut body = table.get_mut_body();
        body.as_mut().copy_from_slice(&wanted.body);
    }
    let fft = Fft::new(degree);
    let fft = fft.as_view();
    let mut buffers = ComputationBuffers::new();
    let count = CiphertextCount(batch.len());
    let needed = batch_blind_rotate_assign_scratch::<u64>(size, degree, count, fft);
    buffers.resize(needed.unaligned_bytes_required());
    let (turned, stack) = (tables.as_mut_view(), buffers.stack());
    bsk.as_view()
        .batch_blind_rotate_assign(turned, &switched, fft, stack);
    Ok(tables)
}

/// Words of the blocks under the short key. Each row of the key is read once.
fn switch_keys(key: &LweKeyswitchKeyOwned<u64>, batch: &[Query<'_>]) -> Vec<Vec<u64>> {
    let short = key.output_lwe_size().0;
    let decomposer = SignedDecomposer::new(
        key.decomposition_base_log(),
        key.decomposition_level_count(),
    );
    let body = |(block, _): &Query<'_>| {
        let mut words = vec![0; short];
        words[short - 1] = block.words[LWE_WORDS - 1];
        words
    };
    let mut switched: Vec<Vec<u64>> = batch.iter().map(body).collect();
    for (at, rows) in key.iter().enumerate() {
        for ((block, _), out) in batch.iter().zip(&mut switched) {
            for (row, digit) in rows.iter().zip(decomposer.decompose(block.words[at])) {
                slice_wrapping_sub_scalar_mul_assign(out, row.as_ref(), digit.value());
            }
        }
    }
    switched
}

/// A block modulo twice the ring's degree.
struct Switched {
    modulus: CiphertextModulusLog,
    body: usize,
    mask: Vec<usize>,
}

impl Switched {
    fn new(from: &impl ModulusSwitchedLweCiphertext<usize>) -> Self {
        Self {
            modulus: from.log_modulus(),
            body: from.body(),
            mask: from.mask().collect(),
        }
    }
}

impl ModulusSwitchedLweCiphertext<usize> for Switched {
    fn log_modulus(&self) -> CiphertextModulusLog {
        self.modulus
    }

    fn lwe_dimension(&self) -> LweDimension {
        LweDimension(self.mask.len())
    }

    fn body(&self) -> usize {
        self.body
    }

    fn mask(&self) -> impl ExactSizeIterator<Item = usize> + '_ {
        self.mask.iter().copied()
    }
}
