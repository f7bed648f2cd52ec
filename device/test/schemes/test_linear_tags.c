/* Linear tags: known answers of keys, pads and frames of all exact layouts, from arrays and
 * callbacks; periods; what is refused; and the arithmetic beside that of 64-bit words. */
#include "../harness/check.h"
#include "../harness/tests.h"
#include "../harness/vector_input.h"
#include "../vectors_generated.h"

#include "../../src/tag/linear_tag.h"

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])
#define MODULUS ((UINT64_C(1) << 61) - 1u)
#define PERIOD 11u

typedef struct isopod_vector_linear_frames vector;
typedef struct isopod_vector_linear_whole_frames whole;

/* The key of the sender, device 1001 of group 0 in period 11, for frames with a tag of columns
 * or without. */
static void open_key(isopod_linear_key *key, const char *column_tag) {
    isopod_linear_secrets secrets;
    fixture_from_hex(secrets.group, isopod_vectors_linear_keys[1].group_secret);
    fixture_from_hex(secrets.device, isopod_vectors_linear_keys[1].device_secret);
    secrets.period = PERIOD;
    (column_tag[0] != 0 ? isopod_linear_key_open_columns : isopod_linear_key_open)(key, &secrets);
}

static void check_keys(void) {
    for (uint32_t r = 0; r < LENGTH(isopod_vectors_linear_keys); r++) {
        const struct isopod_vector_linear_keys *row = &isopod_vectors_linear_keys[r];
        isopod_linear_secrets secrets = {.period = row->period};
        isopod_linear_key key;
        fixture_from_hex(secrets.group, row->group_secret);
        fixture_from_hex(secrets.device, row->device_secret);
        isopod_linear_key_open(&key, &secrets);
        CHECK(((uint64_t)key.point[1] << 32 | key.point[0]) == row->point);
        CHECK(fixture_is_hex(key.pads.key, sizeof key.pads.key, row->pad_key));
    }
}

/* From the first period of the sender to that of the known answers. */
static void check_periods(void) {
    isopod_linear_secrets secrets = {.period = 0};
    fixture_from_hex(secrets.group, isopod_vectors_linear_keys[0].group_secret);
    fixture_from_hex(secrets.device, isopod_vectors_linear_keys[0].device_secret);
    for (uint32_t period = 0; period < PERIOD; period++) {
        CHECK(isopod_linear_secrets_advance(&secrets) == ISOPOD_OK);
    }
    CHECK(secrets.period == PERIOD);
    CHECK(fixture_is_hex(secrets.group, 32, isopod_vectors_linear_keys[1].group_secret));
    CHECK(fixture_is_hex(secrets.device, 32, isopod_vectors_linear_keys[1].device_secret));
    secrets.period = UINT32_MAX;
    CHECK(isopod_linear_secrets_advance(&secrets) == ISOPOD_ERROR_STATE);
    CHECK(fixture_is_hex(secrets.group, 32, isopod_vectors_linear_keys[1].group_secret));
}

static uint64_t number_in(const uint32_t tag[2]) {
    const uint64_t number = (uint64_t)tag[1] << 32 | tag[0];
    CHECK(number >> 61 == PERIOD % 8u);
    return number & MODULUS;
}

/* Hides tags by the pads of device 1002 as well, as those of a further holder; not by those of
 * another period. */
static void share_key(isopod_linear_key *key, isopod_linear_pad_key *pads) {
    isopod_linear_secrets secrets = {.period = PERIOD + 1u};
    open_key(key, "");
    fixture_from_hex(secrets.device, isopod_vectors_linear_keys[2].device_secret);
    CHECK(isopod_linear_key_add_pads(key, pads, &secrets) == ISOPOD_ERROR_STATE);
    CHECK(key->pads.next == NULL);
    secrets.period = PERIOD;
    CHECK(isopod_linear_key_add_pads(key, pads, &secrets) == ISOPOD_OK);
    CHECK(key->pads.next == pads && pads->next == NULL);
}

/* The tag of a frame without values is its pad. */
static void check_pads(void) {
    static const int8_t units[] = {0, -15, 31, 0, -15};
    uint8_t packing[ISOPOD_PACKING_BYTES];
    uint32_t tag[ISOPOD_LINEAR_WORDS];
    isopod_linear_key key, shared;
    isopod_linear_pad_key pads;
    open_key(&key, "");
    share_key(&shared, &pads);
    for (uint32_t r = 0; r < LENGTH(isopod_vectors_linear_pads); r++) {
        const struct isopod_vector_linear_pads *row = &isopod_vectors_linear_pads[r];
        const isopod_frame_name name = {
            .device = 1001, .epoch = (uint32_t)row->epoch, .sequence = row->sequence};
        isopod_linear_frame frame = {.name = &name,
                                     .columns = row->columns,
                                     .stride = row->stride,
                                     .ring_degree = 2048,
                                     .log2_unit = units[r / 5u]};
        isopod_linear_sum sum = {.place = 0};
        fixture_from_hex(packing, row->packing);
        frame.packing = row->packing[0] != 0 ? packing : NULL;
        isopod_linear_finish(tag, &sum, &key, &frame);
        CHECK(number_in(tag) == row->pad);
        isopod_linear_finish(tag, &sum, &shared, &frame);
        CHECK(number_in(tag) == row->shared);
    }
}

/* a * b + c modulo p, bit by bit. */
static uint64_t slow(uint64_t a, uint64_t b, uint64_t c) {
    uint64_t sum = 0;
    for (uint32_t bit = 61; bit-- > 0;) {
        sum = sum * 2u % MODULUS;
        sum = (sum + (b % MODULUS >> bit & 1u) * a) % MODULUS;
    }
    return (sum + c) % MODULUS;
}

static uint64_t next_random(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 3 ^ *state >> 31;
}

/* Horner's rule with extreme and random numbers, with and without gaps. */
static void check_arithmetic(void) {
    static const uint64_t extremes[] = {
        0, 1, MODULUS - 1u, MODULUS, MODULUS + 3u, 0xffffffff, UINT64_C(0x1ffffffe00000000)};
    static const int32_t values[] = {0, 1, -1, INT32_MAX, INT32_MIN, 12345678, -1};
    uint64_t state = 1;
    isopod_linear_key key;
    open_key(&key, "");
    for (uint32_t turn = 0; turn < 700; turn++) {
        uint64_t start = turn < 49 ? extremes[turn % 7u] : next_random(&state) & MODULUS;
        uint64_t point = turn < 49 ? extremes[turn / 7u] : next_random(&state) & MODULUS;
        const isopod_values many = {values, 1u + turn % 7u, ISOPOD_VALUES_INT32};
        isopod_linear_sum sum = {.sum = {(uint32_t)start, (uint32_t)(start >> 32)}, .place = 5};
        key.point[0] = (uint32_t)point;
        key.point[1] = (uint32_t)(point >> 32);
        uint64_t wanted = start % MODULUS;
        for (uint32_t gap = 0; gap < turn % 3u * 61u; gap++) {
            wanted = slow(wanted, point, 0);
        }
        for (uint32_t i = 0; i < many.count; i++) {
            wanted = slow(wanted, point, (uint64_t)(values[i] + (int64_t)MODULUS));
        }
        isopod_linear_add(&sum, &key, &many, 0, 5u + turn % 3u * 61u);
        uint64_t found = (uint64_t)sum.sum[1] << 32 | sum.sum[0];
        CHECK_QUIET(found % MODULUS == wanted && found < MODULUS + 5u);
        CHECK_QUIET(sum.place == 5u + turn % 3u * 61u + many.count);
    }
}

/* The tag of columns from pieces that begin and end anywhere is that of all values at once; places
 * between the columns and the stride do not count. */
static void check_pieces(void) {
    static const isopod_linear_frame frames[] = {
        {.columns = 1, .stride = 1, .buckets = 1},   {.columns = 5, .stride = 5, .buckets = 1},
        {.columns = 5, .stride = 8, .buckets = 1},   {.columns = 1, .stride = 3, .buckets = 1},
        {.columns = 12, .stride = 16, .buckets = 4}, {.columns = 64, .stride = 64, .buckets = 1}};
    int32_t values[192];
    uint64_t state = 7;
    isopod_linear_key key;
    open_key(&key, "columns");
    for (uint32_t f = 0; f < LENGTH(frames); f++) {
        const isopod_linear_frame *frame = &frames[f];
        const uint32_t count = LENGTH(values) / frame->stride * frame->stride;
        for (uint32_t i = 0; i < count; i++) {
            values[i] = (int32_t)next_random(&state);
        }
        const isopod_values all = {values, count, ISOPOD_VALUES_INT32};
        isopod_linear_sum whole = {.place = 0}, pieces = {.place = 0};
        isopod_linear_columns.add(&whole, &key, frame, &all, 0, 0);
        for (uint32_t at = 0, most = 1; at < count; at += most, most = most % 7u + 1u) {
            const uint32_t left = count - at;
            const isopod_values some = {values, most < left ? most : left, ISOPOD_VALUES_INT32};
            isopod_linear_columns.add(&pieces, &key, frame, &some, at, at);
        }
        CHECK(whole.rows[0] == pieces.rows[0] && whole.rows[1] == pieces.rows[1]);
        for (uint32_t i = 0; i < count; i++) {
            values[i] += i % frame->stride >= frame->columns;
        }
        isopod_linear_sum gaps = {.place = 0};
        isopod_linear_columns.add(&gaps, &key, frame, &all, 0, 0);
        CHECK(whole.rows[0] == gaps.rows[0] && whole.rows[1] == gaps.rows[1]);
        values[frame->columns - 1u]++;
        isopod_linear_sum other = {.place = 0};
        isopod_linear_columns.add(&other, &key, frame, &all, 0, 0);
        CHECK(whole.rows[0] != other.rows[0]);
    }
}

static void read_value(void *state, uint32_t number, void *value) {
    const isopod_values *values = state;
    *(uint32_t *)value = ((const uint32_t *)values->data)[number];
}

static isopod_values values_of(const fixture *set, const vector *row) {
    uint32_t count = row->rows * row->columns;
    return set->params->plain != NULL
               ? vector_integers(row->numbers, count, set->params->plain->modulus)
               : vector_numbers(row->numbers, count, row->log2_bound);
}

static void configure(fixture *set, const vector *row, const isopod_rounding *rounding,
                      const isopod_linear_key *key) {
    static uint8_t packing[ISOPOD_PACKING_BYTES];
    vector_configure(set, ISOPOD_SUITE_CHACHA20, 1);
    fixture_from_hex(packing, row->packing);
    set->config.packing = packing;
    set->config.log2_scale = (uint8_t)row->log2_scale;
    set->config.log2_bound = (int8_t)row->log2_bound;
    set->config.level = (uint8_t)row->level;
    set->config.stride = row->stride;
    set->config.buckets = row->buckets;
    set->config.layout = ISOPOD_COEFFICIENTS_ROUNDED;
    set->config.rounding = rounding;
    set->config.linear_key = key;
    rounded_workspace(set);
}

/* The last bytes of what was output. */
typedef struct {
    uint8_t bytes[2 * ISOPOD_LINEAR_TAG_BYTES];
} ending;

static void append(ending *last, const uint8_t *piece, size_t length) {
    for (size_t i = 0; i < length; i++) {
        for (size_t j = 0; j + 1 < sizeof last->bytes; j++) {
            last->bytes[j] = last->bytes[j + 1];
        }
        last->bytes[sizeof last->bytes - 1] = piece[i];
    }
}

static void check_ending(const ending *last, const char *linear_tag, const char *column_tag) {
    const uint8_t *second = last->bytes + ISOPOD_LINEAR_TAG_BYTES;
    if (column_tag[0] != 0) {
        CHECK(fixture_is_hex(second, ISOPOD_LINEAR_TAG_BYTES, column_tag));
        second = last->bytes;
    }
    CHECK(fixture_is_hex(second, ISOPOD_LINEAR_TAG_BYTES, linear_tag));
}

/* The last bytes of the pieces, of a callback's values, are the tags. */
static void check_callback(fixture *set, const vector *row, const isopod_rounding *rounding,
                           const isopod_linear_key *key) {
    const isopod_values values = values_of(set, row);
    const isopod_value_source source = {.values = {NULL, values.count, values.type},
                                        .read = read_value,
                                        .state = (void *)(uintptr_t)&values};
    uint8_t piece[61];
    size_t length = 0;
    ending last = {{0}};
    isopod_rounded context;
    configure(set, row, rounding, key);
    isopod_status status = rounded_begin(set, &context, &source);
    while (status == ISOPOD_OK) {
        append(&last, piece, length);
        status = isopod_rounded_next(&context, piece, 1u + length % sizeof piece, &length);
    }
    CHECK(status == ISOPOD_DONE);
    check_ending(&last, row->linear_tag, row->column_tag);
}

static void check_frame(fixture *set, const vector *row, const isopod_rounded_method *method) {
    const isopod_rounding rounding = {
        .method = method,
        .columns = row->columns,
        .run = row->run,
        .dropped = {(uint8_t)row->dropped_0, (uint8_t)row->dropped_1}};
    isopod_value_source source = {.values = values_of(set, row)};
    isopod_linear_key key;
    isopod_rounded context;
    isopod_frame frame;
    open_key(&key, row->column_tag);
    configure(set, row, &rounding, &key);
    CHECK(rounded_begin(set, &context, &source) == ISOPOD_OK);
    CHECK(isopod_rounded_frame_begin(&frame, &context) == ISOPOD_OK);
    vector_check_begun(&frame, row->bytes, row->sha3);
    check_callback(set, row, &rounding, &key);
}

/* A tag is of integers: those of CKKS are in rounded coefficients. */
static void check_refusals(fixture *set, const vector *row, const isopod_rounded_method *method) {
    static const float reals[4] = {0};
    const isopod_rounding rounding = {.method = method, .columns = 4};
    const isopod_value_source source = {.values = {reals, 4, ISOPOD_VALUES_FLOAT32}};
    isopod_linear_key key;
    isopod_rounded context;
    open_key(&key, "");
    configure(set, row, &rounding, &key);
    set->config.buckets = 1;
    if (set->params->plain == NULL) {
        CHECK(rounded_begin(set, &context, &source) == ISOPOD_ERROR_VALUE_TYPE);
        set->config.linear_key = NULL;
        CHECK(rounded_begin(set, &context, &source) == ISOPOD_OK);
        isopod_rounded_abort(&context);
        set->config.linear_key = &key;
        isopod_encryption slots;
        const isopod_values values = {reals, 4, ISOPOD_VALUES_FLOAT32};
        set->config.layout = ISOPOD_SLOTS;
        set->config.rounding = NULL;
        CHECK(isopod_ckks_begin(&slots, &set->config, &set->encryptor, &values) ==
              ISOPOD_ERROR_LAYOUT);
    }
}

static void check_rows(void) {
    for (uint32_t r = 0; r < LENGTH(isopod_vectors_linear_frames); r++) {
        const vector *row = &isopod_vectors_linear_frames[r];
        const uint32_t is_public = row->kind % 2u;
        const isopod_rounded_method *method =
            is_public ? &isopod_rounded_public_small : &isopod_rounded_secret;
        fixture set;
        check_case(row->set, r);
        fixture_open(&set, vector_set(row->set),
                     is_public ? ISOPOD_KEY_PUBLIC : ISOPOD_KEY_SECRET_NTT);
        check_frame(&set, row, method);
        check_refusals(&set, row, method);
        check_memory_reset();
    }
}

/* Whole residues: slots and coefficients of BFV, with and without fault check, in any chunks. */
static void configure_whole(fixture *set, const whole *row, const isopod_linear_key *key,
                            uint8_t chunks) {
    static uint8_t packing[ISOPOD_PACKING_BYTES];
    vector_configure(set, ISOPOD_SUITE_CHACHA20, chunks);
    fixture_from_hex(packing, row->packing);
    fixture_layout(set, row->layout);
    set->config.packing = packing;
    set->config.stride = row->stride;
    set->config.buckets = row->buckets;
    set->config.linear_key = key;
}

/* From a callback, the tags are the same, behind the residues of the last prime. */
static void check_whole_callback(fixture *set, const whole *row) {
    const isopod_values values =
        vector_integers(row->numbers, row->count, set->params->plain->modulus);
    const isopod_value_source source = {.values = {NULL, values.count, values.type},
                                        .read = read_value,
                                        .state = (void *)(uintptr_t)&values};
    uint8_t piece[61];
    size_t length = 0, total = 0;
    ending last = {{0}};
    isopod_encryption context;
    isopod_status status = isopod_bfv_begin_from(&context, &set->config, &set->encryptor, &source);
    while (status == ISOPOD_OK) {
        append(&last, piece, length);
        total += length;
        status = isopod_encryption_next(&context, piece, 1u + total % sizeof piece, &length);
    }
    CHECK(status == ISOPOD_DONE);
    check_ending(&last, row->linear_tag, row->column_tag);
}

static void check_whole_frame(fixture *set, const whole *row) {
    isopod_values values = vector_integers(row->numbers, row->count, set->params->plain->modulus);
    isopod_linear_key key;
    open_key(&key, row->column_tag);
    configure_whole(set, row, &key, 1);
    vector_check_frame(set, &values, row->bytes, row->sha3);
    configure_whole(set, row, &key, 1);
    check_whole_callback(set, row);
    configure_whole(set, row, &key, 4);
    set->config.fault_check = &isopod_compute_twice;
    fixture_workspace(set);
    check_whole_callback(set, row);
}

static void check_whole_rows(void) {
    for (uint32_t r = 0; r < LENGTH(isopod_vectors_linear_whole_frames); r++) {
        const whole *row = &isopod_vectors_linear_whole_frames[r];
        fixture set;
        check_case(row->set, r);
        fixture_open(&set, vector_set(row->set),
                     row->kind % 2u ? ISOPOD_KEY_PUBLIC : ISOPOD_KEY_SECRET_NTT);
        check_whole_frame(&set, row);
        check_memory_reset();
    }
}

void test_linear_tags(void) {
    check_keys();
    check_periods();
    check_pads();
    check_arithmetic();
    check_pieces();
    check_rows();
    check_whole_rows();
}
