/* Poly1305 ([RFC8439], section 2.5) for Armv7-M, constant time. h = accumulator, five 32-bit words
 * with h[4] < 8; the products are in poly1305_blocks.S. */
#include "../../backend.h"
#if ISOPOD_BACKEND_IS(armv7em)

#include "../../../tag/poly1305.h"

#include "../../../base/constant_time.h"
#include "../../../base/memory.h"

void isopod_poly1305_start(uint32_t accumulator[5], uint32_t multiplier[4], const uint32_t r[4]) {
    for (unsigned i = 0; i < 5; i++) {
        accumulator[i] = 0;
    }
    for (unsigned i = 0; i < 4; i++) {
        multiplier[i] = r[i] & (i == 0 ? 0x0fffffffu : 0x0ffffffcu);
    }
}

/* Computes h mod 2^130 - 5. h + 5 reaches 2^130 exactly when h >= 2^130 - 5; then five is added per
 * 2^130 and the top is dropped. */
void isopod_poly1305_finish(uint8_t tag[16], uint32_t h[5], const uint32_t s[4]) {
    uint64_t carry = 5;
    for (unsigned i = 0; i < 5; i++) {
        carry = (carry >> (i == 0 ? 0 : 32)) + h[i];
    }
    uint64_t excess = (carry >> 2) * 5;
    uint64_t sum = excess;
    for (unsigned i = 0; i < 4; i++) {
        sum += (uint64_t)h[i] + s[i];
        isopod_store32(tag + 4 * i, (uint32_t)sum);
        sum >>= 32;
    }
}

#endif
