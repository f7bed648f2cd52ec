/* Known answers of frames of rounded coefficients, for every kind of key and way to compute, from
 * arrays and from callbacks; nothing stays in memory. */
#include "../harness/check.h"
#include "../harness/tests.h"
#include "../harness/vector_input.h"
#include "../vectors_generated.h"

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])

static size_t nonzero_bytes(const void *memory, size_t length) {
    const uint8_t *bytes = memory;
    size_t count = 0;
    for (size_t i = 0; i < length; i++) {
        count += bytes[i] != 0;
    }
    return count;
}

static void read_value(void *state, uint32_t number, void *value) {
    const isopod_values *values = state;
    *(uint32_t *)value = ((const uint32_t *)values->data)[number];
}

static isopod_values values_of(const fixture *set, const struct isopod_vector_rounded_frames *row) {
    uint32_t count = row->rows * row->columns;
    return set->params->plain != NULL
               ? vector_integers(row->numbers, count, set->params->plain->modulus)
               : vector_numbers(row->numbers, count, row->log2_bound);
}

static void configure(fixture *set, const struct isopod_vector_rounded_frames *row,
                      const isopod_rounding *rounding) {
    static uint8_t packing[ISOPOD_PACKING_BYTES];
    vector_configure(set, row->suite, 1);
    fixture_from_hex(packing, row->packing);
    set->config.packing = packing;
    set->config.log2_scale = (uint8_t)row->log2_scale;
    set->config.log2_bound = (int8_t)row->log2_bound;
    set->config.level = (uint8_t)row->level;
    set->config.stride = row->stride;
    set->config.layout = ISOPOD_COEFFICIENTS_ROUNDED;
    set->config.rounding = rounding;
    rounded_workspace(set);
}

/* Collects at most `capacity` bytes in pieces of every length; returns their number. */
static size_t collect(isopod_rounded *context, uint8_t *out, size_t capacity) {
    size_t taken = 0, length = 0;
    while (taken < capacity &&
           isopod_rounded_next(context, out + taken, 1 + taken % 97, &length) == ISOPOD_OK) {
        taken += length;
    }
    return taken;
}

/* A callback gives the same bytes as an array that does not enter the hedge. */
static void check_callback(fixture *set, const struct isopod_vector_rounded_frames *row,
                           const isopod_rounding *rounding) {
    uint8_t *bytes[2] = {check_memory(row->bytes + 97), check_memory(row->bytes + 97)};
    size_t lengths[2];
    for (uint32_t turn = 0; turn < 2; turn++) {
        const isopod_values values = values_of(set, row);
        isopod_value_source source = {.values = values};
        isopod_rounded context;
        configure(set, row, rounding);
        set->config.hedge_without_values = turn == 0;
        if (turn == 1) {
            source.values.data = NULL;
            source.read = read_value;
            source.state = (void *)(uintptr_t)&values;
        }
        CHECK(rounded_begin(set, &context, &source) == ISOPOD_OK);
        lengths[turn] = collect(&context, bytes[turn], row->bytes);
        CHECK(nonzero_bytes(set->encryptor.workspace.memory, set->encryptor.workspace.bytes) == 0);
    }
    CHECK(lengths[0] == lengths[1] && lengths[0] > 0);
    for (size_t i = 0; i < lengths[0]; i++) {
        CHECK_QUIET(bytes[0][i] == bytes[1][i]);
    }
}

static void check_frame(fixture *set, const struct isopod_vector_rounded_frames *row,
                        const isopod_rounded_method *method) {
    const isopod_rounding rounding = {
        .method = method,
        .columns = row->columns,
        .run = row->run,
        .dropped = {(uint8_t)row->dropped_0, (uint8_t)row->dropped_1}};
    isopod_value_source source = {.values = values_of(set, row)};
    isopod_rounded context;
    isopod_frame frame;
    configure(set, row, &rounding);
    CHECK(rounded_begin(set, &context, &source) == ISOPOD_OK);
    CHECK(isopod_rounded_frame_begin(&frame, &context) == ISOPOD_OK);
    vector_check_begun(&frame, row->bytes, row->sha3);
    CHECK(nonzero_bytes(set->encryptor.workspace.memory, set->encryptor.workspace.bytes) == 0);
    if (row->suite == 1) {
        check_callback(set, row, &rounding);
    }
}

static void check_row(fixture *set, const struct isopod_vector_rounded_frames *row) {
    static const isopod_rounded_method *const methods[3] = {
        &isopod_rounded_secret, &isopod_rounded_public, &isopod_rounded_public_small};
    uint32_t is_public = set->key.kind <= ISOPOD_KEY_PUBLIC_SEEDED;
    for (uint32_t m = is_public; m < (is_public ? 3u : 1u); m++) {
        size_t mark = check_memory_mark();
        check_frame(set, row, methods[m]);
        check_memory_release(mark);
    }
}

void test_rounded(void) {
    for (uint32_t r = 0; r < LENGTH(isopod_vectors_rounded_frames); r++) {
        const struct isopod_vector_rounded_frames *row = &isopod_vectors_rounded_frames[r];
        uint32_t first = row->kind % 2 == 1 ? ISOPOD_KEY_PUBLIC : ISOPOD_KEY_SECRET_TERNARY;
        for (uint32_t kind = first; kind < first + 2; kind++) {
            fixture set;
            check_case(row->set, r);
            fixture_open(&set, vector_set(row->set), (isopod_key_kind)kind);
            check_row(&set, row);
            check_memory_reset();
        }
    }
}
