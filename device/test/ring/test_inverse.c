/* The inverse NTT at its bounds, against a textbook transform with division, for every prime of
 * every set and for small plaintext moduli, from full and from lean tables. On boards, which divide
 * 64-bit numbers in software, degrees up to 4096. */
#include "../../src/ring/inverse_ntt.h"
#include "../../src/ring/polynomial.h"
#include "../harness/check.h"
#include "../harness/fixture.h"
#include "../harness/tests.h"

#if defined ISOPOD_TEST_HOST && !defined ISOPOD_TEST_SMALL_DEGREES
#define LARGEST_LOG2_DEGREE 14
#else
#define LARGEST_LOG2_DEGREE 12
#endif

#define PATTERNS 6u

static int32_t pattern_value(uint32_t pattern, uint32_t i, int32_t q, uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    switch (pattern) {
    case 0:
        return q;
    case 1:
        return -q;
    case 2:
        return (i & 1u) != 0 ? q : -q;
    case 3:
        return (i & 2u) != 0 ? q : -q;
    case 4:
        return (*state >> 31) != 0 ? q : -q;
    default:
        return (int32_t)(*state % (2u * (uint32_t)q + 1u)) - q;
    }
}

static uint32_t residue(int64_t value, int64_t q) {
    return (uint32_t)((value % q + q) % q);
}

static uint32_t power(uint64_t base, uint64_t exponent, uint64_t q) {
    uint64_t result = 1;
    for (; exponent != 0; exponent >>= 1, base = base * base % q) {
        result = exponent & 1u ? result * base % q : result;
    }
    return (uint32_t)result;
}

static uint32_t reversed(uint32_t value, uint32_t bits) {
    uint32_t out = 0;
    for (uint32_t b = 0; b < bits; b++) {
        out |= (value >> b & 1u) << (bits - 1 - b);
    }
    return out;
}

/* roots[i] = psi^-brv(i), by its definition. */
static void fill_roots(uint32_t *roots, const isopod_prime *prime, uint32_t log2_degree) {
    uint64_t inverse = power(prime->root, prime->modulus - 2u, prime->modulus), value = 1;
    for (uint32_t i = 0; i < 1u << log2_degree; i++) {
        roots[reversed(i, log2_degree)] = (uint32_t)value;
        value = value * inverse % prime->modulus;
    }
}

/* n times the inverse transform, layer by layer. */
static void reference(uint32_t *x, const uint32_t *roots, uint32_t n, uint64_t q) {
    for (uint32_t blocks = n / 2, half = 1; blocks > 0; blocks /= 2, half *= 2) {
        for (uint32_t i = 0; i < n; i++) {
            if ((i & half) == 0) {
                uint64_t low = x[i], high = x[i + half];
                x[i] = (uint32_t)((low + high) % q);
                x[i + half] = (uint32_t)((low + q - high) * roots[blocks + i / (2 * half)] % q);
            }
        }
    }
}

/* Outputs within the bound, and 2^32 times them the expected values times factor. */
static uint32_t count_wrong(const int32_t *out, const uint32_t *expected, const isopod_ntt *ntt,
                            int32_t factor) {
    const int64_t q = ntt->prime->modulus;
    uint64_t by = residue(factor, q);
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < ntt->length; i++) {
        uint64_t raised = ((uint64_t)residue(out[i], q) << 32) % (uint64_t)q;
        wrong += out[i] >= q || out[i] <= -q || raised != expected[i] * by % (uint64_t)q;
    }
    return wrong;
}

static void check_pattern(const isopod_ntt *ntt, const uint32_t *roots, uint32_t pattern) {
    const int32_t q = (int32_t)ntt->prime->modulus;
    const int32_t factors[3] = {isopod_inverse_ntt_factor(ntt), q / 2, -(q / 2)};
    int32_t *x = check_memory((size_t)4 * ntt->length);
    uint32_t *expected = check_memory((size_t)4 * ntt->length);
    uint32_t state = 5;
    for (uint32_t i = 0; i < ntt->length; i++) {
        expected[i] = residue(pattern_value(pattern, i, q, &state), q);
    }
    reference(expected, roots, ntt->length, (uint64_t)q);
    for (uint32_t f = 0; f < 3; f++) {
        state = 5;
        for (uint32_t i = 0; i < ntt->length; i++) {
            x[i] = pattern_value(pattern, i, q, &state);
        }
        isopod_inverse_ntt(x, ntt, factors[f]);
        CHECK(count_wrong(x, expected, ntt, factors[f]) == 0);
    }
}

/* Lean tables: the twiddles as products of two short tables. */
static isopod_ntt lean_ntt(const isopod_ntt *full) {
    isopod_ntt lean = *full;
    uint32_t count = full->length / ISOPOD_LEAN_TWIDDLES;
    int32_t *coarse = check_memory((size_t)4 * count);
    for (uint32_t i = 0; i < count; i++) {
        coarse[i] = full->twiddles[i * ISOPOD_LEAN_TWIDDLES];
    }
    lean.coarse = coarse;
    return lean;
}

static void check_transform(const isopod_ntt *ntt) {
    size_t mark = check_memory_mark();
    uint32_t *roots = check_memory((size_t)4 * ntt->length), log2_degree = 0;
    while (1u << log2_degree < ntt->length) {
        log2_degree++;
    }
    isopod_ntt lean = lean_ntt(ntt);
    fill_roots(roots, ntt->prime, log2_degree);
    for (uint32_t pattern = 0; pattern < PATTERNS; pattern++) {
        size_t within = check_memory_mark();
        check_pattern(ntt, roots, pattern);
        if (isopod_reads_lean_tables != 0) {
            check_pattern(&lean, roots, pattern);
        }
        check_memory_release(within);
    }
    check_memory_release(mark);
}

/* Checks that the inverse undoes the forward transform. */
static void check_round_trip(const isopod_ntt *ntt) {
    const int32_t half = (int32_t)(ntt->prime->modulus / 2);
    int32_t *x = check_memory((size_t)4 * ntt->length), wrong = 0;
    for (uint32_t i = 0; i < ntt->length; i++) {
        x[i] = (int32_t)(i * 2654435761u) % half;
    }
    isopod_ntt_layers(x, ntt);
    for (uint32_t i = 0; i < ntt->length; i++) {
        x[i] = isopod_reduce(x[i], ntt->prime);
    }
    isopod_inverse_ntt(x, ntt, isopod_inverse_ntt_factor(ntt));
    for (uint32_t i = 0; i < ntt->length; i++) {
        wrong += residue(x[i] - (int32_t)(i * 2654435761u) % half, ntt->prime->modulus) != 0;
    }
    CHECK(wrong == 0);
}

static void check_set(const isopod_ckks_params *params) {
    fixture set;
    check_memory_reset();
    fixture_tables(&set, params);
    for (uint8_t j = 0; j < params->prime_count; j++) {
        isopod_ntt ntt = isopod_ntt_of(params, &set.tables, j);
        size_t mark = check_memory_mark();
        check_case(params->name, j);
        check_transform(&ntt);
        check_round_trip(&ntt);
        check_memory_release(mark);
    }
}

/* Checks a prime of no set of CKKS, with a root of order 2n from the given generator. */
static void check_small(uint32_t modulus, uint32_t generator, uint32_t log2_degree) {
    uint32_t n = 1u << log2_degree, inverse = 1;
    for (uint32_t i = 0; i < 5; i++) {
        inverse *= 2u - modulus * inverse;
    }
    isopod_prime prime = {.modulus = modulus,
                          .root = power(generator, (modulus - 1u) / (2u * n), modulus),
                          .negative_inverse = 0u - inverse,
                          .barrett = (uint32_t)((((uint64_t)1 << 32) + modulus / 2u) / modulus)};
    int32_t *twiddles = check_memory((size_t)4 * n);
    uint64_t value = ((uint64_t)1 << 32) % modulus;
    for (uint32_t i = 0; i < n; i++, value = value * prime.root % modulus) {
        twiddles[reversed(i, log2_degree)] = isopod_centred((int32_t)value, &prime);
    }
    isopod_ntt ntt = {&prime, twiddles, NULL, n, 1, 0, NULL};
    check_case("small modulus", modulus);
    check_transform(&ntt);
    check_round_trip(&ntt);
}

void test_inverse(void) {
    for (uint32_t s = 0; s < ISOPOD_CKKS_SET_COUNT; s++) {
        if (isopod_ckks_sets[s]->log2_ring_degree <= LARGEST_LOG2_DEGREE) {
            check_set(isopod_ckks_sets[s]);
        }
    }
    check_memory_reset();
    check_small(65537u, 3, 12);
    check_small(65537u, 3, 11);
    check_small(786433u, 10, 12);
#if LARGEST_LOG2_DEGREE > 12 /* the largest degree, of which no set has 32-bit primes */
    check_memory_reset();
    check_small(786433u, 10, 15);
    check_small(1073479681u, 11, 15);
#endif
}
