/* Needs the quotients of the set (isopod_tables.wide_backend); without them, or without AVX2, the
 * portable layers run. */
#define ISOPOD_LIMB_BITS 64
#define isopod_wide_ntt_layers isopod_portable_wide_ntt_layers
#include "../portable/ntt.c"
#undef isopod_wide_ntt_layers

#include "wide_vectors.h"

__typeof__(isopod_portable_wide_ntt_layers) isopod_wide_ntt_layers;

/* 2^62 + (4 * 15 + 1) q < 2^63 */
#define UNREDUCED_BITS 56u

/* The twiddles of the blocks of a layer of this chunk. */
typedef struct {
    const uint64_t *words;
    const uint64_t *quotients;
    uint32_t blocks;
    uint32_t first; /* index of the first one */
    uint32_t degree;
} isopod_wide_twiddles;

static inline isopod_wide_twiddles twiddles_from(const uint64_t *table, uint32_t degree,
                                                 uint32_t first, uint32_t blocks) {
    isopod_wide_twiddles at = {table + first, table + degree + first, blocks, first, degree};
    return at;
}

static inline isopod_wide_twiddles isopod_wide_first(const isopod_ntt *ntt) {
    return twiddles_from((const uint64_t *)ntt->backend, ntt->length * ntt->chunks,
                         (uint32_t)ntt->chunks + ntt->chunk, 1);
}

/* Of the next layer. */
static inline isopod_wide_twiddles isopod_wide_next(const isopod_wide_twiddles *at) {
    return twiddles_from(at->words - at->first, at->degree, 2 * at->first, 2 * at->blocks);
}

ISOPOD_AVX512_INLINE void transpose512(__m512i v[8]) {
    __m512i a[8], b[8];
    for (unsigned i = 0; i < 8; i += 2) {
        a[i] = _mm512_unpacklo_epi64(v[i], v[i + 1]);
        a[i + 1] = _mm512_unpackhi_epi64(v[i], v[i + 1]);
    }
    for (unsigned i = 0; i < 8; i += 4) {
        for (unsigned k = 0; k < 2; k++) {
            b[i + k] = _mm512_shuffle_i64x2(a[i + k], a[i + k + 2], 0x88);
            b[i + k + 2] = _mm512_shuffle_i64x2(a[i + k], a[i + k + 2], 0xdd);
        }
    }
    for (unsigned k = 0; k < 4; k++) {
        v[k] = _mm512_shuffle_i64x2(b[k], b[k + 4], 0x88);
        v[k + 4] = _mm512_shuffle_i64x2(b[k], b[k + 4], 0xdd);
    }
}

#define TARGET ISOPOD_AVX512
#define INLINE ISOPOD_AVX512_INLINE
#define VECTOR __m512i
#define FACTOR isopod_factor512
#define LANES 8u
#define LOG2_LANES 3u
#define LOAD(at) _mm512_loadu_si512(at)
#define STORE(at, value) _mm512_storeu_si512(at, value)
#define SET1 _mm512_set1_epi64
#define ADD _mm512_add_epi64
#define SUB _mm512_sub_epi64
#define FACTOR_OF isopod_factor512_of
#define PRODUCT isopod_product512
#define LOWER isopod_lower512
#define TRANSPOSE transpose512
#define LAYERS layers512
#define NAME(name) name##_512
#include "wide_layers_template.h"

#undef TARGET
#undef INLINE
#undef VECTOR
#undef FACTOR
#undef LANES
#undef LOG2_LANES
#undef LOAD
#undef STORE
#undef SET1
#undef ADD
#undef SUB
#undef FACTOR_OF
#undef PRODUCT
#undef LOWER
#undef TRANSPOSE
#undef LAYERS
#undef NAME

#define TARGET ISOPOD_AVX2
#define INLINE ISOPOD_AVX2_INLINE
#define VECTOR __m256i
#define FACTOR isopod_factor256
#define LANES 4u
#define LOG2_LANES 2u
#define LOAD(at) isopod_load(at)
#define STORE(at, value) isopod_store(at, value)
#define SET1 _mm256_set1_epi64x
#define ADD _mm256_add_epi64
#define SUB _mm256_sub_epi64
#define FACTOR_OF isopod_factor256_of
#define PRODUCT isopod_product256
#define LOWER isopod_lower256
#define TRANSPOSE isopod_transpose_pairs
#define LAYERS layers256
#define NAME(name) name##_256
#include "wide_layers_template.h"

void isopod_ntt_layers(int64_t *x, const isopod_ntt *ntt) {
    if (ntt->backend == NULL || !isopod_has_avx2()) {
        isopod_portable_wide_ntt_layers(x, ntt);
    } else if (isopod_has_avx512()) {
        layers512((uint64_t *)x, ntt);
    } else {
        layers256((uint64_t *)x, ntt);
    }
}
