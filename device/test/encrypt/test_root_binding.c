/* Under one entropy block and one sender every field of a frame, and type and unit of the values,
 * change the root: no two frames that say something different share a nonce, a mask or a noise. A
 * field that is added to the header and that no case changes fails the test. */
#include "../../src/base/memory.h"
#include "isopod/tfhe_frame.h"
#include "../harness/check.h"
#include "../harness/fixture.h"
#include "../harness/tests.h"
#include "../harness/tfhe_fixture.h"

#define MOST_CASES 32u
#define MOST_FIELDS 32u

/* Fields that say nothing of themselves: the version, what the root gives, the number of the part,
 * and what the root decides: the last ones. */
#define PART_GIVEN (1u << 0 | 1u << 8 | 1u << 9 | 7u << (ISOPOD_PART_FIELDS - 3u))
#define TFHE_GIVEN (1u << 0 | 1u << 7 | 3u << (ISOPOD_TFHE_FRAME_FIELDS - 2u))

/* A header, and where each of its fields begins. */
typedef struct {
    uint8_t bytes[ISOPOD_PART_HEADER_MOST];
    uint32_t at[MOST_FIELDS + 1];
    uint32_t fields;
} header;

typedef struct {
    header taken[MOST_CASES];
    uint32_t count;
    uint32_t given; /* fields that no case has to change */
    uint32_t nonce; /* number of the field */
} cases;

static uint32_t item_bytes(const uint8_t *item) {
    uint32_t info = item[0] & 31u, argument = info, head = 1;
    if (info >= 24) {
        uint32_t bytes = 1u << (info - 24u);
        argument = 0;
        for (uint32_t i = 0; i < bytes; i++) {
            argument = argument << 8 | item[1 + i];
        }
        head += bytes;
    }
    uint32_t major = item[0] >> 5;
    if (major == ISOPOD_CBOR_ARRAY) {
        uint32_t length = head;
        for (uint32_t i = 0; i < argument; i++) {
            length += item_bytes(item + length);
        }
        return length;
    }
    return head + (major == ISOPOD_CBOR_BYTES ? argument : 0);
}

/* Splits a header after the head of its array; its last field is the head of a byte string. */
static void split(header *out, size_t length) {
    uint32_t at = out->bytes[0] >= 0x98u ? 2u : 1u;
    for (out->fields = 0; at < length && out->fields < MOST_FIELDS; out->fields++) {
        out->at[out->fields] = at;
        at += item_bytes(out->bytes + at);
    }
    out->at[out->fields] = (uint32_t)length;
}

static uint32_t differs(const header *a, const header *b, uint32_t field) {
    uint32_t length = a->at[field + 1] - a->at[field];
    return length != b->at[field + 1] - b->at[field] ||
           !isopod_equal(a->bytes + a->at[field], b->bytes + b->at[field], length);
}

static header *next_case(cases *all) {
    CHECK(all->count < MOST_CASES);
    return &all->taken[all->count++];
}

/* Reads the header of the frame that has begun. */
static void take_header(cases *all, isopod_frame *frame) {
    header *out = next_case(all);
    isopod_piece piece;
    CHECK(isopod_frame_next(frame, out->bytes, sizeof out->bytes, &piece) == ISOPOD_OK);
    split(out, piece.length);
}

static void take(cases *all, fixture *set, const isopod_value_source *source) {
    isopod_encryption context;
    isopod_frame frame;
    isopod_status status = isopod_ckks_begin_from(&context, &set->config, &set->encryptor, source);
    CHECK(status == ISOPOD_OK);
    if (status == ISOPOD_OK && isopod_frame_begin(&frame, &context) == ISOPOD_OK) {
        take_header(all, &frame);
    }
    isopod_encryption_abort(&context);
}

static void take_rounded(cases *all, fixture *set, const isopod_value_source *source) {
    isopod_rounded context;
    isopod_frame frame;
    isopod_status status =
        isopod_ckks_rounded_begin(&context, &set->config, &set->encryptor, source);
    CHECK(status == ISOPOD_OK);
    if (status == ISOPOD_OK && isopod_rounded_frame_begin(&frame, &context) == ISOPOD_OK) {
        take_header(all, &frame);
    }
    isopod_rounded_abort(&context);
}

/* No nonce twice, and every field was changed. */
static void check_all(const cases *all) {
    uint32_t changed = all->given;
    for (uint32_t a = 0; a < all->count; a++) {
        CHECK(all->taken[a].fields == all->taken[0].fields);
        for (uint32_t b = 0; b < a; b++) {
            check_case("cases", 100 * a + b);
            CHECK_QUIET(differs(&all->taken[a], &all->taken[b], all->nonce));
        }
        for (uint32_t field = 0; field < all->taken[a].fields; field++) {
            changed |= differs(&all->taken[a], &all->taken[0], field) << field;
        }
    }
    check_case("fields that no case changes", ~changed);
    CHECK(changed >> all->taken[0].fields <= 1 &&
          (changed | 1u << all->taken[0].fields) + 1u == 2u << all->taken[0].fields);
}

/* The cases change one thing each under the same entropy, epoch and sequence. */
#define CASE(change)                                                                               \
    do {                                                                                           \
        fixture_configure(set, &isopod_suite_chacha20, 1);                                         \
        isopod_value_source source = {.values = {numbers, 8, ISOPOD_VALUES_INT32}};                \
        change;                                                                                    \
        fixture_workspace(set);                                                                    \
        take(all, set, &source);                                                                   \
    } while (0)

static void take_slots(cases *all, fixture *set) {
    static const int32_t numbers[8] = {1, 0, -1, 0, 1, 0, 0, 1};
    static const uint8_t packing[16] = {7};
    CASE((void)0);
    CASE(source.log2_unit = -1);
    CASE(source.values.type = ISOPOD_VALUES_INT16);
    CASE(source.values.data = numbers + 1; source.values.count = 7);
    CASE(source.values.count = 7);
    CASE(set->config.suite = &isopod_suite_shake256);
    CASE(set->sender.device++);
    CASE(set->sender.epoch++);
    CASE(set->sender.sequence++);
    CASE(set->config.level = 1; set->config.log2_scale = 20);
    CASE(set->config.chunks = 2);
    CASE(set->config.log2_scale = 20);
    CASE(set->config.log2_bound = 1);
    CASE(set->config.encoder = &isopod_encoder_slots64_nearest);
    CASE(set->config.layout = ISOPOD_SLOTS_REPEATED);
    CASE(set->config.stride = 4);
    CASE(set->config.buckets = 8);
    CASE(set->config.packing = packing);
    CASE(set->config.hedge_without_values = 1);
}

#define ROUNDED_CASE(change)                                                                       \
    do {                                                                                           \
        isopod_rounding rounding = {.method = &isopod_rounded_public, .columns = 2};               \
        isopod_value_source source = {.values = {numbers, 8, ISOPOD_VALUES_INT32}};                \
        fixture_configure(set, &isopod_suite_chacha20, 1);                                         \
        set->config.layout = ISOPOD_COEFFICIENTS_ROUNDED;                                          \
        set->config.stride = 4;                                                                    \
        set->config.rounding = &rounding;                                                          \
        change;                                                                                    \
        rounded_workspace(set);                                                                    \
        take_rounded(all, set, &source);                                                           \
    } while (0)

static void take_rows(cases *all, fixture *set) {
    static const int32_t numbers[8] = {1, 0, -1, 0, 1, 0, 0, 1};
    ROUNDED_CASE((void)0);
    ROUNDED_CASE(rounding.columns = 4);
    ROUNDED_CASE(rounding.run = 3);
    ROUNDED_CASE(rounding.dropped[0] = 3);
    ROUNDED_CASE(rounding.dropped[1] = 3);
}

static void check_parts(void) {
    cases *all = check_memory(sizeof *all);
    fixture set, other;
    all->given = PART_GIVEN;
    all->nonce = 8;
    size_t mark = check_memory_mark();
    fixture_open(&set, &isopod_ckks_4096x2_linear, ISOPOD_KEY_PUBLIC_SEEDED);
    take_slots(all, &set);
    take_rows(all, &set);
    check_memory_release(mark);
    fixture_open(&other, &isopod_ckks_1024x1_sum, ISOPOD_KEY_SECRET_TERNARY);
    fixture_configure(&other, &isopod_suite_chacha20, 1);
    other.config.log2_bound = 16 - 12; /* of nothing but zeros */
    const isopod_value_source zeros = {.values = {check_memory(16), 8, ISOPOD_VALUES_INT16}};
    take(all, &other, &zeros);
    check_case("parts", ISOPOD_PART_FIELDS);
    check_all(all);
}

static void take_tfhe(cases *all, tfhe_fixture *set, const char *schema) {
    isopod_tfhe_values values = tfhe_fixture_values(schema);
    isopod_tfhe context;
    isopod_tfhe_frame frame;
    isopod_status status = isopod_tfhe_begin(&context, &set->config, &set->encryptor, &values);
    CHECK(status == ISOPOD_OK && isopod_tfhe_frame_begin(&frame, &context) == ISOPOD_OK);
    if (status == ISOPOD_OK) {
        take_header(all, &frame);
    }
    isopod_tfhe_abort(&context);
}

#define TFHE_CASE(name, way, schema, change)                                                       \
    do {                                                                                           \
        size_t mark_ = check_memory_mark();                                                        \
        tfhe_fixture set;                                                                          \
        tfhe_fixture_open(&set, tfhe_fixture_set(name), way);                                      \
        change;                                                                                    \
        take_tfhe(all, &set, schema);                                                              \
        check_memory_release(mark_);                                                               \
    } while (0)

static void check_tfhe(void) {
    static const uint8_t packing[16] = {7};
    static const char usual[] = "tfhe-1024-tuniform";
    cases *all = check_memory(sizeof *all);
    all->given = TFHE_GIVEN;
    all->nonce = 7;
    TFHE_CASE(usual, TFHE_STREAM, "2*4", (void)0);
    TFHE_CASE(usual, TFHE_STREAM, "2*3", (void)0);
    TFHE_CASE(usual, TFHE_STREAM, "3*2", (void)0);
    TFHE_CASE(usual, TFHE_STREAM, "2*4", set.config.suite = &isopod_tfhe_shake256);
    TFHE_CASE(usual, TFHE_STREAM, "2*4", set.sender.device++);
    TFHE_CASE(usual, TFHE_STREAM, "2*4", set.sender.epoch++);
    TFHE_CASE(usual, TFHE_STREAM, "2*4", set.sender.sequence++);
    TFHE_CASE(usual, TFHE_STREAM, "2*4", set.config.width = 2);
    TFHE_CASE(usual, TFHE_STREAM, "2*4", set.config.columns = 2);
    TFHE_CASE(usual, TFHE_STREAM, "2*4", set.config.packing = packing);
    TFHE_CASE(usual, ISOPOD_TFHE_KEY_PUBLIC, "2*4", (void)0);
    TFHE_CASE("tfhe-1024-tfhepp", TFHE_STREAM, "2*4", (void)0);
    check_case("TFHE", ISOPOD_TFHE_FRAME_FIELDS);
    check_all(all);
}

void test_root_binding(void) {
    check_memory_reset();
    check_parts();
    check_memory_reset();
    check_tfhe();
}
