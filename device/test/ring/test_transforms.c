/* The NTT on inputs that drive it to its bounds, all of magnitude 2^31 - 1, for every prime and
 * number of chunks, against a textbook transform with division. Sanitised builds also see that
 * nothing overflows on the way. On boards, which divide 64-bit numbers in software, degrees up to
 * 4096. */
#include "../../src/ring/pointwise.h"
#include "../../src/ring/polynomial.h"
#include "../harness/check.h"
#include "../harness/fixture.h"
#include "../harness/tests.h"

#if defined ISOPOD_TEST_HOST && !defined ISOPOD_TEST_SMALL_DEGREES
#define LARGEST_LOG2_DEGREE 15
#else
#define LARGEST_LOG2_DEGREE 12
#endif

#define PATTERNS 6u

static int32_t pattern_value(uint32_t pattern, uint32_t i, uint32_t n, uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    switch (pattern) {
    case 0:
        return INT32_MAX;
    case 1:
        return -INT32_MAX;
    case 2:
        return (i & 1u) != 0 ? INT32_MAX : -INT32_MAX;
    case 3:
        return i < n / 2 ? INT32_MAX : -INT32_MAX;
    case 4:
        return (i & 3u) < 2 ? INT32_MAX : -INT32_MAX;
    default:
        return (*state >> 31) != 0 ? INT32_MAX : -INT32_MAX;
    }
}

/* psi^brv(i), i < n, by its definition. */
static void fill_roots(uint32_t *roots, const isopod_prime *prime, uint32_t log2_degree) {
    uint64_t value = 1;
    for (uint32_t i = 0; i < 1u << log2_degree; i++) {
        uint32_t reversed = 0;
        for (uint32_t b = 0; b < log2_degree; b++) {
            reversed |= (i >> b & 1u) << (log2_degree - 1 - b);
        }
        roots[reversed] = (uint32_t)value;
        value = value * prime->root % prime->modulus;
    }
}

static void reference(uint32_t *x, const uint32_t *roots, uint32_t n, uint64_t q) {
    for (uint32_t blocks = 1, half = n / 2; blocks < n; blocks *= 2, half /= 2) {
        for (uint32_t g = 0; g < blocks; g++) {
            for (uint32_t i = 2 * half * g; i < 2 * half * g + half; i++) {
                uint64_t high = (uint64_t)x[i + half] * roots[blocks + g] % q;
                uint64_t low = x[i];
                x[i] = (uint32_t)((low + high) % q);
                x[i + half] = (uint32_t)((low + q - high) % q);
            }
        }
    }
}

static void load_input(const isopod_polynomial *polynomial, uint32_t first,
                       int32_t out[ISOPOD_FOLD_BLOCK]) {
    for (uint32_t i = 0; i < ISOPOD_FOLD_BLOCK; i++) {
        out[i] = ((const int32_t *)polynomial->words)[first + i];
    }
}

/* Outputs within the bound of ntt.h, and congruent to the reference. */
static uint32_t count_wrong(const int32_t *out, const uint32_t *expected, uint32_t n, int64_t q) {
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < n; i++) {
        wrong += out[i] >= 2 * q || out[i] <= -2 * q;
        wrong += (uint32_t)((out[i] + 2 * q) % q) != expected[i];
    }
    return wrong;
}

/* Lean tables: the twiddles as products of two short tables. */
static isopod_ntt lean_ntt(const isopod_ntt *full) {
    isopod_ntt lean = *full;
    uint32_t coarse_count = full->length / ISOPOD_LEAN_TWIDDLES;
    int32_t *fine = check_memory((size_t)4 * ISOPOD_LEAN_TWIDDLES);
    int32_t *coarse = check_memory((size_t)4 * coarse_count);
    for (uint32_t i = 0; i < ISOPOD_LEAN_TWIDDLES; i++) {
        fine[i] = full->twiddles[i];
    }
    for (uint32_t i = 0; i < coarse_count; i++) {
        coarse[i] = full->twiddles[i * ISOPOD_LEAN_TWIDDLES];
    }
    lean.twiddles = fine;
    lean.coarse = coarse;
    return lean;
}

static void check_chunks(const isopod_ntt *whole, const int32_t *input, const uint32_t *expected) {
    const isopod_prime *prime = whole->prime;
    uint32_t n = whole->length;
    isopod_polynomial polynomial = {load_input, input, NULL, prime, n, 0};
    int32_t *out = check_memory((size_t)4 * n);
    for (uint8_t chunks = 1; chunks <= 8; chunks *= 2) {
        for (uint8_t c = 0; c < chunks; c++) {
            isopod_ntt ntt = *whole;
            ntt.length /= chunks;
            ntt.chunks = chunks;
            ntt.chunk = c;
            isopod_polynomial_ntt(out + c * ntt.length, &polynomial, &ntt);
        }
        CHECK(count_wrong(out, expected, n, prime->modulus) == 0);
    }
}

static void check_prime(const fixture *set, uint32_t j) {
    const isopod_prime *prime = &set->params->primes[j];
    const isopod_ntt full = isopod_ntt_of(set->params, &set->tables, (uint8_t)j);
    const isopod_ntt lean = lean_ntt(&full);
    int64_t q = prime->modulus;
    int32_t *input = check_memory((size_t)4 * set->n);
    uint32_t *expected = check_memory((size_t)4 * set->n),
             *roots = check_memory((size_t)4 * set->n);
    fill_roots(roots, prime, set->params->log2_ring_degree);
    for (uint32_t pattern = 0; pattern < PATTERNS; pattern++) {
        size_t mark = check_memory_mark();
        uint32_t state = 99;
        for (uint32_t i = 0; i < set->n; i++) {
            input[i] = pattern_value(pattern, i, set->n, &state);
            expected[i] = (uint32_t)((input[i] % q + q) % q);
        }
        reference(expected, roots, set->n, (uint64_t)q);
        check_chunks(&full, input, expected);
        if (isopod_reads_lean_tables != 0) {
            check_chunks(&lean, input, expected);
        }
        check_memory_release(mark);
    }
}

static void check_set(const isopod_params *params) {
    fixture set;
    if (params->log2_ring_degree > LARGEST_LOG2_DEGREE) {
        check_report("left to the host: degree", (uint64_t)1 << params->log2_ring_degree);
        return;
    }
    check_memory_reset();
    fixture_tables(&set, params);
    for (uint32_t j = 0; j < set.params->prime_count; j++) {
        size_t mark = check_memory_mark();
        check_case(set.params->name, j);
        check_prime(&set, j);
        check_memory_release(mark);
    }
}

/* Checks the largest degree, of which no set has 32-bit primes, at the limits of 30 and 27 bits. */
static void check_largest_degree(void) {
    static const isopod_prime primes[2] = {{1073479681u, 15589u, 1073479679u, 4u, 260045840u, 30},
                                           {132710401u, 2388u, 132710399u, 32u, 92373765u, 27}};
    const isopod_ckks_params set = {.name = "largest degree",
                                    .log2_ring_degree = 15,
                                    .prime_count = 2,
                                    .label = ISOPOD_LABEL_128,
                                    .log2_scale_max = 30,
                                    .primes = primes};
    check_set(&set);
}

void test_transforms(void) {
    for (uint32_t s = 0; s < ISOPOD_CKKS_SET_COUNT; s++) {
        check_set(isopod_ckks_sets[s]);
    }
    check_largest_degree();
}
