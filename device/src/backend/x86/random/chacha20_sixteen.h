/* Sixteen ChaCha20 blocks ([RFC8439], section 2.3) side by side: vector i holds word i of all of
 * them, and all vectors fit the registers of AVX-512. */
#ifndef ISOPOD_X86_CHACHA20_SIXTEEN_H
#define ISOPOD_X86_CHACHA20_SIXTEEN_H

#include "../../../base/memory.h"
#include "../ring/vectors64.h"

#define ISOPOD_SIXTEEN 16u

ISOPOD_AVX512_INLINE void quarter512(__m512i *a, __m512i *b, __m512i *c, __m512i *d) {
    *a = _mm512_add_epi32(*a, *b);
    *d = _mm512_rol_epi32(_mm512_xor_si512(*d, *a), 16);
    *c = _mm512_add_epi32(*c, *d);
    *b = _mm512_rol_epi32(_mm512_xor_si512(*b, *c), 12);
    *a = _mm512_add_epi32(*a, *b);
    *d = _mm512_rol_epi32(_mm512_xor_si512(*d, *a), 8);
    *c = _mm512_add_epi32(*c, *d);
    *b = _mm512_rol_epi32(_mm512_xor_si512(*b, *c), 7);
}

ISOPOD_AVX512_INLINE void double_round512(__m512i x[16]) {
    quarter512(&x[0], &x[4], &x[8], &x[12]);
    quarter512(&x[1], &x[5], &x[9], &x[13]);
    quarter512(&x[2], &x[6], &x[10], &x[14]);
    quarter512(&x[3], &x[7], &x[11], &x[15]);
    quarter512(&x[0], &x[5], &x[10], &x[15]);
    quarter512(&x[1], &x[6], &x[11], &x[12]);
    quarter512(&x[2], &x[7], &x[8], &x[13]);
    quarter512(&x[3], &x[4], &x[9], &x[14]);
}

/* Rows 4g to 4g + 3, of four quarters each, become the quarters of columns: afterwards quarter k of
 * row 4g + c is words 4g to 4g + 3 of block 4k + c. */
ISOPOD_AVX512_INLINE void transpose_four512(__m512i x[4]) {
    __m512i low01 = _mm512_unpacklo_epi32(x[0], x[1]), high01 = _mm512_unpackhi_epi32(x[0], x[1]);
    __m512i low23 = _mm512_unpacklo_epi32(x[2], x[3]), high23 = _mm512_unpackhi_epi32(x[2], x[3]);
    x[0] = _mm512_unpacklo_epi64(low01, low23);
    x[1] = _mm512_unpackhi_epi64(low01, low23);
    x[2] = _mm512_unpacklo_epi64(high01, high23);
    x[3] = _mm512_unpackhi_epi64(high01, high23);
}

/* Transposes the quarters of four rows: blocks c, 4 + c, 8 + c and 12 + c. */
ISOPOD_AVX512_INLINE void store_four512(uint32_t *out, const __m512i x[16], uint32_t c) {
    __m512i low01 = _mm512_shuffle_i32x4(x[c], x[4 + c], 0x44);
    __m512i high01 = _mm512_shuffle_i32x4(x[c], x[4 + c], 0xee);
    __m512i low23 = _mm512_shuffle_i32x4(x[8 + c], x[12 + c], 0x44);
    __m512i high23 = _mm512_shuffle_i32x4(x[8 + c], x[12 + c], 0xee);
    out += (size_t)16 * c;
    _mm512_storeu_si512(out, _mm512_shuffle_i32x4(low01, low23, 0x88));
    _mm512_storeu_si512(out + 64, _mm512_shuffle_i32x4(low01, low23, 0xdd));
    _mm512_storeu_si512(out + 128, _mm512_shuffle_i32x4(high01, high23, 0x88));
    _mm512_storeu_si512(out + 192, _mm512_shuffle_i32x4(high01, high23, 0xdd));
}

/* `groups` times sixteen blocks from the state of the first. The frame keeps vectors of the key:
 * callers wipe the stack. */
static __attribute__((noinline)) ISOPOD_AVX512 void
isopod_chacha20_sixteens(uint32_t *out, const uint32_t state[16], uint32_t groups) {
    const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    __m512i counter = _mm512_add_epi32(_mm512_set1_epi32((int)state[12]), lanes);
    for (; groups > 0; groups--, out += 256) {
        __m512i x[16];
#pragma GCC unroll 16
        for (uint32_t i = 0; i < 16; i++) {
            x[i] = i == 12 ? counter : _mm512_set1_epi32((int)state[i]);
        }
        for (uint32_t i = 0; i < 10; i++) {
            double_round512(x);
        }
#pragma GCC unroll 16
        for (uint32_t i = 0; i < 16; i++) {
            x[i] = _mm512_add_epi32(x[i], i == 12 ? counter : _mm512_set1_epi32((int)state[i]));
        }
#pragma GCC unroll 16
        for (uint32_t i = 0; i < 16; i += 4) {
            transpose_four512(x + i);
        }
#pragma GCC unroll 16
        for (uint32_t c = 0; c < 4; c++) {
            store_four512(out, x, c);
        }
        counter = _mm512_add_epi32(counter, _mm512_set1_epi32((int)ISOPOD_SIXTEEN));
    }
}

#endif
