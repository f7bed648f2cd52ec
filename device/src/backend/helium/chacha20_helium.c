/* ChaCha20 blocks for Helium: four at a time, one per lane (chacha20_fours.S), the remaining ones
 * one row per register (chacha20_single.S). */
#include "../backend.h"
#if ISOPOD_HAS(HELIUM)

#include "../../random/chacha20.h"

void isopod_chacha20_fours(uint32_t *out, const uint8_t key[32], const uint32_t input[4],
                           uint32_t fours);
void isopod_chacha20_single_blocks(uint32_t *out, const uint8_t key[32], const uint32_t input[4],
                                   uint32_t count);

void isopod_chacha20_blocks(uint32_t *out, const uint8_t key[32], const uint32_t input[4],
                            uint32_t count) {
    const uint32_t whole = count / 4 * 4;
    if (whole != 0) {
        isopod_chacha20_fours(out, key, input, count / 4);
    }
    if (whole != count) {
        const uint32_t next[4] = {input[0] + whole, input[1], input[2], input[3]};
        isopod_chacha20_single_blocks(out + ISOPOD_CHACHA20_WORDS * whole, key, next,
                                      count - whole);
    }
}

#endif
