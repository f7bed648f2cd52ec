/* Modular arithmetic at its edges, for every prime: congruence against 64-bit division, and the
 * stated bounds. */
#include "../../src/ring/montgomery.h"
#include "../harness/check.h"
#include "../harness/fixture.h"
#include "../harness/tests.h"

#define EDGES 20u
#define RANDOM 200u
#define VALUES (EDGES + RANDOM)

static uint32_t wrong;

static uint64_t residue(int64_t value, const isopod_prime *prime) {
    int64_t q = prime->modulus;
    return (uint64_t)((value % q + q) % q);
}

static uint64_t magnitude(int64_t value) {
    return (uint64_t)(value < 0 ? -value : value);
}

/* Edges of the range |x| < 2^31 and of the multiples of q, then random ones. */
static void fill(int32_t values[VALUES], const isopod_prime *prime) {
    const int32_t q = (int32_t)prime->modulus, largest = INT32_MAX;
    const int32_t edges[EDGES / 2] = {0, 1,     q / 2,       q / 2 + 1, q - 1,
                                      q, q + 1, largest - 1, largest,   largest / q * q};
    uint32_t state = prime->modulus;
    for (uint32_t i = 0; i < EDGES; i++) {
        values[i] = i < EDGES / 2 ? edges[i] : -edges[i - EDGES / 2];
    }
    for (uint32_t i = EDGES; i < VALUES; i++) {
        state = state * 1664525u + 1013904223u;
        values[i] = state == 0x80000000u ? 0 : (int32_t)state;
    }
}

/* |result| < 3q/4, as ntt.c relies on; within 0.69 q for primes above 0.9 * 2^30. */
static void check_reduce(int32_t value, const isopod_prime *prime) {
    int32_t reduced = isopod_reduce(value, prime);
    uint64_t limit = prime->modulus > 966367641u ? 69 : 75;
    wrong += residue(reduced, prime) != residue(value, prime);
    wrong += magnitude(reduced) * 100 >= limit * prime->modulus;
    wrong += isopod_canonical(reduced, prime) != residue(value, prime);
}

/* result * 2^32 = a*b, |result| <= |a*b| / 2^32 + q/2, for |b| < q. */
static void check_montgomery(int32_t a, int32_t b, const isopod_prime *prime) {
    int32_t result = isopod_montgomery(a, b, prime);
    uint64_t shifted = residue((int64_t)residue(result, prime) << 32, prime);
    wrong += shifted != residue((int64_t)a * b, prime);
    wrong += magnitude(result) > (magnitude((int64_t)a * b) >> 32) + prime->modulus / 2 + 1;
}

static void check_constants(const isopod_prime *prime) {
    const uint64_t q = prime->modulus;
    const uint64_t one = ((uint64_t)1 << 32) % q;
    CHECK(prime->montgomery_square == one * one % q);
    CHECK((uint32_t)(prime->negative_inverse * prime->modulus) == UINT32_MAX);
    CHECK(residue(isopod_montgomery_one(prime), prime) == one);
    CHECK(magnitude(isopod_montgomery_one(prime)) <= q / 2);
}

static void check_prime(const isopod_prime *prime) {
    int32_t values[VALUES];
    fill(values, prime);
    check_constants(prime);
    wrong = 0;
    for (uint32_t i = 0; i < VALUES; i++) {
        check_reduce(values[i], prime);
        for (uint32_t k = 0; k < VALUES; k += k < EDGES ? 1 : 11) {
            check_montgomery(values[i], isopod_reduce(values[k], prime), prime);
        }
    }
    CHECK(wrong == 0);
}

void test_arithmetic(void) {
    for (uint32_t s = 0; s < ISOPOD_CKKS_SET_COUNT; s++) {
        for (uint32_t j = 0; j < isopod_ckks_sets[s]->prime_count; j++) {
            check_case(isopod_ckks_sets[s]->name, j);
            check_prime(&isopod_ckks_sets[s]->primes[j]);
        }
    }
}
