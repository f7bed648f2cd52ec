/* Samples at fixed seeds against their exact distributions. Chi-square limits are the 1 - 10^-4
 * quantiles: a correct sampler passes for 9999 of 10000 seeds, and these seeds are among them. */
#include "../../src/random/sample.h"
#include "../harness/check.h"
#include "../harness/fixture.h"
#include "../harness/tests.h"

#define SAMPLES 131072u
#define LIMIT_2 18.42 /* degrees of freedom */
#define LIMIT_15 44.26
#define LIMIT_22 55.52

static const isopod_suite *const suites[2] = {&isopod_suite_chacha20, &isopod_suite_shake256};

static double term(double observed, double expected) {
    return (observed - expected) * (observed - expected) / expected;
}

static void start(isopod_stream *stream, uint32_t suite, uint8_t *key, uint32_t domain) {
    isopod_stream_name name = {domain, 0};
    fixture_bytes(key, (uint8_t)(0x11 * domain), 32);
    isopod_stream_start(stream, suites[suite], key, name);
}

/* Probability of a count of `ones` among 42 fair bits; the products stay integers below 2^53. */
static double binomial42(uint32_t ones) {
    double ways = 1;
    for (uint32_t i = 1; i <= ones; i++) {
        ways = ways * (43 - i) / i;
    }
    return ways / 4398046511104.0;
}

/* 21 single bins -10..10 and a tail on either side. */
static double cbd_chi_square(const uint32_t counts[43]) {
    double sum = 0, tail = 0, tail_probability = 0;
    for (uint32_t side = 0; side < 2; side++) {
        tail = tail_probability = 0;
        for (uint32_t i = 0; i <= 10; i++) {
            tail += counts[side == 0 ? i : 42 - i];
            tail_probability += binomial42(i);
        }
        sum += term(tail, tail_probability * SAMPLES);
    }
    for (uint32_t i = 11; i <= 31; i++) {
        sum += term(counts[i], binomial42(i) * SAMPLES);
    }
    return sum;
}

/* Mean 0 and variance 10.5 within five standard deviations of their estimates; the fourth moment is
 * that of 42 fair bits. */
static void check_moments(const int8_t *samples) {
    int64_t sum = 0, squares = 0;
    for (uint32_t i = 0; i < SAMPLES; i++) {
        sum += samples[i];
        squares += samples[i] * samples[i];
    }
    double variance_error = (double)squares / SAMPLES - 10.5;
    CHECK((double)sum * (double)sum < 25 * 10.5 * SAMPLES);
    CHECK(variance_error * variance_error < 25 * (10.5 * 10.5 * (2.0 - 0.5 / 10.5)) / SAMPLES);
}

static void check_error(uint32_t suite, uint32_t domain) {
    int8_t *samples = check_memory(SAMPLES);
    uint32_t counts[43] = {0};
    uint8_t key[32];
    isopod_stream stream;
    start(&stream, suite, key, domain);
    isopod_sample_error(samples, SAMPLES, &stream);
    for (uint32_t i = 0; i < SAMPLES; i++) {
        CHECK_QUIET(samples[i] >= -21 && samples[i] <= 21);
        counts[samples[i] + 21]++;
    }
    CHECK(cbd_chi_square(counts) < LIMIT_22);
    check_moments(samples);
}

/* The sampler by its definition: two bits at a time, threes dropped. Returns the number dropped. */
static uint32_t reference_ternary(uint8_t *symbols, isopod_stream *stream) {
    uint32_t word = 0, left = 0, dropped = 0;
    for (uint32_t i = 0; i < SAMPLES;) {
        if (left == 0) {
            isopod_stream_words(stream, &word, 1);
            left = 16;
        }
        symbols[i] = word & 3u;
        dropped += symbols[i] == 3;
        i += symbols[i] != 3;
        word >>= 2;
        left--;
    }
    return dropped;
}

static void check_ternary(uint32_t suite, uint32_t domain) {
    uint32_t *packed = check_memory(SAMPLES / 4);
    uint8_t *expected = check_memory(SAMPLES + 1), key[32];
    uint32_t counts[4] = {0}, next[2];
    isopod_stream stream, reference;
    start(&stream, suite, key, domain);
    start(&reference, suite, key, domain);
    isopod_sample_ternary(packed, SAMPLES, &stream);
    double dropped = reference_ternary(expected, &reference);
    for (uint32_t i = 0; i < SAMPLES; i++) {
        uint32_t symbol = packed[i / 16] >> (2 * (i % 16)) & 3u;
        CHECK_QUIET(symbol == expected[i]);
        counts[symbol]++;
    }
    isopod_stream_words(&stream, &next[0], 1);
    isopod_stream_words(&reference, &next[1], 1);
    CHECK(next[0] ==
          next[1]); /* exactly as many words were used: exactly as many symbols were dropped */
    CHECK(counts[3] == 0);
    double third = SAMPLES / 3.0;
    CHECK(term(counts[0], third) + term(counts[1], third) + term(counts[2], third) < LIMIT_2);
    /* Dropped before SAMPLES are kept, each with 3/4: mean SAMPLES/3, variance SAMPLES * 4/9. */
    CHECK((dropped - third) * (dropped - third) < 25.0 * SAMPLES * 4 / 9);
    check_report("ternary symbols dropped of 131072 kept:", (uint64_t)dropped);
}

static double mask_chi_square(const uint32_t *mask, uint32_t n, uint32_t q) {
    uint32_t counts[16] = {0};
    double sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        counts[(uint64_t)mask[i] * 16 / q]++;
    }
    for (uint64_t bin = 0; bin < 16; bin++) {
        uint64_t values = (q * (bin + 1) + 15) / 16 - (q * bin + 15) / 16;
        sum += term(counts[bin], (double)n * (double)values / q);
    }
    return sum;
}

static void check_mask(const isopod_ckks_params *params, const isopod_suite *suite, uint8_t first) {
    uint32_t n = 1u << params->log2_ring_degree, refill = 0;
    uint32_t *mask = check_memory((size_t)4 * n);
    uint8_t seed[ISOPOD_MASK_SEED_MAXIMUM];
    fixture_bytes(seed, first, sizeof seed);
    for (uint8_t j = 0; j < params->prime_count; j++) {
        uint32_t q = params->primes[j].modulus;
        isopod_mask_expand(mask, suite, seed, params, j, &refill);
        for (uint32_t i = 0; i < n; i++) {
            CHECK_QUIET(mask[i] < q);
        }
        CHECK(mask_chi_square(mask, n, q) < LIMIT_15);
    }
}

void test_distribution(void) {
    static const isopod_suite *const all[3] = {&isopod_suite_chacha20, &isopod_suite_shake256,
                                               &isopod_suite_seal_shake256};
    for (uint32_t suite = 0; suite < 2; suite++) {
        check_memory_reset();
        check_case("error", suite);
        check_error(suite, ISOPOD_DOMAIN_ERROR0);
        check_error(suite, ISOPOD_DOMAIN_ERROR1);
        check_case("ternary", suite);
        check_ternary(suite, ISOPOD_DOMAIN_TERNARY);
        check_ternary(suite, ISOPOD_DOMAIN_SECRET_KEY);
    }
    for (uint32_t suite = 0; suite < 3; suite++) {
        check_memory_reset();
        check_case("mask", suite);
        check_mask(&isopod_ckks_16384x13_multiply, all[suite], 0x21);
        check_mask(&isopod_ckks_8192x6_multiply, all[suite], 0x22);
        check_mask(&isopod_ckks_4096x3_multiply, all[suite], 0x23);
    }
}
