/* The suite whose mask is SEAL's own ([SEAL44], prng_type SHAKE-256; spec/ckks.md, section 3.4).
 * The mask is public, so that division is allowed. */
#include "suite_block.h"

#include "../base/memory.h"

#define SEAL_BUFFER_WORDS 512u

static void open_buffer(isopod_keccak *sponge, const uint8_t *seed, uint32_t buffer) {
    uint8_t counter[8];
    isopod_store64(counter, buffer);
    isopod_keccak_start(sponge);
    isopod_keccak_absorb(sponge, seed, 64);
    isopod_keccak_absorb(sponge, counter, sizeof counter);
    isopod_keccak_finish(sponge, ISOPOD_SHAKE256_PADDING);
}

static uint64_t squeeze_word(isopod_keccak *sponge) {
    uint8_t bytes[8];
    isopod_keccak_squeeze(sponge, bytes, sizeof bytes);
    return isopod_load64(bytes);
}

static void seek_word(isopod_keccak *sponge, const uint8_t *seed, uint32_t word) {
    open_buffer(sponge, seed, word / SEAL_BUFFER_WORDS);
    for (uint32_t skipped = 0; skipped < word % SEAL_BUFFER_WORDS; skipped++) {
        (void)squeeze_word(sponge);
    }
}

static void start(isopod_seal_words *words) {
    seek_word(&words->sponge, words->seed, words->next);
    if (words->refills != NULL) {
        seek_word(words->refills, words->seed, words->end + words->refill);
    }
}

/* Replacements below 2^30 are rare: each has a second sponge on the stack only while it runs. */
static uint64_t replacement(isopod_seal_words *words) {
    uint32_t word = words->end + words->refill++;
    if (words->refills == NULL) {
        isopod_keccak far;
        seek_word(&far, words->seed, word);
        return squeeze_word(&far);
    }
    uint64_t value = squeeze_word(words->refills);
    if ((word + 1) % SEAL_BUFFER_WORDS == 0) {
        open_buffer(words->refills, words->seed, (word + 1) / SEAL_BUFFER_WORDS);
    }
    return value;
}

static uint64_t accepted_residue(isopod_seal_words *words, uint64_t word) {
    const uint64_t modulus = words->modulus;
    const uint64_t bound = UINT64_MAX - UINT64_MAX % modulus - 1u;
    while (word >= bound) {
        word = replacement(words);
    }
    return word % modulus;
}

static uint64_t next_residue(isopod_seal_words *words) {
    uint64_t residue = accepted_residue(words, squeeze_word(&words->sponge));
    if (++words->next % SEAL_BUFFER_WORDS == 0) {
        open_buffer(&words->sponge, words->seed, words->next / SEAL_BUFFER_WORDS);
    }
    return residue;
}

static const isopod_seal_mask seal = {start, next_residue};

const isopod_suite isopod_suite_seal_shake256 = {
    ISOPOD_SUITE_SEAL_SHAKE256, ISOPOD_SEAL_MASK_SEED_BYTES, ISOPOD_STREAM_BLOCK_WORDS,
    isopod_shake256_blocks, &seal};
