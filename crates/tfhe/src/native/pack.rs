//! Packing of native ciphertexts to a result.

use isopod_wire::{pack, Schema, TfheResult};
use tfhe::core_crypto::prelude::{
    par_keyswitch_lwe_ciphertext_list_and_pack_in_glwe_ciphertext, CiphertextModulus,
    GlweCiphertext, LweCiphertextList,
};
use tfhe::shortint::ciphertext::NoiseLevel;
use tfhe::shortint::Ciphertext;

use super::server::ServerKeys;
use super::value::Native;
use crate::Result;

/// Packs values into the bytes of a [`TfheResult`]. Blocks with more than a bootstrap's noise, or with carries, are
/// bootstrapped first.
///
/// Errors: more runs of types than a schema has.
pub fn pack_result(keys: &ServerKeys, values: Vec<Native>) -> Result<(Schema, Vec<u8>)> {
    let schema = Schema::of_values(values.iter().map(Native::value_type))?;
    let mut blocks: Vec<Ciphertext> = values.into_iter().flat_map(Native::into_blocks).collect();
    blocks.iter_mut().for_each(|block| refresh(keys, block));
    let words: Vec<u64> = blocks
        .chunks(TfheResult::BLOCKS)
        .flat_map(|group| pack_group(keys, group))
        .collect();
    Ok((schema, pack(TfheResult::WORD_BITS, &words)))
}

fn refresh(keys: &ServerKeys, block: &mut Ciphertext) {
    let fit = block.noise_level() <= NoiseLevel::NOMINAL && block.carry_is_empty();
    if !fit {
        let integers: &tfhe::integer::ServerKey = keys.integers();
        let blocks: &tfhe::shortint::ServerKey = integers.as_ref();
        blocks.message_extract_assign(block);
    }
}

/// Packs masks and bodies of up to 256 blocks at 12 bits. A factor of four first moves each block up to the padding bit.
fn pack_group(keys: &ServerKeys, group: &[Ciphertext]) -> Vec<u64> {
    let key = &keys.packing().packing_key_switching_key;
    let scaled = group
        .iter()
        .flat_map(|block| block.ct.as_ref().iter().map(|word| word << 2));
    let size = key.input_key_lwe_dimension().to_lwe_size();
    let native = CiphertextModulus::new_native();
    let list = LweCiphertextList::from_container(scaled.collect::<Vec<u64>>(), size, native);
    let mut packed = GlweCiphertext::new(
        0u64,
        key.output_glwe_size(),
        key.output_polynomial_size(),
        native,
    );
    par_keyswitch_lwe_ciphertext_list_and_pack_in_glwe_ciphertext(key, &list, &mut packed);
    let shift = u64::BITS - TfheResult::WORD_BITS;
    let used = TfheResult::MASK_WORDS + group.len();
    let words = packed.as_ref().iter().take(used);
    words
        .map(|word| word.wrapping_add(1 << (shift - 1)) >> shift)
        .collect()
}
