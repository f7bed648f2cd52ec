/* Compact polynomials (ring/polynomial.h) at their bounds and at random, against the transform of
 * their coefficients, which are computed here by definition; the words of BFV, and the gaps of
 * ternary symbols, against their definitions. Kernels replace all of these. */
#include "../../src/encode/integers.h"
#include "../../src/random/sample.h"
#include "../../src/ring/montgomery.h"
#include "../../src/ring/polynomial.h"
#include "../harness/check.h"
#include "../harness/fixture.h"
#include "../harness/tests.h"
#include "../harness/vector_input.h"

enum { MOST_ERROR = 21, MOST_MESSAGE = 1 << 30, PATTERNS = 4 };
#define MOST_NOISY                                                                                 \
    ((int32_t)(21u * (1u << 26) + (1u << 25) - 1u)) /* of integers with their noise */

typedef enum { ERRORS, MESSAGE, TERNARY, INTEGERS, NOISY, FORMS } form;

typedef struct {
    isopod_polynomial polynomial;
    int32_t *words, *coefficients, *out, *expected;
    int8_t *error;
    uint32_t random;
} compact_test;

/* A number within -most .. most: the largest, the smallest, their alternation, or random ones. */
static int32_t pattern_value(compact_test *test, uint32_t pattern, uint32_t i, int32_t most) {
    uint64_t random = vector_next(&test->random);
    switch (pattern) {
    case 0:
        return most;
    case 1:
        return -most;
    case 2:
        return (i & 1u) != 0 ? most : -most;
    default:
        return (int32_t)(random * (2u * (uint64_t)most + 1u) >> 32) - most;
    }
}

static void fill_words(compact_test *test, form of, uint32_t pattern) {
    const int32_t most = of == MESSAGE ? MOST_MESSAGE : of == NOISY ? MOST_NOISY : INT32_MAX;
    const uint32_t n = test->polynomial.n;
    for (uint32_t i = 0; i < n; i++) {
        test->words[i] = pattern_value(test, pattern, i, most);
        test->error[i] = (int8_t)pattern_value(test, pattern, i, MOST_ERROR);
    }
    for (uint32_t i = 0; of == TERNARY && i < n / 16; i++) {
        uint32_t word = 0;
        for (uint32_t j = 0; j < 16; j++) {
            word |= (uint32_t)(pattern_value(test, pattern, 16 * i + j, 1) + 1) << 2 * j;
        }
        ((uint32_t *)test->words)[i] = word;
    }
}

/* Coefficient i of the packed words (spec/ckks.md, section 4). */
static int32_t message_at(const int32_t *words, uint32_t n, uint32_t i) {
    const uint32_t m = n / 4, t = i % m;
    const int32_t first[4] = {words[0], words[1], 0, -words[1]};
    if (t == 0) {
        return first[i / m];
    }
    switch (i / m) {
    case 0:
        return words[2 * t];
    case 1:
        return words[2 * (m - t) + 1];
    case 2:
        return -words[2 * t + 1];
    default:
        return -words[2 * (m - t)];
    }
}

static int64_t value_at(const compact_test *test, form of, uint32_t i) {
    const isopod_prime *prime = test->polynomial.prime;
    const int64_t error = test->polynomial.error != NULL ? test->error[i] : 0;
    switch (of) {
    case ERRORS:
        return error;
    case MESSAGE:
        return error + message_at(test->words, test->polynomial.n, i);
    case TERNARY: {
        uint32_t symbol = ((const uint32_t *)test->words)[i / 16] >> 2 * (i % 16) & 3u;
        return ((int64_t)symbol - 1) * test->polynomial.factor;
    }
    default:
        return error + isopod_montgomery(test->words[i], test->polynomial.factor, prime);
    }
}

static void load_plain(const isopod_polynomial *polynomial, uint32_t first,
                       int32_t out[ISOPOD_FOLD_BLOCK]) {
    for (uint32_t i = 0; i < ISOPOD_FOLD_BLOCK; i++) {
        out[i] = ((const int32_t *)polynomial->words)[first + i];
    }
}

static int64_t residue(int64_t value, int64_t q) {
    return (value % q + q) % q;
}

/* Transforms in chunks, next to the transform of the coefficients. */
static void check_chunks(compact_test *test, const isopod_ntt *whole) {
    const int64_t q = whole->prime->modulus;
    const isopod_polynomial plain = {load_plain,   test->coefficients, NULL,
                                     whole->prime, whole->length,      0};
    for (uint8_t chunks = 1; chunks <= 8; chunks *= 2) {
        uint32_t wrong = 0;
        for (uint8_t c = 0; c < chunks; c++) {
            isopod_ntt ntt = *whole;
            ntt.length /= chunks, ntt.chunks = chunks, ntt.chunk = c;
            isopod_polynomial_ntt(test->out, &test->polynomial, &ntt);
            isopod_polynomial_ntt(test->expected, &plain, &ntt);
            for (uint32_t i = 0; i < ntt.length; i++) {
                int64_t out = test->out[i];
                wrong += out >= 2 * q || out <= -2 * q ||
                         residue(out, q) != residue(test->expected[i], q);
            }
        }
        CHECK(wrong == 0);
    }
}

static void check_form(compact_test *test, const isopod_ntt *ntt, form of) {
    static void (*const loads[FORMS])(const isopod_polynomial *, uint32_t, int32_t *) = {
        isopod_load_error, isopod_load_message32, isopod_load_ternary, isopod_load_integers,
        isopod_load_integers};
    const int32_t half = (int32_t)(ntt->prime->modulus / 2);
    const int32_t factors[3] = {half, -half, isopod_montgomery_one(ntt->prime)};
    test->polynomial.load = loads[of];
    test->polynomial.words = of == ERRORS ? NULL : test->words;
    test->polynomial.error = of == TERNARY || of == NOISY ? NULL : test->error;
    for (uint32_t pattern = 0; pattern < PATTERNS; pattern++) {
        check_case(ntt->prime->bits == 27 ? "compact, 27 bits" : "compact", 10u * of + pattern);
        test->polynomial.factor = factors[pattern % 3];
        fill_words(test, of, pattern);
        for (uint32_t i = 0; i < ntt->length; i++) {
            int64_t q = ntt->prime->modulus;
            test->coefficients[i] = (int32_t)(residue(value_at(test, of, i), q));
        }
        check_chunks(test, ntt);
    }
}

static void check_set(const isopod_params *params) {
    fixture set;
    check_memory_reset();
    fixture_tables(&set, params);
    for (uint32_t j = 0; j < params->prime_count; j++) {
        const isopod_ntt ntt = isopod_ntt_of(params, &set.tables, (uint8_t)j);
        const size_t mark = check_memory_mark(), bytes = (size_t)4 * set.n;
        compact_test test = {.words = check_memory(bytes),
                             .coefficients = check_memory(bytes),
                             .out = check_memory(bytes),
                             .expected = check_memory(bytes),
                             .error = check_memory(set.n),
                             .random = VECTOR_FIRST + j};
        test.polynomial.prime = ntt.prime;
        test.polynomial.n = set.n;
        for (uint32_t of = 0; of < FORMS; of++) {
            check_form(&test, &ntt, (form)of);
        }
        check_memory_release(mark);
    }
}

/* v = h - ((x + h) mod t), h = (t + 1)/2, for every |x| < t near the ends and the middle. */
static void check_integers(const isopod_prime *plain) {
    enum { COUNT = 64 };
    const int32_t t = (int32_t)plain->modulus, h = (t + 1) / 2;
    const int32_t from[4] = {1 - t, -8, h - 8, t - 16};
    int32_t x[COUNT], expected[COUNT], noisy[COUNT];
    int8_t error[COUNT];
    check_case("integers", plain->modulus);
    for (int32_t i = 0; i < COUNT; i++) {
        x[i] = from[i / 16] + i % 16;
        expected[i] = h - (int32_t)residue((int64_t)x[i] + h, t);
        error[i] = (int8_t)(i % 43 - MOST_ERROR);
    }
    isopod_centre_integers(x, COUNT, plain);
    for (uint32_t i = 0; i < COUNT; i++) {
        CHECK_QUIET(x[i] == expected[i]);
        noisy[i] = x[i];
    }
    isopod_add_to_integers(noisy, error, COUNT, t);
    for (uint32_t i = 0; i < COUNT; i++) {
        CHECK_QUIET(noisy[i] == (int32_t)((uint32_t)x[i] + (uint32_t)(error[i] * t)));
    }
}

enum { SYMBOLS = 4096, BLOCK = 16 };

/* Word number i of a stream: random, or all symbols alike but for one of them. */
static uint32_t stream_word(uint32_t i) {
    uint32_t random = 2654435761u * (i + VECTOR_FIRST);
    const uint32_t first = vector_next(&random), all = 0x55555555u * (vector_next(&random) >> 30);
    const uint32_t one = (vector_next(&random) >> 30) << 2 * (vector_next(&random) >> 28);
    return i % 3 == 0 ? first : all ^ one;
}

static void stream_blocks(isopod_stream *stream, uint32_t *out, uint32_t count) {
    const uint32_t first = BLOCK * stream->next[ISOPOD_STREAM_COUNTER];
    for (uint32_t i = 0; i < BLOCK * count; i++) {
        out[i] = stream_word(first + i);
    }
}

/* Polynomials of every length from such words, symbol by symbol, and the word that follows. */
static void check_gaps(void) {
    static const isopod_suite suite = {0, 32, BLOCK, stream_blocks, NULL};
    static const uint8_t key[32];
    const isopod_stream_name name = {0, 0};
    uint32_t *packed = check_memory(SYMBOLS / 4), next;
    for (uint32_t n = 32; n <= SYMBOLS; n *= 2) {
        isopod_stream stream;
        check_case("gaps", n);
        isopod_stream_start(&stream, &suite, key, name);
        isopod_sample_ternary(packed, n, &stream);
        uint32_t kept = 0, words = 0;
        for (; kept < n; words++) {
            for (uint32_t s = 0; s < 16 && kept < n; s++) {
                const uint32_t symbol = stream_word(words) >> 2 * s & 3u;
                if (symbol != 3) {
                    CHECK_QUIET((packed[kept / 16] >> 2 * (kept % 16) & 3u) == symbol);
                    kept++;
                }
            }
        }
        isopod_stream_words(&stream, &next, 1);
        CHECK(next == stream_word(words));
    }
}

void test_compact(void) {
    check_set(&isopod_ckks_1024x1_sum);
    check_set(&isopod_ckks_2048x1_air);
    check_set(&isopod_ckks_4096x3_multiply);
    check_set(&isopod_ckks_4096x3_seal_embedded_30);
    check_integers(isopod_bfv_1024x1_count.plain);
    check_integers(isopod_bfv_4096x2_linear.plain);
    check_gaps();
}
