/* SEAL's own mask stream, prng_type SHAKE-256 (spec/ckks.md, section 3.4). The mask is public:
 * division is allowed. */
#include "suite_block.h"

#include "memory.h"

#define SEAL_BUFFER_WORDS 512u

static void open_buffer(isopod_mask *mask, uint32_t buffer) {
    uint8_t counter[8];
    isopod_store64(counter, buffer);
    isopod_keccak_start(&mask->source.sponge);
    isopod_keccak_absorb(&mask->source.sponge, mask->seed, 64);
    isopod_keccak_absorb(&mask->source.sponge, counter, sizeof counter);
    isopod_keccak_finish(&mask->source.sponge, ISOPOD_SHAKE256_PADDING);
}

static uint64_t squeeze_word(isopod_mask *mask) {
    uint8_t bytes[8];
    isopod_keccak_squeeze(&mask->source.sponge, bytes, sizeof bytes);
    return isopod_load64(bytes);
}

static void seek_word(isopod_mask *mask, uint32_t word) {
    open_buffer(mask, word / SEAL_BUFFER_WORDS);
    for (uint32_t skipped = 0; skipped < word % SEAL_BUFFER_WORDS; skipped++) {
        (void)squeeze_word(mask);
    }
}

static void start(isopod_mask *mask) {
    seek_word(mask, ((uint32_t)mask->at.index << mask->at.log2_ring_degree) + mask->at.first);
}

/* Rejections have probability 2^-34 for 30-bit primes; each costs a second sponge, on the stack for
 * that moment only. */
static uint64_t replacement(isopod_mask *mask) {
    isopod_mask far = *mask;
    uint32_t word = ((uint32_t)mask->at.primes << mask->at.log2_ring_degree) + mask->at.refill++;
    seek_word(&far, word);
    return squeeze_word(&far);
}

static uint32_t accepted_residue(isopod_mask *mask, uint64_t word) {
    const uint64_t modulus = mask->at.prime->modulus;
    const uint64_t bound = UINT64_MAX - UINT64_MAX % modulus - 1u;
    while (word >= bound) {
        word = replacement(mask);
    }
    return (uint32_t)(word % modulus);
}

static void group(isopod_mask *mask, uint32_t out[ISOPOD_MASK_GROUP]) {
    for (uint32_t i = 0; i < ISOPOD_MASK_GROUP; i++) {
        out[i] = accepted_residue(mask, squeeze_word(mask));
        if (++mask->at.first % SEAL_BUFFER_WORDS == 0) {
            uint32_t word =
                ((uint32_t)mask->at.index << mask->at.log2_ring_degree) + mask->at.first;
            open_buffer(mask, word / SEAL_BUFFER_WORDS);
        }
    }
}

const isopod_suite isopod_suite_seal_shake256 = {
    3, 64, ISOPOD_STREAM_BLOCK_WORDS, isopod_shake256_blocks, start, group};
