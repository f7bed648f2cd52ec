#include "suite_block.h"

#include "chacha20.h"

static void blocks(uint32_t *out, const uint8_t key[32], isopod_stream_name name, uint32_t counter,
                   uint32_t count) {
    const uint32_t input[4] = {counter, name.domain, name.index, 0};
    isopod_chacha20_blocks(out, key, input, count);
}

const isopod_suite isopod_suite_chacha20 = {1, 32, ISOPOD_CHACHA20_WORDS, blocks, NULL};
