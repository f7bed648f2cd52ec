/* ChaCha20 blocks for Helium: four at a time, one per lane (chacha20_four.S), the remaining ones by
 * the kernel for core registers. */
#include "../backend.h"
#if ISOPOD_HAS(HELIUM)

#include "../../random/chacha20.h"

#include "../../base/memory.h"

void isopod_chacha20_four(uint32_t *out, const uint32_t state[16]);
void isopod_chacha20_single_blocks(uint32_t *out, const uint8_t key[32], const uint32_t input[4],
                                   uint32_t count);

static const uint32_t constants[4] = {0x61707865u, 0x3320646eu, 0x79622d32u, 0x6b206574u};

void isopod_chacha20_blocks(uint32_t *out, const uint8_t key[32], const uint32_t input[4],
                            uint32_t count) {
    uint32_t state[16];
    if (count < 4) {
        isopod_chacha20_single_blocks(out, key, input, count);
        return;
    }
    isopod_copy((uint8_t *)state, (const uint8_t *)constants, sizeof constants);
    isopod_copy((uint8_t *)(state + 4), key, 32);
    isopod_copy((uint8_t *)(state + 12), (const uint8_t *)input, 16);
    for (; count >= 4; count -= 4, out += 4 * ISOPOD_CHACHA20_WORDS) {
        isopod_chacha20_four(out, state);
        state[12] += 4;
    }
    isopod_chacha20_single_blocks(out, key, state + 12, count);
}

#endif
