/* The uniform mask of 32-bit primes (spec/ckks.md, section 3.3) for AVX2, by groups of 32 and by
 * long spans. Everything here is public. */
#include "../../backend.h"
#if ISOPOD_BACKEND_IS(x86)

#include "mask_span.h"

static void take_candidates(isopod_mask_span *span) {
    span->ready = span->left < ISOPOD_MASK_SPAN ? span->left : ISOPOD_MASK_SPAN;
    span->left -= span->ready;
    uint32_t words = span->ready / ISOPOD_MASK_GROUP * span->mask->at.prime->bits;
    isopod_stream_words(&span->mask->source.streams.candidates, span->candidates, words);
#pragma GCC unroll 16
    for (uint32_t i = 0; i < 8; i++) {
        span->candidates[words + i] = 0; /* read with the last fields, not used */
    }
    span->at = (const uint8_t *)span->candidates;
}

void isopod_mask_span_start(isopod_mask_span *span, isopod_mask *mask, uint32_t count) {
    span->mask = mask;
    span->ready = 0;
    span->left = count;
}

/* `above26`: more than 26 bits. */
ISOPOD_AVX2_INLINE void unpack_all(isopod_mask *mask, const uint8_t *at, uint32_t *out,
                                   uint32_t count, int above26) {
    const size_t bits = mask->at.prime->bits;
    const isopod_unpacking how = isopod_unpacking_of((uint32_t)bits);
    const __m256i largest = _mm256_set1_epi32((int)(mask->at.prime->modulus - 1u));
    for (const uint32_t *end = out + count; out != end; out += ISOPOD_MASK_GROUP) {
        __m256i above = _mm256_setzero_si256();
#pragma GCC unroll 16
        for (unsigned i = 0; i < ISOPOD_MASK_GROUP / 8; i++, at += bits) {
            __m256i fields = isopod_unpack_eight(at, &how, above26);
            isopod_store(out + 8 * i, fields);
            above = _mm256_or_si256(above, _mm256_cmpgt_epi32(fields, largest));
        }
        if (!_mm256_testz_si256(above, above)) {
            isopod_mask_replace(mask, out, ISOPOD_MASK_GROUP);
        }
    }
}

ISOPOD_AVX2 void isopod_mask_span_fill(isopod_mask_span *span, uint32_t *out, uint32_t count) {
    const uint32_t bits = span->mask->at.prime->bits;
    if (span->mask->suite->seal != NULL) {
        for (uint32_t i = 0; i < count; i += ISOPOD_MASK_GROUP) {
            isopod_mask_group(span->mask, out + i);
        }
        return;
    }
    if (span->ready == 0) {
        take_candidates(span);
    }
    if (bits > 26) {
        unpack_all(span->mask, span->at, out, count, 1);
    } else {
        unpack_all(span->mask, span->at, out, count, 0);
    }
    span->at += (size_t)count / 8u * bits;
    span->ready -= count;
}

#endif
