/* Exact products with a prepared or a held factor (tfhe/ring/ring.h) for AVX2 and FMA, by Fourier
 * transforms in double precision. The error of a Fourier product is at most |a| |s| (1 + e)^(3n)
 * ((1 + e sqrt 5)^(3n + 1) (1 + b)^(3n) - 1) in the largest coefficient, with 2-norms, n layers, e
 * = 2^-53 and roots within b = 4.3 e ([BPZ07]). With 32-bit digits |a| <= 2^31 sqrt N, |s| <= sqrt
 * N, n = 10: below 2^42 * 199 * 2^-53 < 2^-3.3 for N = 2048, half of that for N = 1024. So the
 * nearest integer is the product; it is below 2^42 and exact. Nothing is ever subnormal: additions
 * and multiplications take the same time for all values. */
#include "../../backend.h"
#if ISOPOD_BACKEND_IS(x86)

#include "fourier.h"

#include "../../../tfhe/ring/ring.h"

#include "../../../base/memory.h"

#define HALF_MOST 1024u
/* 2^52 + 2^51: a double of this size has units of one, so that adding it rounds to the nearest
 * integer, whose two's complement is in the low bits. */
#define ROUNDER 0x1.8p52

static int32_t symbol(const isopod_small *small, uint32_t i) {
    if (small->kind == ISOPOD_SECRET_BINARY) {
        return (int32_t)(small->symbols[i / 32u] >> (i % 32u) & 1u);
    }
    return (int32_t)(small->symbols[i / 16u] >> (2u * (i % 16u)) & 3u) - 1;
}

/* points := the factor, divided by the N/2 of the inverse, exactly. */
static void transform_factor(double *points, const isopod_small *small, const double *roots,
                             uint32_t n) {
    int32_t digits[2 * HALF_MOST] = {0};
    for (uint32_t i = 0; i < n; i++) {
        digits[i] = symbol(small, i);
    }
    isopod_fourier_forward(points, digits, roots, n / 2);
    for (uint32_t i = 0; i < n; i++) {
        points[i] /= n / 2;
    }
    isopod_wipe(digits, sizeof digits);
}

/* The factor, then the roots. */
uint32_t isopod_native_ring_prepare(void *memory, const isopod_small *small,
                                    const isopod_ntt *ntt) {
    uint32_t n = ntt->length;
    double *points = memory;
    if (!isopod_has_fourier()) {
        return 0;
    }
    isopod_fourier_roots(points + n, n / 2);
    transform_factor(points, small, points + n, n);
    return 1;
}

/* The low 32 bits of four rounded doubles each. */
ISOPOD_FOURIER_INLINE __m256i round_eight(const double *points) {
    const __m256d rounder = _mm256_set1_pd(ROUNDER);
    __m256d a = _mm256_add_pd(_mm256_loadu_pd(points), rounder);
    __m256d b = _mm256_add_pd(_mm256_loadu_pd(points + 4), rounder);
    __m256 even = _mm256_shuffle_ps(_mm256_castpd_ps(a), _mm256_castpd_ps(b), 0x88);
    return _mm256_permute4x64_epi64(_mm256_castps_si256(even), 0xd8);
}

ISOPOD_FOURIER static void store32(uint32_t *words, const double *points, uint32_t n) {
    for (uint32_t i = 0; i < n; i += 8) {
        isopod_store(words + i, round_eight(points + i));
    }
}

/* The signed lower halves of 64-bit words, and the upper halves, plus one if the lower half is
 * negative. */
ISOPOD_FOURIER static void split_words(int32_t *low, int32_t *high, const uint64_t *words,
                                       uint32_t n) {
    const __m256i evens = _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6);
    const __m256i odds = _mm256_setr_epi32(1, 3, 5, 7, 1, 3, 5, 7);
    const __m256i carry = _mm256_set1_epi64x((int64_t)0x80000000);
    for (uint32_t i = 0; i < n; i += 4) {
        __m256i word = isopod_load(words + i);
        __m256i lower = _mm256_permutevar8x32_epi32(word, evens);
        __m256i upper = _mm256_permutevar8x32_epi32(_mm256_add_epi64(word, carry), odds);
        _mm_storeu_si128((void *)(low + i), _mm256_castsi256_si128(lower));
        _mm_storeu_si128((void *)(high + i), _mm256_castsi256_si128(upper));
    }
}

/* words := low + high * 2^32, where the low product is in `low` and the high one in `high`. */
ISOPOD_FOURIER static void store64(uint64_t *words, const double *low, const double *high,
                                   uint32_t n) {
    const __m256d rounder = _mm256_set1_pd(ROUNDER);
    for (uint32_t i = 0; i < n; i += 4) {
        __m256d a = _mm256_add_pd(_mm256_loadu_pd(low + i), rounder);
        __m256d b = _mm256_add_pd(_mm256_loadu_pd(high + i), rounder);
        __m256i whole = _mm256_sub_epi64(_mm256_castpd_si256(a), _mm256_castpd_si256(rounder));
        __m256i upper = _mm256_slli_epi64(_mm256_castpd_si256(b), 32);
        isopod_store(words + i, _mm256_add_epi64(whole, upper));
    }
}

/* The digits of the words and the words themselves are public; products are not. */
static void product64(uint64_t *words, const double *factor, const double *roots, uint32_t n) {
    double low[2 * HALF_MOST], high[2 * HALF_MOST];
    int32_t low_digits[2 * HALF_MOST], high_digits[2 * HALF_MOST];
    split_words(low_digits, high_digits, words, n);
    isopod_fourier_multiply(low, low_digits, factor, roots, n / 2);
    isopod_fourier_multiply(high, high_digits, factor, roots, n / 2);
    store64(words, low, high, n);
    isopod_wipe(low, sizeof low);
    isopod_wipe(high, sizeof high);
}

static void product32(uint32_t *words, const double *factor, const double *roots, uint32_t n) {
    double points[HALF_MOST];
    isopod_fourier_multiply(points, (const int32_t *)words, factor, roots, n / 2);
    store32(words, points, n);
    isopod_wipe(points, sizeof points);
}

static void multiply(void *words, const double *factor, const double *roots,
                     const isopod_ring *ring) {
    if (ring->log2_modulus == 64) {
        product64(words, factor, roots, ring->ntt.length);
    } else {
        product32(words, factor, roots, ring->ntt.length);
    }
}

uint32_t isopod_native_ring_product_prepared(void *words, const void *memory,
                                             const isopod_ring *ring) {
    const double *factor = memory;
    if (!isopod_has_fourier()) {
        return 0;
    }
    multiply(words, factor, factor + ring->ntt.length, ring);
    return 1;
}

uint32_t isopod_native_ring_product_held(void *words, void *memory, const isopod_small *small,
                                         const isopod_ring *ring) {
    double roots[2 * HALF_MOST];
    uint32_t n = ring->ntt.length;
    if (!isopod_has_fourier()) {
        return 0;
    }
    isopod_fourier_roots(roots, n / 2);
    if (small != NULL) {
        transform_factor(memory, small, roots, n);
    }
    multiply(words, memory, roots, ring);
    return 1;
}

#endif
