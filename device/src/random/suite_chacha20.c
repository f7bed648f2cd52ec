/* The default suite (spec/ckks.md, section 2): ChaCha20 blocks ([RFC8439]) under the seed. */
#include "suite_block.h"

#include "chacha20.h"

static void blocks(isopod_stream *stream, uint32_t *out, uint32_t count) {
    isopod_chacha20_blocks(out, stream->key, stream->next, count);
}

const isopod_suite isopod_suite_chacha20 = {ISOPOD_SUITE_CHACHA20, ISOPOD_MASK_SEED_BYTES,
                                            ISOPOD_CHACHA20_WORDS, blocks, NULL};
