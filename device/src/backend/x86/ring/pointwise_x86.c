/* Reductions in the NTT domain (ring/pointwise.h, with the bounds) modulo a 32-bit prime for
 * AVX2. */
#include "../../backend.h"
#if ISOPOD_BACKEND_IS(x86)

#include "../../../ring/pointwise.h"

#include "vector_prime.h"

static ISOPOD_AVX2 void reduce_all(int32_t *x, uint32_t count, const isopod_prime *prime) {
    const isopod_vector_prime vector = isopod_vector_prime_of(prime);
    for (uint32_t i = 0; i < count; i += 8) {
        isopod_store(x + i, isopod_vector_reduce(isopod_load(x + i), &vector));
    }
}

static ISOPOD_AVX2 void canonical_all(int32_t *x, uint32_t count, const isopod_prime *prime) {
    const isopod_vector_prime vector = isopod_vector_prime_of(prime);
    for (uint32_t i = 0; i < count; i += 8) {
        __m256i reduced = isopod_vector_reduce(isopod_load(x + i), &vector);
        isopod_store(x + i, isopod_vector_canonical(reduced, &vector));
    }
}

static ISOPOD_AVX2 void to_montgomery_all(int32_t *x, uint32_t count, const isopod_prime *prime) {
    const isopod_vector_prime vector = isopod_vector_prime_of(prime);
    const __m256i square = _mm256_set1_epi32((int)prime->montgomery_square);
    for (uint32_t i = 0; i < count; i += 8) {
        __m256i product = isopod_vector_multiply(isopod_load(x + i), square, square, &vector);
        isopod_store(x + i, isopod_vector_canonical(product, &vector));
    }
}

uint32_t isopod_native_reduce_all(int32_t *x, uint32_t count, const isopod_prime *prime) {
    const uint32_t takes = isopod_has_avx2() && count % 8 == 0;
    if (takes) {
        reduce_all(x, count, prime);
    }
    return takes;
}

uint32_t isopod_native_canonical_all(int32_t *x, uint32_t count, const isopod_prime *prime) {
    const uint32_t takes = isopod_has_avx2() && count % 8 == 0;
    if (takes) {
        canonical_all(x, count, prime);
    }
    return takes;
}

uint32_t isopod_native_to_montgomery_all(int32_t *x, uint32_t count, const isopod_prime *prime) {
    const uint32_t takes = isopod_has_avx2() && count % 8 == 0;
    if (takes) {
        to_montgomery_all(x, count, prime);
    }
    return takes;
}

#endif
