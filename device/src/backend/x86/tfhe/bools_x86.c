/* Booleans of TFHE messages (tfhe/bools.h) for AVX2, 32 at a time. Constant time. */
#include "../../backend.h"
#if ISOPOD_BACKEND_IS(x86)

#include "../../../base/constant_time.h"
#include "../../../tfhe/bools.h"

#include "../base/avx2.h"

#define VECTOR 32u

static ISOPOD_AVX2 uint32_t are_valid(const uint8_t *values, uint32_t vectors) {
    const __m256i allowed = _mm256_set1_epi8(1);
    __m256i all = _mm256_setzero_si256();
    for (; vectors > 0; vectors--, values += VECTOR) {
        all = _mm256_or_si256(all, isopod_load(values));
    }
    int is_valid = _mm256_testc_si256(allowed, all);
    ISOPOD_DECLASSIFY(is_valid);
    return (uint32_t)is_valid;
}

uint32_t isopod_native_bools_check(const uint8_t *values, uint32_t count, uint32_t *are_all) {
    if (count < VECTOR || !isopod_has_avx2()) {
        return 0;
    }
    *are_all = are_valid(values, count / VECTOR);
    return count / VECTOR * VECTOR;
}

/* Sums of products put pairs, then fours of bits into a byte of every 32-bit lane. */
ISOPOD_AVX2_INLINE __m256i fours(const uint8_t *values) {
    const __m256i pairs = _mm256_set1_epi16(0x0401), quads = _mm256_set1_epi32(0x00100001);
    return _mm256_madd_epi16(_mm256_maddubs_epi16(isopod_load(values), pairs), quads);
}

static ISOPOD_AVX2 void pack(uint32_t *out, const uint8_t *values, uint32_t vectors) {
    const __m256i low_bytes = _mm256_set1_epi32(0x0c080400);
    for (; vectors > 0; vectors--, values += VECTOR, out += 2) {
        __m256i bytes = _mm256_shuffle_epi8(fours(values), low_bytes);
        out[0] = (uint32_t)_mm256_extract_epi32(bytes, 0);
        out[1] = (uint32_t)_mm256_extract_epi32(bytes, 4);
    }
}

uint32_t isopod_native_bools_pack(uint32_t *out, const uint8_t *values, uint32_t words) {
    if (!isopod_has_avx2()) {
        return 0;
    }
    pack(out, values, words / 2u);
    return words / 2u * 2u;
}

#endif
