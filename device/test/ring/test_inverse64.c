/* The inverse NTT modulo 64-bit primes at its bounds, for every prime of every set: the forward
 * transform, which has known answers, undoes it. On boards degrees up to 8192. */
#include "../../src/base/memory.h"
#include "../harness/check.h"
#include "../harness/fixture.h"
#include "../harness/tests.h"
#define ISOPOD_WORD_BITS 64
#include "../../src/ring/inverse_ntt.h"
#include "../../src/ring/pointwise.h"
#include "../harness/vector_input.h"

#define PATTERNS 5u

static int64_t pattern_value(uint32_t pattern, uint32_t i, int64_t q, uint32_t *state) {
    uint64_t high = vector_next(state), low = vector_next(state);
    switch (pattern) {
    case 0:
        return q;
    case 1:
        return -q;
    case 2:
        return (i & 1u) != 0 ? q : -q;
    case 3:
        return (high >> 31) != 0 ? q : -q;
    default:
        return (int64_t)((high << 32 | low) % (2u * (uint64_t)q + 1u)) - q;
    }
}

/* Outputs beyond the bound, or whose forward transform differs from the input. */
static uint32_t count_wrong(int64_t *x, const int64_t *given, const isopod_ntt *ntt) {
    int64_t q = (int64_t)ntt->prime->modulus;
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < ntt->length; i++) {
        wrong += x[i] <= -q || x[i] >= q;
    }
    isopod_ntt_layers(x, ntt);
    isopod_canonical_all(x, ntt->length, ntt->prime);
    for (uint32_t i = 0; i < ntt->length; i++) {
        wrong += (given[i] - x[i]) % q != 0;
    }
    return wrong;
}

static void check_prime(const fixture *set, uint8_t prime) {
    isopod_ntt ntt = isopod_ntt_of(set->params, &set->tables, prime);
    int64_t *given = check_memory((size_t)8 * set->n), *x = check_memory((size_t)8 * set->n);
    uint32_t state = VECTOR_FIRST;
    for (uint32_t pattern = 0; pattern < PATTERNS; pattern++) {
        for (uint32_t i = 0; i < set->n; i++) {
            x[i] = given[i] = pattern_value(pattern, i, (int64_t)ntt.prime->modulus, &state);
        }
        isopod_inverse_ntt(x, &ntt, isopod_inverse_ntt_factor(&ntt));
        CHECK(count_wrong(x, given, &ntt) == 0);
    }
}

void test_inverse64(void) {
    for (uint32_t s = 0; s < ISOPOD64_SET_COUNT; s++) {
        fixture set;
        check_memory_reset();
#ifndef ISOPOD_TEST_HOST
        if (isopod64_sets[s]->log2_ring_degree > 13) {
            continue;
        }
#endif
        fixture_tables(&set, isopod64_sets[s]);
        for (uint8_t j = 0; j < set.params->prime_count; j = fixture_next_prime(set.params, j)) {
            size_t mark = check_memory_mark();
            check_case(set.params->name, j);
            check_prime(&set, j);
            check_memory_release(mark);
        }
    }
}
