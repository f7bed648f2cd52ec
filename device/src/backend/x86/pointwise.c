#define isopod_reduce_all isopod_portable_reduce_all
#define isopod_canonical_all isopod_portable_canonical_all
#define isopod_to_montgomery_all isopod_portable_to_montgomery_all
#include "../../ring/pointwise.c"
#undef isopod_reduce_all
#undef isopod_canonical_all
#undef isopod_to_montgomery_all

#include "vector_prime.h"

__typeof__(isopod_portable_reduce_all) isopod_reduce_all;
__typeof__(isopod_portable_canonical_all) isopod_canonical_all;
__typeof__(isopod_portable_to_montgomery_all) isopod_to_montgomery_all;

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

void isopod_reduce_all(int32_t *x, uint32_t count, const isopod_prime *prime) {
    (isopod_has_avx2() && count % 8 == 0 ? reduce_all : isopod_portable_reduce_all)(x, count,
                                                                                    prime);
}

void isopod_canonical_all(int32_t *x, uint32_t count, const isopod_prime *prime) {
    (isopod_has_avx2() && count % 8 == 0 ? canonical_all : isopod_portable_canonical_all)(x, count,
                                                                                          prime);
}

void isopod_to_montgomery_all(int32_t *x, uint32_t count, const isopod_prime *prime) {
    (isopod_has_avx2() && count % 8 == 0 ? to_montgomery_all
                                         : isopod_portable_to_montgomery_all)(x, count, prime);
}
