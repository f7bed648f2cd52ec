/* Bit fields of one width, 21 to 30, eight at a time: from words to bits and back. Eight fields
 * fill `bits` bytes, four of them half of that, so each half of a vector begins at a byte or in the
 * middle of one. */
#ifndef ISOPOD_X86_FIELDS_H
#define ISOPOD_X86_FIELDS_H

#include <stddef.h>

#include "../base/avx2.h"

/* Loads the halves of a vector from two places. */
ISOPOD_AVX2_INLINE __m256i isopod_halves(const void *low, const void *high) {
    __m128i first = _mm_loadu_si128((const __m128i_u *)low);
    return _mm256_inserti128_si256(_mm256_castsi128_si256(first),
                                   _mm_loadu_si128((const __m128i_u *)high), 1);
}

/* The plan of unpacking: a field is four bytes from its first byte on, shifted right, and if it can
 * reach into a fifth byte, that byte shifted left. */
typedef struct {
    __m256i bytes;
    __m256i right;
    __m256i fifth;
    __m256i left;
    __m256i keep;
    size_t second; /* byte where the fields of the upper half begin */
} isopod_unpacking;

ISOPOD_AVX2_INLINE isopod_unpacking isopod_unpacking_of(uint32_t bits) {
    const __m256i numbers = _mm256_setr_epi32(0, 1, 2, 3, 0, 1, 2, 3);
    const int middle = (int)(4u * bits & 4u);
    __m256i at = _mm256_add_epi32(_mm256_mullo_epi32(numbers, _mm256_set1_epi32((int)bits)),
                                  _mm256_setr_epi32(0, 0, 0, 0, middle, middle, middle, middle));
    __m256i byte = _mm256_srli_epi32(at, 3);
    isopod_unpacking how;
    how.bytes = _mm256_add_epi32(_mm256_mullo_epi32(byte, _mm256_set1_epi32(0x01010101)),
                                 _mm256_set1_epi32(0x03020100));
    how.right = _mm256_and_si256(at, _mm256_set1_epi32(7));
    how.fifth = _mm256_or_si256(_mm256_add_epi32(byte, _mm256_set1_epi32(4)),
                                _mm256_set1_epi32((int)0x80808000));
    how.left = _mm256_sub_epi32(_mm256_set1_epi32(32), how.right);
    how.keep = _mm256_set1_epi32((int)((1u << bits) - 1u));
    how.second = bits / 2u;
    return how;
}

/* Eight fields from `at`; up to 31 bytes are read. `above26`: bits > 26. */
ISOPOD_AVX2_INLINE __m256i isopod_unpack_eight(const uint8_t *at, const isopod_unpacking *how,
                                               int above26) {
    __m256i both = isopod_halves(at, at + how->second);
    __m256i fields = _mm256_srlv_epi32(_mm256_shuffle_epi8(both, how->bytes), how->right);
    if (above26) {
        __m256i rest = _mm256_sllv_epi32(_mm256_shuffle_epi8(both, how->fifth), how->left);
        fields = _mm256_or_si256(fields, rest);
    }
    return _mm256_and_si256(fields, how->keep);
}

/* The plan of packing: two fields become one 64-bit number (`up` for the even word, `down` for
 * both). Two such numbers are moved to neighbouring bytes (`align`, `bytes`). `shared` joins the
 * byte in which both have a part. */
typedef struct {
    __m256i up;
    __m128i down;
    __m256i align;
    __m256i bytes;
    __m256i shared;
    __m128i seam; /* odd widths: the last byte of the lower half to the first of the upper one */
    size_t second;
    uint32_t bits;
} isopod_packing;

/* The byte numbers of one half that begins `offset` bits into its first byte. */
ISOPOD_AVX2_INLINE void isopod_packing_half(uint32_t bits, uint32_t offset, __m128i *bytes,
                                            __m128i *shared) {
    const __m128i numbers = _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    uint32_t end = 2u * bits + offset, floor = end / 8u, is_split = end % 8u != 0;
    __m128i in_first = _mm_cmpgt_epi8(_mm_set1_epi8((char)(floor + is_split)), numbers);
    __m128i second = _mm_add_epi8(numbers, _mm_set1_epi8((char)(8u - floor)));
    __m128i at_split = _mm_cmpeq_epi8(numbers, _mm_set1_epi8((char)floor));
    *bytes = _mm_blendv_epi8(second, numbers, in_first);
    *shared = _mm_blendv_epi8(_mm_set1_epi8((char)0x80), _mm_set1_epi8((char)(is_split ? 8 : 0x80)),
                              at_split);
}

ISOPOD_AVX2_INLINE isopod_packing isopod_packing_of(uint32_t bits) {
    const uint32_t offset = 4u * bits & 4u;
    const long long low = 2u * bits % 8u, high = (2u * bits + offset) % 8u;
    __m128i bytes[2], shared[2];
    isopod_packing_half(bits, 0, &bytes[0], &shared[0]);
    isopod_packing_half(bits, offset, &bytes[1], &shared[1]);
    isopod_packing how;
    how.up = _mm256_set1_epi64x((long long)(32u - bits));
    how.down = _mm_cvtsi32_si128((int)(32u - bits));
    how.align = _mm256_setr_epi64x(0, low, (long long)offset, high);
    how.bytes = _mm256_set_m128i(bytes[1], bytes[0]);
    how.shared = _mm256_set_m128i(shared[1], shared[0]);
    how.second = bits / 2u;
    how.seam =
        _mm_setr_epi8((char)how.second, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1);
    how.bits = bits;
    return how;
}

/* Writes eight fields as `bits` bytes, and up to 16 - bits/2 bytes after them. odd: bits is odd. */
ISOPOD_AVX2_INLINE void isopod_pack(uint8_t *at, __m256i fields, const isopod_packing *how,
                                    int odd) {
    __m256i pairs = _mm256_srl_epi64(_mm256_sllv_epi32(fields, how->up), how->down);
    pairs = _mm256_sllv_epi64(pairs, how->align);
    __m256i joined = _mm256_or_si256(_mm256_shuffle_epi8(pairs, how->bytes),
                                     _mm256_shuffle_epi8(pairs, how->shared));
    __m128i first = _mm256_castsi256_si128(joined), second = _mm256_extracti128_si256(joined, 1);
    if (odd) {
        second = _mm_or_si128(second, _mm_shuffle_epi8(first, how->seam));
    }
    _mm_storeu_si128((__m128i_u *)(void *)at, first);
    _mm_storeu_si128((__m128i_u *)(void *)(at + how->second), second);
}

#endif
