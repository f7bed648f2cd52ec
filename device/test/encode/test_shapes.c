/* Known answers of layouts and levels: encoded messages and whole frames. */
#include "../../src/encode/encode.h"
#include "../../src/encode/encoder.h"
#include "../harness/check.h"
#include "../harness/tests.h"
#include "../harness/vector_input.h"
#include "../vectors_generated.h"

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])

static int is_complex(uint32_t layout) {
    return layout == ISOPOD_COMPLEX || layout == ISOPOD_COMPLEX_REPEATED;
}

static isopod_values values_of(const char *numbers, uint32_t layout, uint32_t count,
                               uint32_t log2_bound) {
    isopod_values values =
        vector_numbers(numbers, is_complex(layout) ? 2 * count : count, log2_bound);
    values.count = count;
    return values;
}

static isopod_encoding encoding_of(const struct isopod_vector_shape_encodings *vector) {
    isopod_encoding encoding = {
        0,   (uint8_t)vector->log2_scale, (int8_t)vector->log2_bound, vector->count, UINT32_MAX,
        NULL};
    while (1u << encoding.log2_ring_degree < vector->ring_degree) {
        encoding.log2_ring_degree++;
    }
    if (vector->layout == ISOPOD_SLOTS_REPEATED || vector->layout == ISOPOD_COMPLEX_REPEATED) {
        encoding.filled = vector->ring_degree / 2;
        encoding.index_mask = vector->count - 1u;
    }
    return encoding;
}

static void encode(void *message, const struct isopod_vector_shape_encodings *vector,
                   const isopod_tables *tables) {
    static const isopod_encoder *const encoders[ISOPOD_COEFFICIENTS + 1] = {
        &isopod_encoder_slots64, &isopod_encoder_slots64, &isopod_encoder_complex64,
        &isopod_encoder_complex64, &isopod_encoder_coefficients64};
    const isopod_encoder *encoder = encoders[vector->layout];
    const isopod_encoder_words *words = vector->width == 32 ? encoder->words32 : encoder->words64;
    const void *cosine = vector->width == 32 ? (const void *)tables->cosine32 : tables->cosine64;
    isopod_encoding encoding = encoding_of(vector);
    isopod_values values =
        values_of(vector->numbers, vector->layout, vector->count, vector->log2_bound);
    words->encode(message, cosine, &values, &encoding);
}

static void check_encodings(void) {
    isopod_tables tables = {0};
    uint32_t n = 0;
    for (uint32_t r = 0; r < LENGTH(isopod_vectors_shape_encodings); r++) {
        const struct isopod_vector_shape_encodings *vector = &isopod_vectors_shape_encodings[r];
        uint32_t words =
            vector->layout <= ISOPOD_SLOTS_REPEATED ? vector->ring_degree / 2 : vector->ring_degree;
        if (n != vector->ring_degree) {
            n = vector->ring_degree;
            check_memory_reset();
            tables = vector_cosines(n);
        }
        size_t mark = check_memory_mark();
        void *message = check_memory((size_t)8 * vector->ring_degree);
        check_case("shape", r);
        encode(message, vector, &tables);
        CHECK(fixture_has_digest(message, (size_t)words * vector->width / 8, vector->sha3));
        check_memory_release(mark);
    }
}

static void check_frame(fixture *set, const struct isopod_vector_shape_frames *vector,
                        uint32_t row) {
    const uint32_t layout = vector->layout & ~(uint32_t)ISOPOD_SLOTS_DITHERED;
    isopod_values values = values_of("f32", layout, vector->count, vector->log2_bound);
    uint8_t chunks = vector->kind == 1 ? (uint8_t)vector->interleave : (uint8_t)(1u << row % 4);
    uint8_t packing[ISOPOD_PACKING_BYTES];
    check_case(vector->set, row);
    vector_configure(set, vector->suite, chunks);
    set->config.log2_scale = (uint8_t)vector->log2_scale;
    set->config.log2_bound = (int8_t)vector->log2_bound;
    set->config.level = (uint8_t)vector->level;
    set->config.stride = vector->stride;
    set->config.buckets = vector->buckets;
    set->config.packing = vector->packing[0] != 0 ? packing : NULL;
    fixture_bytes(packing, 0x70, sizeof packing);
    fixture_layout(set, layout);
    if (layout == vector->layout && layout != ISOPOD_COEFFICIENTS) {
        fixture_nearest(set);
    }
    fixture_workspace(set);
    vector_check_frame(set, &values, vector->bytes, vector->sha3);
}

/* Checks frames set by set, since the records of a set stand together. */
static void check_frames(isopod_key_kind kind) {
    fixture set = {0};
    for (uint32_t r = 0; r < LENGTH(isopod_vectors_shape_frames); r++) {
        const struct isopod_vector_shape_frames *vector = &isopod_vectors_shape_frames[r];
        const isopod_params *params = vector_set(vector->set);
        if (!fixture_fits(params)) {
            continue;
        }
        if (set.params != params) {
            check_memory_reset();
            fixture_open(&set, params, kind);
        }
        if (vector_kind(&set) == vector->kind) {
            size_t mark = check_memory_mark();
            check_frame(&set, vector, r);
            check_memory_release(mark);
        }
    }
}

void test_shapes(void) {
    check_encodings();
    for (uint32_t kind = ISOPOD_KEY_PUBLIC; kind <= ISOPOD_KEY_SECRET_NTT; kind++) {
        check_frames((isopod_key_kind)kind);
    }
}
