/* HChaCha20 ([XCHACHA03], section 2.2) from the block function (chacha20_block.S). */
#include "../../backend.h"
#if ISOPOD_BACKEND_IS(armv7em)

#include "../../../random/chacha20.h"

#include "../../../base/memory.h"

static const uint32_t constants[4] = {0x61707865u, 0x3320646eu, 0x79622d32u, 0x6b206574u};

/* Words 0..3 and 12..15 of the state before the block function's final addition. */
void isopod_hchacha20(uint8_t out[32], const uint8_t key[32], const uint8_t nonce[16]) {
    uint32_t input[4], block[16];
    for (unsigned i = 0; i < 4; i++) {
        input[i] = isopod_load32(nonce + 4 * i);
    }
    isopod_chacha20_block(block, key, input);
    for (unsigned i = 0; i < 4; i++) {
        isopod_store32(out + 4 * i, block[i] - constants[i]);
        isopod_store32(out + 16 + 4 * i, block[12 + i] - input[i]);
    }
    isopod_wipe(block, sizeof block);
}

#endif
