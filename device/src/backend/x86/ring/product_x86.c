/* Transform, product and packing of one chunk (ring/product.h) for AVX2: from the last layers on,
 * values stay in registers. */
#include "../../backend.h"
#if ISOPOD_BACKEND_IS(x86)

#include "../../../ring/pointwise.h"
#include "../../../ring/product.h"

#include "../../../base/memory.h"
#include "../random/mask_span.h"
#include "transform.h"

/* The position of a product, which advances by 32 places. */
typedef struct {
    const int32_t *x;
    uint8_t *out; /* the same memory; never ahead of x */
    const uint32_t *key;
    isopod_tail_twiddles twiddles;
    isopod_vector_prime prime;
    __m256i one;
    isopod_packing packing;
} product_run;

ISOPOD_AVX2_INLINE void start_run(product_run *run, int32_t *x, const isopod_product *product) {
    const isopod_ntt *ntt = product->ntt;
    run->x = x;
    run->out = (uint8_t *)x;
    run->key = product->key;
    run->twiddles = isopod_x86_tail_twiddles(ntt);
    run->prime = isopod_vector_prime_of(ntt->prime);
    run->one = _mm256_set1_epi32(isopod_montgomery_one(ntt->prime));
    run->packing = isopod_packing_of(ntt->prime->bits);
}

/* Values below q in magnitude where the layers are lazy (pointwise.h; |x0|, |x1| < 1.7 * 2^30);
 * otherwise |x0|, |x1| < 2q, and the sum is below 1.25 q. */
ISOPOD_AVX2_INLINE __m256i canonical(__m256i x, const isopod_vector_prime *prime, int lazy) {
    if (!lazy) {
        x = _mm256_min_epu32(x, _mm256_add_epi32(x, _mm256_slli_epi32(prime->modulus, 1)));
        x = _mm256_min_epu32(x, _mm256_sub_epi32(x, prime->modulus));
        return x;
    }
    return isopod_vector_canonical(x, prime);
}

/* Options of a run, constant in each of its copies. */
typedef struct {
    int lazy; /* nothing is reduced between layers */
    int odd;  /* residues have an odd number of bits */
} way;

/* x + a*key of eight places, canonical. */
ISOPOD_AVX2_INLINE __m256i eight_residues(const product_run *run, __m256i x, unsigned i,
                                          const int32_t *a, way how) {
    const __m256i factor = isopod_load(a + 8 * i), key = isopod_load(run->key + 8 * i);
    isopod_products sum = isopod_x86_last_layer(x, run->twiddles.twos + 4 * i, run->one);
    sum.even = _mm256_add_epi64(sum.even, _mm256_mul_epi32(factor, key));
    sum.odd = _mm256_add_epi64(sum.odd, _mm256_mul_epi32(isopod_odd(factor), isopod_odd(key)));
    return canonical(isopod_vector_redc(sum.even, sum.odd, &run->prime), &run->prime, how.lazy);
}

ISOPOD_AVX2_INLINE void product_group(product_run *run, const int32_t *a, way how) {
    __m256i v[4];
    isopod_x86_tail_layers(v, run->x, &run->twiddles, &run->prime, how.lazy);
#pragma GCC unroll 16
    for (unsigned i = 0; i < 4; i++) {
        isopod_pack(run->out, eight_residues(run, v[i], i, a, how), &run->packing, how.odd);
        run->out += run->packing.bits;
    }
    run->x += 32;
    run->key += 32;
    run->twiddles.eights += 4;
    run->twiddles.fours += 8;
    run->twiddles.twos += 16;
}

ISOPOD_AVX2_INLINE void run_groups(product_run *run, const int32_t *a, uint32_t count, way how) {
    product_run own = *run;
    for (uint32_t i = 0; i < count; i += 32) {
        product_group(&own, a + i, how);
    }
    *run = own;
}

ISOPOD_AVX2_APART void run_lazy_even(product_run *run, const int32_t *a, uint32_t count) {
    run_groups(run, a, count, (way){1, 0});
}

ISOPOD_AVX2_APART void run_lazy_odd(product_run *run, const int32_t *a, uint32_t count) {
    run_groups(run, a, count, (way){1, 1});
}

ISOPOD_AVX2_APART void run_reduced_even(product_run *run, const int32_t *a, uint32_t count) {
    run_groups(run, a, count, (way){0, 0});
}

ISOPOD_AVX2_APART void run_reduced_odd(product_run *run, const int32_t *a, uint32_t count) {
    run_groups(run, a, count, (way){0, 1});
}

/* The next `count` places, a multiple of 32. */
static ISOPOD_AVX2 void continue_run(product_run *run, const isopod_prime *prime, const int32_t *a,
                                     uint32_t count) {
    if (isopod_x86_is_lazy(prime)) {
        ((prime->bits & 1u) != 0 ? run_lazy_odd : run_lazy_even)(run, a, count);
    } else {
        ((prime->bits & 1u) != 0 ? run_reduced_odd : run_reduced_even)(run, a, count);
    }
}

#define MASK_SLICE 512u

static ISOPOD_AVX2 uint32_t with_mask(int32_t *x, const isopod_product *product,
                                      isopod_mask *mask) {
    const uint32_t length = product->ntt->length;
    const uint32_t slice = length < MASK_SLICE ? length : MASK_SLICE;
    product_run run;
    isopod_mask_span span;
    uint32_t a[MASK_SLICE]; /* the mask is public */
    isopod_x86_transform_head(x, product->polynomial, product->ntt);
    start_run(&run, x, product);
    isopod_mask_span_start(&span, mask, length);
    for (uint32_t i = 0; i < length; i += slice) {
        isopod_mask_span_fill(&span, a, slice);
        continue_run(&run, product->ntt->prime, (const int32_t *)a, slice);
    }
    isopod_wipe_stack();
    return (uint32_t)(run.out - (uint8_t *)x);
}

static ISOPOD_AVX2 uint32_t with_known(int32_t *x, const isopod_product *product,
                                       const int32_t *a) {
    product_run run;
    isopod_x86_transform_head(x, product->polynomial, product->ntt);
    start_run(&run, x, product);
    continue_run(&run, product->ntt->prime, a, product->ntt->length);
    isopod_wipe_stack();
    return (uint32_t)(run.out - (uint8_t *)x);
}

uint32_t isopod_native_product_with_mask(int32_t *x, const isopod_product *product,
                                         isopod_mask *mask) {
    return isopod_has_avx2() ? with_mask(x, product, mask) : 0;
}

uint32_t isopod_native_product_with(int32_t *x, const isopod_product *product, const int32_t *a) {
    return isopod_has_avx2() ? with_known(x, product, a) : 0;
}

#endif
