/* The conservative suite (spec/ckks.md, section 2): each block is SHAKE-256 ([FIPS202]) of seed,
 * domain, index and block number. */
#include "suite_block.h"

#include "../base/memory.h"

static void next_block(isopod_stream *stream, uint32_t counter) {
    uint8_t suffix[12];
    isopod_store32(suffix, stream->next[ISOPOD_STREAM_DOMAIN]);
    isopod_store32(suffix + 4, stream->next[ISOPOD_STREAM_INDEX]);
    isopod_store32(suffix + 8, counter);
    isopod_keccak_start(&stream->sponge);
    isopod_keccak_absorb(&stream->sponge, stream->key, 32);
    isopod_keccak_absorb(&stream->sponge, suffix, sizeof suffix);
    isopod_keccak_finish(&stream->sponge, ISOPOD_SHAKE256_PADDING);
    (void)isopod_keccak_block(&stream->sponge);
}

void isopod_shake256_blocks(isopod_stream *stream, uint32_t *out, uint32_t count) {
    for (uint32_t i = 0; i < count; i++, out += ISOPOD_STREAM_BLOCK_WORDS) {
        next_block(stream, stream->next[ISOPOD_STREAM_COUNTER] + i);
        if (out != stream->block) {
            isopod_copy((uint8_t *)out, (const uint8_t *)stream->block, ISOPOD_KECCAK_RATE);
        }
    }
}

const isopod_suite isopod_suite_shake256 = {ISOPOD_SUITE_SHAKE256, ISOPOD_MASK_SEED_BYTES,
                                            ISOPOD_STREAM_BLOCK_WORDS, isopod_shake256_blocks,
                                            NULL};
