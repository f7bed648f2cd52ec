/* Every refusal of levels, layouts and integers; none leaves anything in memory. */
#include "../harness/check.h"
#include "../harness/fixture.h"
#include "../harness/tests.h"

static const uint32_t some_integers[3] = {1, 2, 3};
static const float some_floats[4] = {0.5f, -0.5f, 0.25f, 0};

static size_t nonzero_bytes(const void *memory, size_t length) {
    const uint8_t *bytes = memory;
    size_t count = 0;
    for (size_t i = 0; i < length; i++) {
        count += bytes[i] != 0;
    }
    return count;
}

static void expect(const fixture *set, const isopod_values *values, isopod_status expected) {
    isopod_encryption context;
    uint8_t *workspace = set->encryptor.workspace.memory;
    size_t length;
    uint8_t out[4];
    for (size_t i = 0; i < set->encryptor.workspace.bytes; i++) {
        workspace[i] = 0xa5;
    }
    CHECK(fixture_begin(set, &context, values) == expected);
    if (expected != ISOPOD_OK) {
        CHECK(nonzero_bytes(workspace, set->encryptor.workspace.bytes) == 0);
        CHECK(isopod_encryption_next(&context, out, sizeof out, &length) == ISOPOD_ERROR_STATE);
    }
}

static void expect_integers(const fixture *set, isopod_status expected) {
    isopod_values values = {some_integers, 2, ISOPOD_VALUES_UINT32};
    expect(set, &values, expected);
}

static void expect_word(const fixture *set, uint32_t word, isopod_value_type type,
                        isopod_status expected) {
    isopod_values values = {&word, 1, type};
    expect(set, &values, expected);
}

static void check_range(const fixture *set) {
    uint32_t t = set->params->plain->modulus, half = (t - 1) / 2;
    const isopod_status range = ISOPOD_ERROR_VALUE_RANGE;
    check_case("range", set->config.layout);
    expect_word(set, half, ISOPOD_VALUES_UINT32, ISOPOD_OK);
    expect_word(set, half + 1, ISOPOD_VALUES_UINT32, range); /* would read as a negative number */
    expect_word(set, t - 1, ISOPOD_VALUES_UINT32, range);
    expect_word(set, 0x80000000u, ISOPOD_VALUES_UINT32, range);
    expect_word(set, UINT32_MAX, ISOPOD_VALUES_UINT32, range);
    expect_word(set, half, ISOPOD_VALUES_INT32, ISOPOD_OK);
    expect_word(set, 0u - half, ISOPOD_VALUES_INT32, ISOPOD_OK);
    expect_word(set, half + 1, ISOPOD_VALUES_INT32, range);
    expect_word(set, 0u - half - 1, ISOPOD_VALUES_INT32, range);
    expect_word(set, 0x80000000u, ISOPOD_VALUES_INT32, range);
    expect_word(set, 0x7fffffffu, ISOPOD_VALUES_INT32, range);
    expect_word(set, 0, ISOPOD_VALUES_FLOAT32, ISOPOD_ERROR_VALUE_TYPE);
    expect_word(set, 0, (isopod_value_type)6, ISOPOD_ERROR_VALUE_TYPE);
}

/* Values at a bound of the configuration's, and bounds that no frame can say. */
static void check_bound(fixture *set) {
    uint32_t most = set->params->plain->modulus / 2;
    const uint32_t bounds[4] = {1, 100, most - 1, most};
    const isopod_status range = ISOPOD_ERROR_VALUE_RANGE;
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t bound = bounds[i];
        check_case("bound", bound);
        set->config.bound = bound;
        expect_word(set, bound, ISOPOD_VALUES_UINT32, ISOPOD_OK);
        expect_word(set, bound + 1, ISOPOD_VALUES_UINT32, range);
        expect_word(set, UINT32_MAX, ISOPOD_VALUES_UINT32, range);
        expect_word(set, bound, ISOPOD_VALUES_INT32, ISOPOD_OK);
        expect_word(set, 0u - bound, ISOPOD_VALUES_INT32, ISOPOD_OK);
        expect_word(set, bound + 1, ISOPOD_VALUES_INT32, range);
        expect_word(set, 0u - bound - 1, ISOPOD_VALUES_INT32, range);
        expect_word(set, 0x80000000u, ISOPOD_VALUES_INT32, range);
    }
    set->config.bound = most + 1;
    expect_word(set, 0, ISOPOD_VALUES_INT32, ISOPOD_ERROR_BOUND);
    set->config.bound = UINT32_MAX;
    expect_word(set, 0, ISOPOD_VALUES_INT32, ISOPOD_ERROR_BOUND);
    set->config.bound = 0;
}

static void check_counts(fixture *set) {
    uint32_t *zeros = check_memory((size_t)4 * set->n + 4);
    const uint32_t counts[6] = {0, 1, 3, set->n / 2, set->n, set->n + 1};
    for (uint8_t layout = ISOPOD_SLOTS; layout <= ISOPOD_COEFFICIENTS; layout++) {
        for (uint32_t i = 0; i < 6 && layout != 2 && layout != 3; i++) {
            isopod_values values = {zeros, counts[i], ISOPOD_VALUES_INT32};
            int is_right = i >= 1 && i <= 4 && (layout != ISOPOD_SLOTS_REPEATED || i != 2);
            check_case("count", 10u * layout + i);
            set->config.layout = layout;
            expect(set, &values, is_right ? ISOPOD_OK : ISOPOD_ERROR_COUNT);
        }
    }
    set->config.layout = ISOPOD_SLOTS;
}

static void check_layouts(fixture *set) {
    for (uint32_t layout = 0; layout < 256; layout += layout < 6 ? 1 : 83) {
        int is_right = layout == 0 || layout == 1 || layout == 4;
        check_case("layout", layout);
        set->config.layout = (uint8_t)layout;
        expect_integers(set, is_right ? ISOPOD_OK : ISOPOD_ERROR_LAYOUT);
    }
    set->config.layout = ISOPOD_SLOTS;
}

/* Begins with another plaintext modulus t and expects this status. */
static void expect_plain(fixture *set, uint32_t modulus, isopod_status expected) {
    const isopod_params *params = set->params;
    isopod_params changed = *params;
    isopod_prime plain = {.modulus = modulus, .negative_inverse = 1};
    for (uint32_t i = 0; i < 5; i++) { /* Newton: -1/modulus mod 2^32 */
        plain.negative_inverse *= 2u + modulus * plain.negative_inverse;
    }
    plain.barrett = (uint32_t)((((uint64_t)1 << 33) + modulus) / (2 * (uint64_t)modulus));
    plain.montgomery_square = (uint32_t)(UINT64_MAX % modulus + 1u) % modulus;
    while (plain.bits < 32 && modulus >> plain.bits != 0) {
        plain.bits++;
    }
    changed.plain = &plain;
    check_case("plaintext modulus", modulus);
    set->config.params = set->key.params = &changed;
    set->params = &changed;
    expect_integers(set, expected);
    set->config.params = set->key.params = set->params = params;
}

static void check_plain(fixture *set) {
    expect_plain(set, set->params->plain->modulus, ISOPOD_OK);
    expect_plain(set, 65537, ISOPOD_OK);
    expect_plain(set, 40961, ISOPOD_ERROR_PARAMETERS);      /* the special prime */
    expect_plain(set, 1073668097, ISOPOD_ERROR_PARAMETERS); /* a data prime */
    expect_plain(set, 65539, ISOPOD_ERROR_PLAIN_CONGRUENCE);
    expect_plain(set, 12289, ISOPOD_ERROR_PLAIN_CONGRUENCE); /* 1 mod 4096 only */
    expect_plain(set, 8193, ISOPOD_ERROR_PLAIN_PRIME);       /* 3 * 2731 */
    expect_plain(set, 2 * 8192 + 1, ISOPOD_ERROR_PLAIN_PRIME);
    expect_plain(set, 268435457, ISOPOD_ERROR_PLAIN_PRIME); /* 2^28 + 1 = 17 * 15790321 */
    expect_plain(set, 1073872897, ISOPOD_ERROR_PLAIN_CONGRUENCE);
}

static void check_level(fixture *set) {
    static const isopod_status expected[5] = {ISOPOD_OK, ISOPOD_ERROR_LEVEL, ISOPOD_OK, ISOPOD_OK,
                                              ISOPOD_ERROR_LEVEL};
    int is_secret = set->key.kind >= ISOPOD_KEY_SECRET_TERNARY;
    for (uint8_t level = 0; level < 5; level++) {
        check_case("level", level);
        set->config.level = level;
        expect_integers(set, level == 1 && is_secret ? ISOPOD_OK : expected[level]);
    }
    set->config.level = 0;
}

static void check_others(fixture *set) {
    check_case("scale", 0);
    set->config.log2_scale = 1;
    expect_integers(set, ISOPOD_ERROR_SCALE);
    set->config.log2_scale = 0;
    check_case("tables", 0);
    const int32_t *plain = set->tables.plain;
    set->tables.plain = NULL;
    expect_integers(set, ISOPOD_ERROR_TABLES);
    set->config.layout = ISOPOD_COEFFICIENTS;
    expect_integers(set, ISOPOD_OK);
    set->config.layout = ISOPOD_SLOTS;
    set->tables.plain = plain;
    check_case("workspace", 0);
    set->encryptor.workspace.bytes -= 1;
    expect_integers(set, ISOPOD_ERROR_WORKSPACE);
    set->encryptor.workspace.bytes += 1;
}

/* Checks that neither begin takes a set of the other scheme. */
static void check_schemes(void) {
    fixture set;
    isopod_encryption context;
    isopod_values values = {some_integers, 2, ISOPOD_VALUES_UINT32};
    check_case("scheme", 0);
    fixture_open(&set, &isopod_ckks_1024x1_sum, ISOPOD_KEY_PUBLIC);
    fixture_configure(&set, &isopod_suite_chacha20, 1);
    CHECK(isopod_bfv_begin(&context, &set.config, &set.encryptor, &values) ==
          ISOPOD_ERROR_PARAMETERS);
    fixture_open(&set, &isopod_bfv_1024x1_count, ISOPOD_KEY_PUBLIC);
    fixture_configure(&set, &isopod_suite_chacha20, 1);
    CHECK(isopod_ckks_begin(&context, &set.config, &set.encryptor, &values) ==
          ISOPOD_ERROR_PARAMETERS);
}

static void expect_floats(fixture *set, uint8_t layout, const isopod_encoder *encoder,
                          isopod_status expected) {
    isopod_values values = {some_floats, 2, ISOPOD_VALUES_FLOAT32};
    check_case("layout of reals", layout);
    set->config.layout = layout;
    set->config.encoder = encoder;
    fixture_workspace(set);
    expect(set, &values, expected);
}

/* Refuses layouts without their encoder, or without the one for 64-bit messages. */
static void check_real_layouts(fixture *set) {
    static const isopod_encoder *const encoders[ISOPOD_COEFFICIENTS + 1][3] = {
        {NULL, &isopod_encoder_slots32, &isopod_encoder_slots64},
        {NULL, &isopod_encoder_slots32, &isopod_encoder_slots64},
        {&isopod_encoder_coefficients64, &isopod_encoder_complex32, &isopod_encoder_complex64},
        {&isopod_encoder_coefficients64, &isopod_encoder_complex32, &isopod_encoder_complex64},
        {NULL, &isopod_encoder_coefficients32, &isopod_encoder_coefficients64}};
    for (uint8_t layout = ISOPOD_SLOTS; layout <= ISOPOD_COEFFICIENTS; layout++) {
        const isopod_encoder *const *of = encoders[layout];
        set->config.log2_scale = 20;
        expect_floats(set, layout, of[0],
                      layout < ISOPOD_COMPLEX ? ISOPOD_OK : ISOPOD_ERROR_LAYOUT);
        expect_floats(set, layout, of[1], ISOPOD_OK);
        set->config.log2_scale = 40;
        expect_floats(set, layout, of[1], ISOPOD_ERROR_BOUND);
        expect_floats(set, layout, of[2], ISOPOD_OK);
        set->config.level = 1;
        expect_floats(set, layout, of[2], ISOPOD_ERROR_BOUND);
        set->config.level = 0;
    }
    expect_floats(set, 5, &isopod_encoder_coefficients64, ISOPOD_ERROR_LAYOUT);
}

/* Checks both parts of complex values. */
static void check_complex_values(fixture *set) {
    static const float large[4] = {0, 0, 0, 16.5f};
    static const uint32_t not_a_number[4] = {0, 0, 0, 0x7fc00000u};
    isopod_values values = {large, 2, ISOPOD_VALUES_FLOAT32};
    check_case("imaginary part", 0);
    set->config.log2_scale = 20;
    fixture_layout(set, ISOPOD_COMPLEX);
    fixture_workspace(set);
    expect(set, &values, ISOPOD_ERROR_VALUE_RANGE);
    values.data = not_a_number;
    expect(set, &values, ISOPOD_ERROR_NOT_FINITE);
    values.type = ISOPOD_VALUES_UINT32;
    expect(set, &values, ISOPOD_ERROR_VALUE_TYPE);
}

void test_integer_errors(void) {
    fixture set;
    for (uint32_t kind = ISOPOD_KEY_PUBLIC; kind <= ISOPOD_KEY_SECRET_NTT; kind += 2) {
        check_memory_reset();
        fixture_open(&set, &isopod_bfv_4096x3_sum, (isopod_key_kind)kind);
        fixture_configure(&set, &isopod_suite_chacha20, 4);
        check_range(&set);
        check_bound(&set);
        check_counts(&set);
        check_layouts(&set);
        check_plain(&set);
        check_level(&set);
        check_others(&set);
    }
    check_memory_reset();
    check_schemes();
    check_memory_reset();
    fixture_open(&set, &isopod_ckks_4096x3_sum, ISOPOD_KEY_SECRET_NTT);
    fixture_configure(&set, &isopod_suite_chacha20, 4);
    check_real_layouts(&set);
    check_complex_values(&set);
}
