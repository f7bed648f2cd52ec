/* Documented errors of bad configurations, messages, keys and orders of calls; none leaves anything
 * in memory. */
#include "../harness/check.h"
#include "../harness/tests.h"
#include "../harness/tfhe_fixture.h"

static const uint8_t bits[4] = {0, 1, 1, 0};
static const isopod_tfhe_run good_run = {bits, 4, ISOPOD_TFHE_BOOL};
static const isopod_tfhe_values good = {&good_run, 1};

static size_t nonzero(const void *memory, size_t length) {
    size_t count = 0;
    for (size_t i = 0; i < length; i++) {
        count += ((const uint8_t *)memory)[i] != 0;
    }
    return count;
}

static void expect(tfhe_fixture *set, const isopod_tfhe_values *values, isopod_status expected) {
    isopod_tfhe context;
    size_t length = 1;
    uint8_t out[8];
    isopod_status status = isopod_tfhe_begin(&context, &set->config, &set->encryptor, values);
    CHECK(status == expected);
    if (expected != ISOPOD_OK) {
        CHECK(nonzero(&context, sizeof context) == 0);
        CHECK(isopod_tfhe_next(&context, out, sizeof out, &length) == ISOPOD_ERROR_STATE);
        CHECK(length == 0 && isopod_tfhe_bytes(&context) == 0);
    }
    isopod_tfhe_abort(&context);
}

static void check_labels(tfhe_fixture *set) {
    const uint8_t label = set->params->label;
    check_case("label", label);
    for (uint8_t accepted = 0; accepted <= 5; accepted++) {
        uint32_t is_right = accepted == label || (accepted == 0 && label == ISOPOD_LABEL_128);
        set->config.accept_label = accepted;
        expect(set, &good, is_right ? ISOPOD_OK : ISOPOD_ERROR_LABEL);
    }
    set->config.accept_label = label;
}

static void check_config(tfhe_fixture *set) {
    check_case("width", 0);
    for (uint32_t width = 0; width < 20; width++) {
        uint32_t is_right = width == 0 || width == set->word_bytes || 2 * width == set->word_bytes;
        set->config.width = (uint8_t)width;
        expect(set, &good, is_right ? ISOPOD_OK : ISOPOD_ERROR_WIDTH);
    }
    set->config.width = 0;
    check_case("workspace", 0);
    set->encryptor.workspace.bytes--;
    expect(set, &good, ISOPOD_ERROR_WORKSPACE);
    set->encryptor.workspace.bytes++;
    set->encryptor.workspace.memory = (uint8_t *)set->encryptor.workspace.memory + 4;
    expect(set, &good, ISOPOD_ERROR_WORKSPACE);
    set->encryptor.workspace.memory = (uint8_t *)set->encryptor.workspace.memory - 4;
    check_case("tables", 0);
    set->config.tables = NULL;
    expect(set, &good, ISOPOD_ERROR_TABLES);
    set->config.tables = &set->tables;
    set->tables.set_id[0] ^= 1u;
    expect(set, &good, ISOPOD_ERROR_TABLES);
    set->tables.set_id[0] ^= 1u;
    expect(set, &good, ISOPOD_OK);
    check_case("columns", 0);
    for (uint16_t columns = 0; columns < 9; columns++) {
        set->config.columns = columns;
        expect(set, &good, columns == 0 || 4 % columns == 0 ? ISOPOD_OK : ISOPOD_ERROR_COLUMNS);
    }
    set->config.columns = 0;
}

static void check_sender(tfhe_fixture *set) {
    const isopod_sender kept = set->sender;
    check_case("sender", 0);
    set->encryptor.sender = NULL;
    expect(set, &good, ISOPOD_ERROR_SENDER);
    set->encryptor.sender = &set->sender;
    set->sender.key = NULL;
    expect(set, &good, ISOPOD_ERROR_SENDER);
    set->sender = kept;
    set->sender.sequence = UINT64_MAX;
    expect(set, &good, ISOPOD_ERROR_SENDER);
    set->sender = kept;
    expect(set, &good, ISOPOD_OK);
    CHECK(set->sender.sequence == kept.sequence + 1);
}

static void check_other_set(tfhe_fixture *set) {
    isopod_tfhe_params params = *set->params;
    check_case("another set", 0);
    set->config.params = &params;
    expect(set, &good, ISOPOD_ERROR_KEY_SET);
    params.label = params.label == ISOPOD_LABEL_128 ? ISOPOD_LABEL_RESEARCH : ISOPOD_LABEL_128;
    expect(set, &good, ISOPOD_ERROR_PARAMETERS);
    params = *set->params;
    params.tuniform = 3;
    expect(set, &good, ISOPOD_ERROR_PARAMETERS);
    params = *set->params;
    params.log2_delta = params.log2_modulus;
    expect(set, &good, ISOPOD_ERROR_PARAMETERS);
    set->config.params = set->params;
}

static void check_runs(tfhe_fixture *set) {
    static const uint8_t bad_bits[3] = {1, 2, 0};
    const uint8_t *many = check_memory((size_t)set->n + 1);
    isopod_tfhe_run runs[9] = {{many, 1, 2}, {many, 1, 1}, {many, 1, 2}, {many, 1, 1}, {many, 1, 2},
                               {many, 1, 1}, {many, 1, 2}, {many, 1, 1}, {many, 1, 2}};
    isopod_tfhe_values values = {runs, 8};
    check_case("runs", 0);
    expect(set, &values, ISOPOD_OK);
    values.count = 9;
    expect(set, &values, ISOPOD_ERROR_COUNT);
    values.count = 0;
    expect(set, &values, ISOPOD_ERROR_COUNT);
    values.count = 2;
    runs[1].type = 2;
    expect(set, &values, ISOPOD_ERROR_VALUE_TYPE);
    values.count = 1;
    for (uint32_t type = 0; type < 256; type += type < 12 ? 1 : 61) {
        runs[0].type = (uint8_t)type;
        expect(set, &values, type >= 1 && type <= 9 ? ISOPOD_OK : ISOPOD_ERROR_VALUE_TYPE);
    }
    runs[0] = (isopod_tfhe_run){many, 0, 1};
    expect(set, &values, ISOPOD_ERROR_COUNT);
    runs[0] = (isopod_tfhe_run){NULL, 1, 1};
    expect(set, &values, ISOPOD_ERROR_COUNT);
    runs[0] = (isopod_tfhe_run){bad_bits, 3, 1};
    expect(set, &values, ISOPOD_ERROR_VALUE_RANGE);
    runs[0] = (isopod_tfhe_run){many, (uint16_t)set->n, 1};
    expect(set, &values, ISOPOD_OK);
    runs[0].count++;
    expect(set, &values, ISOPOD_ERROR_COUNT);
    runs[0] = (isopod_tfhe_run){many, 65535, 5};
    expect(set, &values, ISOPOD_ERROR_COUNT);
}

static int fail_to_fill(void *state, uint8_t *out, size_t length) {
    (void)state;
    out[0] = (uint8_t)length;
    return 1;
}

static void check_entropy(tfhe_fixture *set) {
    isopod_entropy kept = set->entropy;
    check_case("entropy", 0);
    for (uint8_t *at = set->encryptor.workspace.memory, *end = at + set->encryptor.workspace.bytes;
         at < end;) {
        *at++ = 0xa5;
    }
    set->entropy.fill = fail_to_fill;
    expect(set, &good, ISOPOD_ERROR_ENTROPY);
    CHECK(nonzero(set->encryptor.workspace.memory, set->encryptor.workspace.bytes) == 0);
    set->entropy.fill = fixture_fill;
    expect(set, &good, ISOPOD_ERROR_ENTROPY); /* poisoned */
    set->entropy = kept;
    expect(set, &good, ISOPOD_OK);
}

static void check_order(tfhe_fixture *set) {
    isopod_tfhe context = {0};
    isopod_tfhe_frame frame, second;
    uint8_t out[64];
    size_t length = 9;
    check_case("order", 0);
    CHECK(isopod_tfhe_next(&context, out, 1, &length) == ISOPOD_ERROR_STATE && length == 0);
    CHECK(isopod_tfhe_frame_begin(&frame, &context) == ISOPOD_ERROR_STATE);
    CHECK(isopod_tfhe_frame_next(&frame, out, 1, &length) == ISOPOD_ERROR_STATE);
    CHECK(isopod_tfhe_frame_bytes(&frame) == 0);
    CHECK(isopod_tfhe_begin(&context, &set->config, &set->encryptor, &good) == ISOPOD_OK);
    CHECK(isopod_tfhe_next(&context, out, 0, &length) == ISOPOD_ERROR_CAPACITY);
    CHECK(isopod_tfhe_frame_begin(&frame, &context) == ISOPOD_OK);
    CHECK(isopod_tfhe_frame_begin(&second, &context) == ISOPOD_ERROR_STATE);
    CHECK(isopod_tfhe_frame_next(&frame, out, 0, &length) == ISOPOD_ERROR_CAPACITY);
    CHECK(isopod_tfhe_frame_next(&frame, out, sizeof out, &length) == ISOPOD_OK && length > 0);
    isopod_tfhe_abort(&context);
    CHECK(isopod_tfhe_frame_next(&frame, out, 1, &length) == ISOPOD_ERROR_STATE && length == 0);
    CHECK(isopod_tfhe_begin(&context, &set->config, &set->encryptor, &good) == ISOPOD_OK);
    CHECK(isopod_tfhe_next(&context, out, 1, &length) == ISOPOD_OK && length == 1);
    CHECK(isopod_tfhe_frame_begin(&frame, &context) == ISOPOD_ERROR_STATE);
    isopod_tfhe_abort(&context);
}

static isopod_status open_as(const tfhe_fixture *set, isopod_tfhe_key *key, size_t bytes) {
    return set->key.kind <= ISOPOD_TFHE_KEY_PUBLIC_SEEDED
               ? isopod_tfhe_public_key_open(key, set->params, set->blob, bytes)
               : isopod_tfhe_secret_key_open(key, set->params, set->blob, bytes);
}

static void expect_key(const tfhe_fixture *set, size_t bytes, isopod_status expected) {
    isopod_tfhe_key key = set->key;
    CHECK_QUIET(open_as(set, &key, bytes) == expected);
    CHECK_QUIET(expected == ISOPOD_OK ? key.kind == set->key.kind : nonzero(&key, sizeof key) == 0);
}

static void check_key_bytes(const tfhe_fixture *set) {
    uint8_t *bytes = (uint8_t *)set->blob;
    check_case("key bytes", set->key.kind);
    for (size_t i = 0; i < set->blob_bytes; i += i < 100 ? 1 : 509) {
        bytes[i] ^= 0x10u;
        expect_key(set, set->blob_bytes,
                   i >= 16 && i < 24 ? ISOPOD_ERROR_KEY_SET : ISOPOD_ERROR_KEY_FORMAT);
        bytes[i] ^= 0x10u;
    }
    expect_key(set, 0, ISOPOD_ERROR_KEY_FORMAT);
    expect_key(set, 79, ISOPOD_ERROR_KEY_FORMAT);
    expect_key(set, set->blob_bytes - 1, ISOPOD_ERROR_KEY_FORMAT);
    expect_key(set, set->blob_bytes + 4, ISOPOD_ERROR_KEY_FORMAT);
    expect_key(set, set->blob_bytes, ISOPOD_OK);
}

/* Expects the error of a changed word under a valid digest. */
static void expect_sealed(const tfhe_fixture *set, uint32_t word, uint32_t value) {
    uint32_t kept = set->blob[word];
    set->blob[word] = value;
    fixture_seal_blob(set->blob);
    expect_key(set, set->blob_bytes, ISOPOD_ERROR_KEY_FORMAT);
    set->blob[word] = kept;
    fixture_seal_blob(set->blob);
}

static void check_key_contents(const tfhe_fixture *set) {
    uint32_t last = (uint32_t)(set->blob_bytes / 4) - 1;
    check_case("key contents", set->key.kind);
    expect_sealed(set, 2, 3);
    expect_sealed(set, 2, 21);
    expect_sealed(set, 3, 4096);
    expect_sealed(set, 10, 1);
    if (set->key.kind == ISOPOD_TFHE_KEY_SECRET_TRANSFORMED) {
        expect_sealed(set, 20, set->params->prime->modulus);
        expect_sealed(set, last, 0xffffffffu);
    }
    if (set->key.kind == ISOPOD_TFHE_KEY_SECRET && set->params->secret == ISOPOD_SECRET_TERNARY) {
        expect_sealed(set, last, set->blob[last] | 3u);
        expect_sealed(set, 20, set->blob[20] | 3u << 30);
    }
    expect_key(set, set->blob_bytes, ISOPOD_OK);
}

static void check_prepare(const tfhe_fixture *set) {
    size_t mark = check_memory_mark(), bytes = ISOPOD_TFHE_PREPARED_BYTES(set->n);
    uint8_t *memory = check_memory(bytes + 8);
    isopod_tfhe_key key = set->key;
    uint32_t is_plain = key.kind == ISOPOD_TFHE_KEY_SECRET;
    CHECK(isopod_tfhe_key_prepare(&key, &set->tables, memory, bytes) ==
          (is_plain ? ISOPOD_OK : ISOPOD_ERROR_KEY_KIND));
    if (is_plain) {
        CHECK(isopod_tfhe_key_prepare(&key, &set->tables, memory, bytes - 1) ==
              ISOPOD_ERROR_WORKSPACE);
        CHECK(isopod_tfhe_key_prepare(&key, &set->tables, memory + 4, bytes) ==
              ISOPOD_ERROR_WORKSPACE);
        CHECK(isopod_tfhe_key_prepare(&key, &set->tables, NULL, bytes) == ISOPOD_ERROR_WORKSPACE);
    }
    check_memory_release(mark);
}

static void check_key_kind(const tfhe_fixture *set) {
    isopod_tfhe_key key = set->key;
    check_case("key kind", set->key.kind);
    if (set->key.kind <= ISOPOD_TFHE_KEY_PUBLIC_SEEDED) {
        CHECK(isopod_tfhe_secret_key_open(&key, set->params, set->blob, set->blob_bytes) ==
              ISOPOD_ERROR_KEY_KIND);
    } else {
        CHECK(isopod_tfhe_public_key_open(&key, set->params, set->blob, set->blob_bytes) ==
              ISOPOD_ERROR_KEY_KIND);
    }
    CHECK(nonzero(&key, sizeof key) == 0);
    check_prepare(set);
    if (set->key.kind != ISOPOD_TFHE_KEY_SECRET) {
        CHECK(isopod_tfhe_stream_key_open(&key, set->params, set->blob, set->blob_bytes) ==
              ISOPOD_ERROR_KEY_KIND);
    }
}

static void check_keys(const isopod_tfhe_params *params) {
    for (uint32_t kind = ISOPOD_TFHE_KEY_PUBLIC; kind <= ISOPOD_TFHE_KEY_SECRET_TRANSFORMED;
         kind++) {
        tfhe_fixture set;
        check_memory_reset();
        tfhe_fixture_open(&set, params, kind);
        check_key_bytes(&set);
        check_key_contents(&set);
        check_key_kind(&set);
    }
}

static void check_keygen(const isopod_tfhe_params *params) {
    uint32_t *blob = check_memory(80);
    isopod_tfhe_params wrong = *params;
    isopod_tfhe_tables tables = {{0}, NULL};
    isopod_tfhe_keygen keygen = {.params = params, .tables = &tables};
    CHECK(isopod_tfhe_keygen_blob(blob, &keygen, (isopod_tfhe_key_kind)3) == ISOPOD_ERROR_TABLES);
    for (uint32_t i = 0; i < sizeof tables.set_id; i++) {
        tables.set_id[i] = params->set_id[i];
    }
    CHECK(isopod_tfhe_keygen_blob(blob, &keygen, (isopod_tfhe_key_kind)3) == ISOPOD_ERROR_KEY_KIND);
    CHECK(isopod_tfhe_blob_bytes(params, (isopod_tfhe_key_kind)21) == 0);
    wrong.log2_modulus = 48;
    keygen.params = &wrong;
    CHECK(isopod_tfhe_keygen_blob(blob, &keygen, ISOPOD_TFHE_KEY_SECRET) ==
          ISOPOD_ERROR_PARAMETERS);
    CHECK(isopod_tfhe_tables_build(&tables, params, blob, 80) == ISOPOD_ERROR_WORKSPACE);
    CHECK(isopod_tfhe_tables_build(&tables, &wrong, blob, 80) == ISOPOD_ERROR_PARAMETERS);
}

void test_tfhe_errors(void) {
    for (uint32_t s = 0; s < ISOPOD_TFHE_SET_COUNT; s++) {
        tfhe_fixture set;
        check_memory_reset();
        tfhe_fixture_open(&set, isopod_tfhe_sets[s], ISOPOD_TFHE_KEY_SECRET_TRANSFORMED);
        check_labels(&set);
        check_config(&set);
        check_sender(&set);
        check_other_set(&set);
        check_runs(&set);
        check_entropy(&set);
        check_order(&set);
        check_keygen(isopod_tfhe_sets[s]);
        check_keys(isopod_tfhe_sets[s]);
    }
}
