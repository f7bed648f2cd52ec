/* Ciphertexts depend on the inputs alone, and an encryption leaves nothing in memory. */
#include "../../src/base/memory.h"
#include "../../src/ring/pointwise.h"
#include "../../src/ring/polynomial.h"
#include "../harness/check.h"
#include "../harness/fixture.h"
#include "../harness/tests.h"

static size_t nonzero_bytes(const void *memory, size_t length) {
    const uint8_t *bytes = memory;
    size_t count = 0;
    for (size_t i = 0; i < length; i++) {
        count += bytes[i] != 0;
    }
    return count;
}

static size_t packed_bytes(const fixture *set) {
    size_t bits = 0;
    for (uint32_t j = 0; j < set->params->prime_count; j++) {
        bits += set->params->primes[j].bits;
    }
    return bits * set->n / 8 * (set->key.kind <= ISOPOD_KEY_PUBLIC_SEEDED ? 2 : 1);
}

static uint8_t *encrypted(fixture *set, const isopod_values *values, size_t capacity) {
    uint8_t *packed = check_memory(packed_bytes(set));
    CHECK(fixture_encrypt(set, values, packed, capacity) == packed_bytes(set));
    return packed;
}

/* Checks that the context keeps nothing but the fact that it is done. */
static void check_after_last_byte(fixture *set, const isopod_values *values) {
    isopod_ckks context;
    isopod_status status = fixture_begin(set, &context, values);
    uint8_t out[512];
    size_t length;
    check_case("after the last byte", set->key.kind);
    CHECK(nonzero_bytes(set->encryptor.workspace.memory, set->encryptor.workspace.bytes) > set->n);
    while (status == ISOPOD_OK) {
        status = isopod_ckks_next(&context, out, sizeof out, &length);
    }
    CHECK(status == ISOPOD_DONE);
    CHECK(nonzero_bytes(set->encryptor.workspace.memory, set->encryptor.workspace.bytes) == 0);
    CHECK(nonzero_bytes(&context, sizeof context) <= 1);
}

/* Checks that nothing is left of the frame, nor of the one-time key of its last part. */
static void check_after_last_part(fixture *set, const isopod_values *values) {
    isopod_ckks context;
    isopod_frame frame;
    isopod_piece piece;
    uint8_t out[512];
    check_case("after the last part", set->key.kind);
    CHECK(fixture_begin(set, &context, values) == ISOPOD_OK);
    isopod_status status = isopod_frame_begin(&frame, &context);
    while (status == ISOPOD_OK) {
        status = isopod_frame_next(&frame, out, sizeof out, &piece);
    }
    CHECK(status == ISOPOD_DONE);
    CHECK(nonzero_bytes(set->encryptor.workspace.memory, set->encryptor.workspace.bytes) == 0);
    CHECK(nonzero_bytes(&context, sizeof context) == 0);
    CHECK(nonzero_bytes(frame.tag.accumulator, sizeof frame.tag.accumulator) == 0);
    CHECK(nonzero_bytes(frame.tag.multiplier, sizeof frame.tag.multiplier) == 0);
}

static void check_after_abort(fixture *set, const isopod_values *values) {
    check_case("after abort", set->key.kind);
    for (uint32_t pieces = 0; pieces < 40; pieces += 13) {
        isopod_ckks context;
        uint8_t out[100];
        size_t length;
        CHECK(fixture_begin(set, &context, values) == ISOPOD_OK);
        for (uint32_t i = 0; i < pieces; i++) {
            CHECK(isopod_ckks_next(&context, out, sizeof out, &length) == ISOPOD_OK);
        }
        isopod_ckks_abort(&context);
        CHECK(nonzero_bytes(set->encryptor.workspace.memory, set->encryptor.workspace.bytes) == 0);
        CHECK(nonzero_bytes(&context, sizeof context) == 0);
    }
}

/* Begins an encryption anew, in vain, while the last one is still running. */
static void check_after_error(fixture *set, const isopod_values *values) {
    static const uint32_t not_a_number = 0x7fc00000u;
    isopod_values bad = {&not_a_number, 1, ISOPOD_VALUES_FLOAT32};
    isopod_ckks context;
    check_case("after an error", set->key.kind);
    CHECK(isopod_ckks_begin(&context, &set->config, &set->encryptor, values) == ISOPOD_OK);
    CHECK(isopod_ckks_begin(&context, &set->config, &set->encryptor, &bad) ==
          ISOPOD_ERROR_NOT_FINITE);
    CHECK(nonzero_bytes(set->encryptor.workspace.memory, set->encryptor.workspace.bytes) == 0);
    CHECK(nonzero_bytes(&context, sizeof context) == 0);
}

/* Checks integers and reals modulo 64-bit primes, and integers modulo 32-bit primes. */
static void check_other_sets(void) {
    static const isopod_params *const sets[3] = {
        &isopod_bfv_1024x1_count, &isopod_bfv_4096x2w_seal_default, &isopod_ckks_8192x3w_sum};
    for (uint32_t run = 0; run < 12; run++) {
        fixture set;
        check_memory_reset();
        fixture_open(&set, sets[run / 4], (isopod_key_kind)(ISOPOD_KEY_PUBLIC + run % 4));
        fixture_configure(&set, &isopod_suite_chacha20, 8);
        isopod_values values = {fixture_values(set.n / 2, 0, 1), set.n / 2, ISOPOD_VALUES_FLOAT32};
        if (set.params->plain != NULL) {
            uint32_t *integers = check_memory((size_t)4 * set.n);
            for (uint32_t i = 0; i < set.n; i++) {
                integers[i] = i * i % (set.params->plain->modulus / 2u);
            }
            values = (isopod_values){integers, set.n, ISOPOD_VALUES_UINT32};
        }
        check_after_last_byte(&set, &values);
        check_after_last_part(&set, &values);
        check_after_abort(&set, &values);
    }
}

/* Five values after a long message, in memory that was not wiped, encrypt as in clean memory. */
static void check_shorter_second(fixture *set, const isopod_values *values, uint8_t *first) {
    isopod_values brief = {values->data, 5, ISOPOD_VALUES_FLOAT32};
    check_case("shorter second message", set->key.kind);
    fixture_configure(set, set->config.suite, set->config.chunks);
    set->config.hedge_without_values = 1;
    (void)encrypted(set, values, 1000);
    uint8_t *workspace = set->encryptor.workspace.memory;
    for (size_t i = 0; i < set->encryptor.workspace.bytes; i++) {
        workspace[i] = 0xa5; /* dirty, as if nothing had been wiped */
    }
    uint8_t *second = encrypted(set, &brief, 1000);
    fixture_configure(set, set->config.suite, set->config.chunks);
    *first = 1; /* the entropy and the sequence number that the second encryption had */
    set->sender.sequence++;
    set->config.hedge_without_values = 1;
    CHECK(isopod_equal(second, encrypted(set, &brief, 1000), packed_bytes(set)));
}

static void check_pieces(fixture *set, const isopod_values *values, uint8_t *first) {
    static const size_t capacities[5] = {1, 7, 64, 4096, SIZE_MAX};
    check_case("size of pieces", set->key.kind);
    *first = 3;
    set->sender.sequence = 0;
    uint8_t *expected = encrypted(set, values, 1000);
    for (uint32_t i = 0; i < 5; i++) {
        size_t mark = check_memory_mark();
        *first = 3;
        set->entropy.fingerprint[0] ^= 1u; /* allows the same entropy again */
        set->sender.sequence = 0;
        CHECK(isopod_equal(expected, encrypted(set, values, capacities[i]), packed_bytes(set)));
        check_memory_release(mark);
    }
}

/* Compares polynomials under 1, 2, 4 and 8 chunks value by value, by secret key: those by public
 * key are of different roots, since the frame says their order. */
static void check_chunks(fixture *set, const isopod_values *values) {
    uint32_t *rows[2][2];
    for (uint32_t i = 0; i < 4; i++) {
        rows[i / 2][i % 2] = check_memory((size_t)4 * set->n);
    }
    for (uint8_t chunks = 1; chunks <= 8; chunks *= 2) {
        size_t mark = check_memory_mark();
        check_case("chunks", chunks);
        fixture_configure(set, set->config.suite, chunks);
        const uint8_t *packed = encrypted(set, values, 1000);
        uint32_t *const *row = rows[chunks != 1];
        (void)fixture_unpack(set, 0, packed, row[0], row[1]);
        CHECK(isopod_equal((uint8_t *)rows[0][0], (uint8_t *)row[0], (size_t)4 * set->n));
        CHECK(isopod_equal((uint8_t *)rows[0][1], (uint8_t *)row[1], (size_t)4 * set->n));
        check_memory_release(mark);
    }
}

static void load_residues(const isopod_polynomial *polynomial, uint32_t first,
                          int32_t out[ISOPOD_FOLD_BLOCK]) {
    for (uint32_t i = 0; i < ISOPOD_FOLD_BLOCK; i++) {
        out[i] = ((const int32_t *)polynomial->words)[first + i];
    }
}

static uint32_t *message_ntt(const fixture *set, const isopod_values *values) {
    const isopod_prime *prime = &set->params->primes[0];
    uint32_t *message = check_memory((size_t)4 * set->n), *out = check_memory((size_t)4 * set->n);
    isopod_polynomial polynomial = {load_residues, message, NULL, prime, set->n, 0};
    isopod_ntt ntt = isopod_ntt_of(set->params, &set->tables, 0);
    fixture_message(set, values, 0, message);
    isopod_polynomial_ntt((int32_t *)out, &polynomial, &ntt);
    isopod_canonical_all((int32_t *)out, set->n, prime);
    return out;
}

/* Under one root two messages give the same c1, and c0 that differ by exactly NTT(m_a - m_b):
 * neither mask nor noise depends on m. */
static void check_mask_ignores_message(fixture *set, const isopod_values *a,
                                       const isopod_values *b) {
    uint32_t q = set->params->primes[0].modulus, wrong = 0, *c[4];
    for (uint32_t i = 0; i < 4; i++) {
        c[i] = check_memory((size_t)4 * set->n);
    }
    check_case("message and mask", set->key.kind);
    fixture_configure(set, set->config.suite, set->config.chunks);
    fixture_nearest(set);
    set->config.hedge_without_values = 1;
    (void)fixture_unpack(set, 0, encrypted(set, a, 1000), c[0], c[1]);
    fixture_configure(set, set->config.suite, set->config.chunks);
    fixture_nearest(set);
    set->config.hedge_without_values = 1;
    (void)fixture_unpack(set, 0, encrypted(set, b, 1000), c[2], c[3]);
    const uint32_t *m_a = message_ntt(set, a), *m_b = message_ntt(set, b);
    for (uint32_t i = 0; i < set->n; i++) {
        wrong += (c[0][i] + (uint64_t)q + m_b[i]) % q != (c[2][i] + (uint64_t)m_a[i]) % q;
        wrong += c[1][i] != c[3][i];
    }
    CHECK(wrong == 0);
}

void test_hygiene(void) {
    static const isopod_suite *const suites[4] = {&isopod_suite_chacha20, &isopod_suite_shake256,
                                                  &isopod_suite_seal_shake256,
                                                  &isopod_suite_chacha20};
    for (uint32_t kind = ISOPOD_KEY_PUBLIC; kind <= ISOPOD_KEY_SECRET_NTT; kind++) {
        fixture set;
        check_memory_reset();
        fixture_open(&set, &isopod_ckks_4096x2_linear, (isopod_key_kind)kind);
        fixture_configure(&set, suites[kind - 1], 4);
        isopod_values values = {fixture_values(set.n / 2, 0, 1), set.n / 2, ISOPOD_VALUES_FLOAT32};
        isopod_values other = {fixture_values(set.n / 2, 0, 2), set.n / 2, ISOPOD_VALUES_FLOAT32};
        check_after_last_byte(&set, &values);
        check_after_last_part(&set, &values);
        check_after_abort(&set, &values);
        check_after_error(&set, &values);
        check_shorter_second(&set, &values, set.entropy.state);
        check_pieces(&set, &values, set.entropy.state);
        if (kind >= ISOPOD_KEY_SECRET_TERNARY) {
            check_chunks(&set, &values);
        }
        check_mask_ignores_message(&set, &values, &other);
    }
    check_other_sets();
}
