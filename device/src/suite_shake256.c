#include "suite_block.h"

#include "memory.h"

static void one_block(uint32_t *out, const uint8_t key[32], isopod_stream_name name,
                      uint32_t counter) {
    isopod_keccak sponge;
    uint8_t suffix[12];
    isopod_store32(suffix, name.domain);
    isopod_store32(suffix + 4, name.index);
    isopod_store32(suffix + 8, counter);
    isopod_keccak_start(&sponge);
    isopod_keccak_absorb(&sponge, key, 32);
    isopod_keccak_absorb(&sponge, suffix, sizeof suffix);
    isopod_keccak_finish(&sponge, ISOPOD_SHAKE256_PADDING);
    isopod_keccak_squeeze_block(&sponge, out);
    isopod_wipe(&sponge, sizeof sponge);
}

void isopod_shake256_blocks(uint32_t *out, const uint8_t key[32], isopod_stream_name name,
                            uint32_t counter, uint32_t count) {
    for (; count > 0; count--, out += ISOPOD_STREAM_BLOCK_WORDS) {
        one_block(out, key, name, counter++);
    }
}

const isopod_suite isopod_suite_shake256 = {2, 32, ISOPOD_STREAM_BLOCK_WORDS,
                                            isopod_shake256_blocks, NULL};
