/* Rounding and packing against the formula of spec/coefficients.md, section 2: every number of
 * dropped bits, coefficients next to where they round beyond q, largest messages and errors. */
#include "../../src/base/parameters.h"
#include "../../src/encrypt/rounded.h"
#include "../../src/ring/power.h"
#include "../harness/check.h"
#include "../harness/tests.h"
#include "../harness/vector_input.h"

enum { COUNT = ISOPOD_ROUNDED_BLOCK, MOST_ERROR = 21 };

typedef struct {
    isopod_encryption_config config;
    isopod_encryptor encryptor;
    isopod_rounding rounding;
    isopod_rounded context;
    isopod_rounded_state *state;
    uint64_t modulus;
    uint32_t bits, random;
    int64_t coefficients[COUNT], messages[COUNT];
    int16_t numbers[COUNT];
} rounding_test;

static uint64_t next64(rounding_test *test) {
    uint64_t high = vector_next(&test->random);
    return high << 32 | vector_next(&test->random);
}

/* Numbers below q: random, or next to 0, to q and to what rounds beyond it. */
static int64_t coefficient(rounding_test *test, uint32_t i) {
    uint64_t q = test->modulus, half = (uint64_t)1 << test->state->dropped >> 1;
    const uint64_t edges[6] = {
        0, q - 1, half, q - half, q / 2, (q - 1) >> test->state->dropped << test->state->dropped};
    uint64_t value = next64(test);
    return (int64_t)(i % 4 == 0 ? value % q : (edges[i % 6] + q + value % 5 - 2) % q);
}

/* A residue, or its representative below zero. */
static isopod_word representative(rounding_test *test, int64_t value, uint32_t prime) {
    uint32_t q = test->config.params->primes[prime].modulus;
    isopod_word residue = (isopod_word)((uint64_t)value % q);
    return (next64(test) & 1) != 0 && residue != 0 ? residue - (isopod_word)q : residue;
}

static void open_test(rounding_test *test, const isopod_params *params, uint32_t level) {
    isopod_rounding rounding = {.method = &isopod_rounded_public_small, .columns = 1};
    size_t bytes =
        ISOPOD_ROUNDED_PUBLIC_SMALL_WORKSPACE((size_t)1 << params->log2_ring_degree, level);
    test->rounding = rounding;
    test->config.params = params;
    test->config.level = (uint8_t)level;
    test->encryptor.workspace.memory = check_memory(bytes);
    test->context.encryption.encryptor = &test->encryptor;
    test->config.rounding = &test->rounding;
    test->context.encryption.config = &test->config;
    test->state = isopod_rounded_state_of(&test->context);
    test->modulus = isopod_rounded_modulus(&test->config);
    test->bits = isopod_rounded_modulus_bits(&test->config);
    test->state->modulus = test->modulus;
    if (level == 2) {
        const isopod_prime *second = &params->primes[1];
        isopod_word first = isopod_to_montgomery(params->primes[0].modulus, second);
        first = isopod_montgomery_power(first, second->modulus - 2u, second);
        test->state->inverse = isopod_centred(first, second);
    }
}

/* Coefficients without their messages and errors, which put adds. */
static void fill(rounding_test *test, int32_t factor) {
    int64_t most = (int64_t)(test->modulus / 2);
    for (uint32_t i = 0; i < COUNT; i++) {
        uint64_t random = next64(test);
        int64_t error = (int64_t)(random % (2 * MOST_ERROR + 1)) - MOST_ERROR;
        int64_t message = i % 5 == 0 ? most : i % 5 == 1 ? -most : (int64_t)(random >> 4) % most;
        test->numbers[i] = (int16_t)(random >> 40);
        test->messages[i] = factor != 0 ? (int64_t)test->numbers[i] * factor : message;
        test->coefficients[i] = coefficient(test, i);
        test->state->error[i] = (int8_t)error;
        int64_t bare = test->coefficients[i] - test->messages[i] - error;
        bare += 2 * (int64_t)test->modulus;
        for (uint32_t j = 0; j < test->config.level; j++) {
            isopod_rounded_polynomial(&test->context, j)[i] = representative(test, bare, j);
        }
    }
}

static uint64_t expected(const rounding_test *test, uint32_t i) {
    uint32_t dropped = test->state->dropped;
    uint64_t half = (uint64_t)1 << dropped >> 1;
    uint64_t rounded = ((uint64_t)test->coefficients[i] + half) >> dropped;
    return rounded << dropped >= test->modulus ? 0 : rounded;
}

static uint64_t field(const uint32_t *words, uint32_t at, uint32_t count) {
    uint64_t value = 0;
    for (uint32_t b = 0; b < count; b++, at++) {
        value |= (uint64_t)(words[at / 32] >> at % 32 & 1u) << b;
    }
    return value;
}

/* All coefficients in pieces of every parity. */
static void check_piece(rounding_test *test, int32_t factor) {
    static const uint8_t ends[5] = {1, 4, 37, 63, COUNT};
    uint32_t first = 0, kept = test->state->kept;
    fill(test, factor);
    for (uint32_t p = 0; p < 5; first = ends[p++]) {
        const isopod_rounded_piece piece = {test->messages + first, first, ends[p] - first,
                                            factor != 0 ? test->numbers + first : NULL, factor};
        isopod_rounded_put(&test->context, &piece);
    }
    isopod_rounded_put_end(test->state);
    CHECK(test->state->length == (COUNT * kept + 7) / 8);
    for (uint32_t i = 0; i < COUNT; i++) {
        CHECK_QUIET(field(test->state->piece, i * kept, kept) == expected(test, i));
    }
    test->state->length = 0;
}

static void check_set(const isopod_params *params, uint32_t level) {
    rounding_test test = {.random = level};
    open_test(&test, params, level);
    for (uint32_t dropped = 0; dropped < test.bits && dropped <= ISOPOD_ROUNDED_DROPPED;
         dropped++) {
        check_case(params->name, dropped);
        test.state->dropped = dropped;
        test.state->kept = test.bits - dropped;
        check_piece(&test, 0);
        if (level == 1) {
            check_piece(&test, 1 << (test.bits - 18));
            check_piece(&test, 1);
        }
    }
    check_memory_reset();
}

void test_rounded_words(void) {
    check_set(&isopod_ckks_1024x1_sum, 1);
    check_set(&isopod_ckks_2048x1_air, 1);
    check_set(&isopod_ckks_2048x2_air, 2);
    check_set(&isopod_ckks_4096x2_linear, 2);
}
