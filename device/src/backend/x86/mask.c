/* The kernels of the portable mask, and the same mask in long spans. */
#include "../portable/mask.c"

#include "mask_span.h"

static void take_candidates(isopod_mask_span *span) {
    const uint32_t bits = span->mask->at.prime->bits;
    span->ready = span->left < ISOPOD_MASK_SPAN ? span->left : ISOPOD_MASK_SPAN;
    span->left -= span->ready;
    isopod_stream_words(&span->mask->candidates, span->candidates,
                        span->ready / ISOPOD_MASK_GROUP * bits);
    span->at = (const uint8_t *)span->candidates;
}

ISOPOD_AVX2 void isopod_mask_span_start(isopod_mask_span *span, isopod_mask *mask, uint32_t count) {
    const isopod_prime *prime = mask->at.prime;
    span->mask = mask;
    span->unpacking = isopod_unpacking_of(prime->bits);
    span->largest = _mm256_set1_epi32((int)(prime->modulus - 1u));
    span->ready = 0;
    span->left = count;
}

/* All ones in the words where a candidate is too large. */
ISOPOD_AVX2_INLINE __m256i unpack_group(const isopod_mask_span *span, uint32_t *out, int wide) {
    const isopod_unpacking *how = &span->unpacking;
    const uint32_t bits = span->mask->at.prime->bits;
    __m256i above = _mm256_setzero_si256();
    for (unsigned i = 0; i < ISOPOD_MASK_GROUP / 8; i++) {
        __m256i fields = isopod_unpack(span->at + (size_t)i * bits, how, wide);
        isopod_store(out + 8 * i, fields);
        above = _mm256_or_si256(above, _mm256_cmpgt_epi32(fields, span->largest));
    }
    return above;
}

ISOPOD_AVX2 void isopod_mask_span_group(isopod_mask_span *span, uint32_t out[ISOPOD_MASK_GROUP]) {
    const isopod_prime *prime = span->mask->at.prime;
    if (span->mask->suite->mask_group != isopod_mask_fields_group) {
        span->mask->suite->mask_group(span->mask, out);
        return;
    }
    if (span->ready == 0) {
        take_candidates(span);
    }
    __m256i above = prime->bits > 26 ? unpack_group(span, out, 1) : unpack_group(span, out, 0);
    span->at += prime->bits * (ISOPOD_MASK_GROUP / 8u);
    span->ready -= ISOPOD_MASK_GROUP;
    if (_mm256_testz_si256(above, above)) {
        return;
    }
    for (uint32_t i = 0; i < ISOPOD_MASK_GROUP; i++) {
        if (out[i] >= prime->modulus) {
            out[i] = refill(span->mask);
        }
    }
}
