/* Every error of an encryption through the public interface: the documented status, no entropy
 * taken before the inputs are valid, no byte of output, and a workspace of zeros. */
#include "../../src/ring/polynomial.h"
#include "../harness/check.h"
#include "../harness/fixture.h"
#include "../harness/tests.h"

#define CANARY 0x77u
#define DIRT 0xa5u
#define OUTPUT 64u

static uint32_t entropy_calls;

static int count_calls(void *state, uint8_t *out, size_t length) {
    entropy_calls++;
    return fixture_fill(state, out, length);
}

static int all_are(const void *memory, size_t length, uint8_t value) {
    const uint8_t *bytes = memory;
    uint32_t difference = 0;
    for (size_t i = 0; i < length; i++) {
        difference |= (uint32_t)(bytes[i] ^ value);
    }
    return difference == 0;
}

static void paint(void *memory, size_t length, uint8_t value) {
    for (size_t i = 0; i < length; i++) {
        ((uint8_t *)memory)[i] = value;
    }
}

static void expect_refusal_of_next(isopod_ckks *context, isopod_status expected) {
    uint8_t out[OUTPUT];
    size_t length = 99;
    paint(out, sizeof out, CANARY);
    CHECK(isopod_ckks_next(context, out, sizeof out, &length) == expected);
    CHECK(length == 0 && all_are(out, sizeof out, CANARY));
}

/* Begins with a dirty workspace, which an error wipes, too. */
static void expect(fixture *set, const isopod_values *values, isopod_status expected) {
    isopod_ckks context;
    isopod_frame frame;
    paint(&context, sizeof context, DIRT);
    paint(set->encryptor.workspace.memory, set->encryptor.workspace.bytes, DIRT);
    entropy_calls = 0;
    uint64_t sequence = set->sender.sequence;
    CHECK(isopod_ckks_begin(&context, &set->config, &set->encryptor, values) == expected);
    CHECK(entropy_calls == (expected == ISOPOD_ERROR_ENTROPY));
    CHECK(set->sender.sequence == sequence + entropy_calls);
    context.refused = 0; /* public */
    CHECK(all_are(&context, sizeof context, 0));
    if (expected != ISOPOD_ERROR_WORKSPACE) {
        CHECK(all_are(set->encryptor.workspace.memory, set->encryptor.workspace.bytes, 0));
    }
    expect_refusal_of_next(&context, ISOPOD_ERROR_STATE);
    CHECK(isopod_frame_begin(&frame, &context) == ISOPOD_ERROR_STATE);
    CHECK(all_are(&frame, sizeof frame, 0));
}

static void expect_success(fixture *set, const isopod_values *values) {
    isopod_ckks context;
    uint8_t out[OUTPUT];
    size_t length = 0;
    CHECK(isopod_ckks_begin(&context, &set->config, &set->encryptor, values) == ISOPOD_OK);
    paint(out, sizeof out, CANARY);
    CHECK(isopod_ckks_next(&context, out, OUTPUT - 8, &length) == ISOPOD_OK &&
          length == OUTPUT - 8);
    CHECK(all_are(out + OUTPUT - 8, 8, CANARY));
    isopod_ckks_abort(&context);
    CHECK(all_are(set->encryptor.workspace.memory, set->encryptor.workspace.bytes, 0));
    expect_refusal_of_next(&context, ISOPOD_ERROR_STATE);
}

static void reset(fixture *set) {
    fixture_configure(set, &isopod_suite_chacha20, 4);
    set->entropy.fill = count_calls;
}

/* Bit patterns, since compilers may change NaN constants. */
static const uint32_t bad_floats[6] = {0x7fc00000u, 0xffc00000u, 0x7f800001u,
                                       0x7f800000u, 0xff800000u, 0x7fffffffu};
static const uint64_t bad_doubles[4] = {0x7ff8000000000000u, 0xfff0000000000000u,
                                        0x7ff0000000000000u, 0x7ff0000000000001u};

static void check_not_finite(fixture *set) {
    uint32_t *floats = check_memory((size_t)4 * set->n / 2);
    uint64_t *doubles = check_memory((size_t)8 * set->n / 2);
    isopod_values values32 = {floats, set->n / 2, ISOPOD_VALUES_FLOAT32};
    isopod_values values64 = {doubles, set->n / 2, ISOPOD_VALUES_FLOAT64};
    const uint32_t places[3] = {0, set->n / 4 + 1, set->n / 2 - 1};
    check_case("not finite", 0);
    reset(set);
    for (uint32_t p = 0; p < 3; p++) {
        for (uint32_t i = 0; i < 6; i++) {
            floats[places[p]] = bad_floats[i];
            expect(set, &values32, ISOPOD_ERROR_NOT_FINITE);
            floats[places[p]] = 0;
        }
        for (uint32_t i = 0; i < 4; i++) {
            doubles[places[p]] = bad_doubles[i];
            expect(set, &values64, ISOPOD_ERROR_NOT_FINITE);
            doubles[places[p]] = 0;
        }
    }
    expect_success(set, &values32);
    expect_success(set, &values64);
}

static void check_range32(fixture *set, int8_t log2_bound) {
    uint32_t power = (uint32_t)(127 + log2_bound) << 23;
    uint32_t *floats = check_memory(16);
    isopod_values values = {floats, 4, ISOPOD_VALUES_FLOAT32};
    reset(set);
    set->config.log2_bound = log2_bound;
    fixture_workspace(set);
    for (uint32_t sign = 0; sign < 2; sign++) {
        floats[3] = power | sign << 31;
        expect_success(set, &values);
        floats[3]++;
        expect(set, &values, ISOPOD_ERROR_VALUE_RANGE);
        floats[3] = 0x7f7fffffu | sign << 31;
        expect(set, &values, ISOPOD_ERROR_VALUE_RANGE);
    }
    floats[0] = bad_floats[0]; /* NaN and out of range: NaN is reported */
    expect(set, &values, ISOPOD_ERROR_NOT_FINITE);
}

static void check_range64(fixture *set, int8_t log2_bound) {
    uint64_t power = (uint64_t)(1023 + log2_bound) << 52;
    uint64_t *doubles = check_memory(32);
    isopod_values values = {doubles, 4, ISOPOD_VALUES_FLOAT64};
    reset(set);
    set->config.log2_bound = log2_bound;
    fixture_workspace(set);
    for (uint64_t sign = 0; sign < 2; sign++) {
        doubles[2] = power | sign << 63;
        expect_success(set, &values);
        doubles[2]++;
        expect(set, &values, ISOPOD_ERROR_VALUE_RANGE);
    }
}

static void check_range_of_integers(fixture *set, int8_t log2_bound) {
    int32_t limit = log2_bound < 0 ? 0 : (int32_t)1 << log2_bound;
    int32_t *integers = check_memory(16);
    isopod_values values = {integers, 4, ISOPOD_VALUES_INT32};
    reset(set);
    set->config.log2_bound = log2_bound;
    fixture_workspace(set);
    for (int32_t sign = -1; sign < 2; sign += 2) {
        integers[1] = sign * limit;
        expect_success(set, &values);
        integers[1] = sign * (limit + 1);
        expect(set, &values, ISOPOD_ERROR_VALUE_RANGE);
    }
    integers[1] = INT32_MIN;
    expect(set, &values, ISOPOD_ERROR_VALUE_RANGE);
}

static void check_ranges(fixture *set) {
    static const int8_t bounds[4] = {-6, -1, 0, 5};
    for (uint32_t i = 0; i < 4; i++) {
        check_case("bound", i);
        check_range32(set, bounds[i]);
        check_range64(set, bounds[i]);
        check_range_of_integers(set, bounds[i]);
    }
}

static void check_counts_and_types(fixture *set) {
    isopod_values values = {check_memory((size_t)4 * set->n), 1, ISOPOD_VALUES_FLOAT32};
    const uint32_t counts[4] = {0, set->n / 2 + 1, set->n, UINT32_MAX};
    check_case("count and type", 0);
    reset(set);
    for (uint32_t i = 0; i < 4; i++) {
        values.count = counts[i];
        expect(set, &values, ISOPOD_ERROR_COUNT);
    }
    values.count = set->n / 2;
    expect_success(set, &values);
    values.type = (isopod_value_type)0;
    expect(set, &values, ISOPOD_ERROR_VALUE_TYPE);
    values.type = (isopod_value_type)4;
    expect(set, &values, ISOPOD_ERROR_VALUE_TYPE);
}

/* Refuses lean tables where the kernels would read past them. */
static void check_lean_tables(fixture *set, const isopod_values *values) {
    check_case("lean tables", set->key.kind);
    reset(set);
    set->tables.coarse = set->tables.twiddles;
    if (isopod_reads_lean_tables == 0) {
        expect(set, values, ISOPOD_ERROR_TABLES);
    }
    set->tables.coarse = NULL;
}

static void check_chunks(fixture *set, const isopod_values *values) {
    static const uint8_t bad[6] = {0, 3, 5, 7, 16, 255};
    check_case("chunks", 0);
    for (uint32_t i = 0; i < 6; i++) {
        reset(set);
        set->config.chunks = bad[i];
        expect(set, values, ISOPOD_ERROR_CHUNKS);
    }
}

static void check_tables(fixture *set, const isopod_values *values) {
    fixture other;
    check_case("tables of another set", 0);
    fixture_tables(&other, &isopod_ckks_2048x1_sum);
    reset(set);
    set->config.tables = &other.tables;
    expect(set, values, ISOPOD_ERROR_TABLES);
    set->config.tables = NULL;
    expect(set, values, ISOPOD_ERROR_TABLES);
    reset(set);
    set->tables.set_id[7] ^= 1u;
    expect(set, values, ISOPOD_ERROR_TABLES);
    set->tables.set_id[7] ^= 1u;
    expect_success(set, values);
}

/* The last sequence number is never taken: the next would be 0 again. */
static void check_sender(fixture *set, const isopod_values *values) {
    check_case("sender", 0);
    reset(set);
    set->encryptor.sender = NULL;
    expect(set, values, ISOPOD_ERROR_SENDER);
    reset(set);
    set->sender.key = NULL;
    expect(set, values, ISOPOD_ERROR_SENDER);
    reset(set);
    set->sender.sequence = UINT64_MAX;
    expect(set, values, ISOPOD_ERROR_SENDER);
    set->sender.sequence--;
    expect_success(set, values);
    CHECK(set->sender.sequence == UINT64_MAX);
}

/* Tries each number of places from row to row, and each number of buckets. */
static void check_rows(fixture *set) {
    isopod_values values = {fixture_values(12, -8, 1), 12, ISOPOD_VALUES_FLOAT32};
    check_case("rows", 0);
    for (uint32_t stride = 0; stride < 20; stride++) {
        uint32_t columns = stride == 0 ? 12 : 11 % stride + 1;
        for (uint32_t buckets = 0; buckets < 17; buckets++) {
            uint32_t is_power = (buckets & (buckets - 1)) == 0 || buckets == 0;
            uint32_t divides = buckets == 0 || columns % buckets == 0;
            reset(set);
            set->config.stride = stride;
            set->config.buckets = buckets;
            if (is_power && divides) {
                expect_success(set, &values);
            } else {
                expect(set, &values, ISOPOD_ERROR_BUCKETS);
            }
        }
    }
    reset(set);
    set->config.stride = set->n / 2;
    expect_success(set, &values);
    set->config.stride++;
    expect(set, &values, ISOPOD_ERROR_STRIDE);
    reset(set);
    fixture_layout(set, ISOPOD_SLOTS_REPEATED);
    values.count = 8;
    for (uint32_t stride = 0; stride < 18; stride++) {
        set->config.stride = stride;
        if (stride == 0 || stride == 8) {
            expect_success(set, &values);
        } else {
            expect(set, &values, ISOPOD_ERROR_STRIDE);
        }
    }
}

/* 1024x1-sum: scales 2^10 .. 2^22, one prime of 26 bits. */
static void check_scales(fixture *set, const isopod_values *values) {
    static const uint8_t bad_scales[4] = {0, 9, 23, 255};
    static const int8_t bad_bounds[4] = {-11, -128, 15, 127};
    check_case("scale", 0);
    for (uint32_t i = 0; i < 4; i++) {
        reset(set);
        set->config.log2_scale = bad_scales[i];
        expect(set, values, ISOPOD_ERROR_SCALE);
    }
    for (uint32_t i = 0; i < 4; i++) {
        reset(set);
        set->config.log2_scale = 10;
        set->config.log2_bound = bad_bounds[i];
        expect(set, values, ISOPOD_ERROR_BOUND);
    }
    reset(set);
    set->config.bound = 1; /* of BFV */
    expect(set, values, ISOPOD_ERROR_BOUND);
    reset(set);
    set->config.log2_scale = 22;
    set->config.log2_bound = -20; /* the least that a frame can say */
    expect(set, values, ISOPOD_ERROR_VALUE_RANGE);
    set->config.log2_bound = -21;
    expect(set, values, ISOPOD_ERROR_BOUND);
    reset(set);
    set->config.log2_scale = 10;
    set->config.log2_bound = 14; /* 10 + 14 + 2 = 26 bits */
    fixture_workspace(set);
    expect_success(set, values);
}

static void check_workspaces(fixture *set, const isopod_values *values) {
    check_case("workspace", 0);
    for (uint8_t chunks = 1; chunks <= 8; chunks *= 2) {
        reset(set);
        set->config.chunks = chunks;
        fixture_workspace(set);
        expect_success(set, values);
        set->encryptor.workspace.bytes--;
        expect(set, values, ISOPOD_ERROR_WORKSPACE);
        set->encryptor.workspace.bytes = 0;
        expect(set, values, ISOPOD_ERROR_WORKSPACE);
        fixture_workspace(set);
        uint8_t *aligned = set->encryptor.workspace.memory;
        (void)check_memory(8);
        for (uint32_t offset = 1; offset < 8; offset++) {
            set->encryptor.workspace.memory = aligned + offset;
            expect(set, values, ISOPOD_ERROR_WORKSPACE);
        }
        set->encryptor.workspace.memory = NULL;
        set->encryptor.workspace.bytes = 0;
        expect(set, values, ISOPOD_ERROR_WORKSPACE);
    }
}

/* Refuses messages above 30 bits without the encoder of 64-bit messages or its table. */
static void check_message64(const isopod_values *values) {
    fixture set;
    check_case("64-bit message", 0);
    fixture_open(&set, &isopod_ckks_4096x3_sum, ISOPOD_KEY_PUBLIC);
    reset(&set);
    set.config.log2_scale = 31;
    set.config.log2_bound = 0;
    fixture_workspace(&set);
    expect_success(&set, values);
    set.config.encoder = &isopod_encoder_slots32;
    expect(&set, values, ISOPOD_ERROR_BOUND);
    set.config.log2_scale = 30;
    fixture_workspace(&set);
    expect_success(&set, values);
    set.config.encoder = &isopod_encoder_slots64;
    set.config.log2_scale = 40;
    set.config.log2_bound = 17;
    fixture_workspace(&set);
    expect_success(&set, values);
    set.config.log2_bound = 18;
    expect(&set, values, ISOPOD_ERROR_BOUND);
    set.config.log2_scale = 16;
    set.config.log2_bound = 41; /* more than a frame can say */
    expect(&set, values, ISOPOD_ERROR_BOUND);
    set.config.log2_scale = 40;
    set.config.log2_bound = 0;
    set.tables.cosine64 = NULL;
    expect(&set, values, ISOPOD_ERROR_BOUND);
}

static void check_labels(const isopod_values *values) {
    static const isopod_ckks_params *const sets[2] = {&isopod_ckks_1024x1_sum,
                                                      &isopod_ckks_1024x1_seal_embedded};
    for (uint32_t s = 0; s < 2; s++) {
        fixture set;
        fixture_open(&set, sets[s], ISOPOD_KEY_PUBLIC);
        for (uint8_t accepted = 0; accepted < 4; accepted++) {
            uint8_t meant = accepted == 0 ? ISOPOD_LABEL_128 : accepted;
            check_case(sets[s]->name, accepted);
            reset(&set);
            set.config.accept_label = accepted;
            if (meant == sets[s]->label) {
                expect_success(&set, values);
            } else {
                expect(&set, values, ISOPOD_ERROR_LABEL);
            }
        }
    }
}

/* Refuses a key opened for one set under the configuration of another. */
static void check_foreign_key(const fixture *opened, const isopod_values *values) {
    fixture set = *opened;
    fixture other;
    check_case("foreign key", 0);
    fixture_open(&other, &isopod_ckks_2048x1_sum, ISOPOD_KEY_PUBLIC);
    reset(&set);
    set.config.key = &other.key;
    set.encryptor.entropy = &set.entropy;
    expect(&set, values, ISOPOD_ERROR_KEY_SET);
}

void test_errors(void) {
    fixture set;
    check_memory_reset();
    fixture_open(&set, &isopod_ckks_1024x1_sum, ISOPOD_KEY_PUBLIC);
    isopod_values values = {fixture_values(5, -8, 1), 5, ISOPOD_VALUES_FLOAT32};
    check_not_finite(&set);
    check_ranges(&set);
    check_counts_and_types(&set);
    check_chunks(&set, &values);
    check_lean_tables(&set, &values);
    check_tables(&set, &values);
    check_sender(&set, &values);
    check_rows(&set);
    check_scales(&set, &values);
    check_workspaces(&set, &values);
    check_message64(&values);
    check_labels(&values);
    check_foreign_key(&set, &values);
}
