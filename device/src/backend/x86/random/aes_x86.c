/* AES-128 in counter mode (random/aes.h) by AES-NI, which machines with AVX2 have. */
#include "../../backend.h"
#if ISOPOD_BACKEND_IS(x86)

#include "../base/avx2.h"

#include "../../../random/aes.h"

static __attribute__((target("aes,sse4.1"))) void
counter_mode(uint32_t *out, const uint32_t *round_keys, uint32_t counter, uint32_t count) {
    __m128i keys[11];
    for (uint32_t i = 0; i < 11; i++) {
        keys[i] = _mm_loadu_si128((const void *)(round_keys + (size_t)4 * i));
    }
    for (; count > 0; count--, out += 4) {
        __m128i state = _mm_xor_si128(_mm_cvtsi32_si128((int)counter++), keys[0]);
#pragma GCC unroll 9
        for (uint32_t i = 1; i < 10; i++) {
            state = _mm_aesenc_si128(state, keys[i]);
        }
        _mm_storeu_si128((void *)out, _mm_aesenclast_si128(state, keys[10]));
    }
}

uint32_t isopod_native_aes128_counter(uint32_t *out,
                                      const uint32_t round_keys[ISOPOD_AES_KEY_WORDS],
                                      uint32_t counter, uint32_t count) {
    if (!isopod_has_avx2() || !__builtin_cpu_supports("aes")) {
        return 0;
    }
    counter_mode(out, round_keys, counter, count);
    return 1;
}

#endif
