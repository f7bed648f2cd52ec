/* Decryption and decoding against the known answers of the independent model: results of every set
 * of CKKS at one to three primes, in every type of value, with ternary and NTT keys, fed in pieces
 * of any size. */
#include "../harness/check.h"
#include "../harness/result_input.h"
#include "../harness/tests.h"
#include "../vectors_generated.h"

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])

typedef struct isopod_vector_results vector;

static uint32_t count_of(const vector *vector) {
    return vector->rows * vector->columns;
}

static result_input input_of(const vector *vector) {
    result_input input = {vector->pattern,
                          vector->log2_scale,
                          vector->log2_bound,
                          {vector->scale_bits, vector->first, vector->rows, vector->columns,
                           vector->stride, (uint8_t)vector->primes},
                          vector->raised,
                          ISOPOD_SLOTS,
                          {0, 0}};
    return input;
}

static isopod_decoded decoded_of(uint32_t count, isopod_value_type type) {
    isopod_decoded decoded = {check_memory((size_t)8 * count), count, type};
    return decoded;
}

static void check_values(const isopod_decoded *out, const vector *vector) {
    size_t bytes = out->type == ISOPOD_VALUES_FLOAT64 ? 8 : 4;
    const char *expected = out->type == ISOPOD_VALUES_FLOAT32   ? vector->f32_sha3
                           : out->type == ISOPOD_VALUES_FLOAT64 ? vector->f64_sha3
                                                                : vector->i32_sha3;
    CHECK(fixture_has_digest(out->data, bytes * count_of(vector), expected));
}

static void check_types(const isopod_decrypt_config *config, const isopod_result *result,
                        const vector *vector) {
    for (uint32_t type = ISOPOD_VALUES_FLOAT32; type <= ISOPOD_VALUES_INT32; type++) {
        isopod_decrypt context;
        isopod_decoded out = decoded_of(count_of(vector), (isopod_value_type)type);
        CHECK(isopod_decrypt_result(&context, config, result_workspace(), result, &out) ==
              ISOPOD_OK);
        check_values(&out, vector);
    }
}

/* Checks that decoding to 64-bit integers gives the 32-bit ones. */
static void check_integers(const isopod_decrypt_config *config, const isopod_result *result,
                           uint32_t count) {
    isopod_decrypt context;
    isopod_decoded values32 = decoded_of(count, ISOPOD_VALUES_INT32);
    isopod_decoded values64 = decoded_of(count, ISOPOD_VALUES_INT64);
    uint32_t wrong = 0;
    CHECK(isopod_decrypt_result(&context, config, result_workspace(), result, &values32) ==
          ISOPOD_OK);
    CHECK(isopod_decrypt_result(&context, config, result_workspace(), result, &values64) ==
          ISOPOD_OK);
    for (uint32_t i = 0; i < count; i++) {
        wrong += ((const int64_t *)values64.data)[i] != ((const int32_t *)values32.data)[i];
    }
    CHECK(wrong == 0);
}

static void check_pieces(const isopod_decrypt_config *config, const isopod_result *result,
                         const vector *vector) {
    static const uint16_t lengths[6] = {1, 3, 200, 5, 4096, 119};
    isopod_decrypt context;
    isopod_decoded out = decoded_of(count_of(vector), ISOPOD_VALUES_FLOAT32);
    const uint8_t *sides[2] = {result->c0, result->c1};
    uint32_t turn = 0, taken = 0;
    CHECK(isopod_decrypt_unauthenticated_begin(&context, config, result_workspace(),
                                               &result->claim) == ISOPOD_OK);
    for (uint32_t side = 0; side < 2; side++) {
        for (uint32_t at = 0; at < result->c0_bytes; at += taken) {
            uint32_t left = result->c0_bytes - at;
            taken = lengths[turn++ % 6] < left ? lengths[(turn - 1) % 6] : left;
            CHECK_QUIET(isopod_decrypt_unauthenticated_feed(&context, sides[side] + at, taken) ==
                        ISOPOD_OK);
        }
    }
    CHECK(isopod_decrypt_unauthenticated_finish(&context, &out) == ISOPOD_OK);
    check_values(&out, vector);
}

/* Decrypts with the ternary form of the same key. */
static void check_ternary(const fixture *set, const result_input *input,
                          const isopod_result *result, const vector *vector) {
    fixture ternary;
    isopod_decrypt context;
    isopod_decoded out = decoded_of(count_of(vector), ISOPOD_VALUES_FLOAT64);
    fixture_open(&ternary, set->params, ISOPOD_KEY_SECRET_TERNARY);
    isopod_decrypt_config config = result_config(&ternary, input);
    CHECK(isopod_decrypt_result(&context, &config, result_workspace(), result, &out) == ISOPOD_OK);
    check_values(&out, vector);
}

static void check_vector(fixture *set, const vector *vector) {
    result_input input = input_of(vector);
    size_t bytes;
    uint8_t *item = result_item(set, &input, &bytes);
    isopod_decrypt_config config = result_config(set, &input);
    isopod_result result;
    CHECK(bytes == vector->bytes);
    CHECK(fixture_has_digest(item, bytes, vector->sha3));
    CHECK(isopod_result_open(&result, set->params, result_link_key(), item, bytes) == ISOPOD_OK);
    CHECK(result.job_bytes == 16 && result.job[0] == 'm');
    check_types(&config, &result, vector);
    check_integers(&config, &result, count_of(vector));
    check_pieces(&config, &result, vector);
    if (vector->log2_bound != 0 && set->params->prime_count <= 6) {
        check_ternary(set, &input, &result, vector);
    }
}

/* Decrypts with the smallest decoder, which takes one prime and at most 28 bits. */
static void check_lean(fixture *set, const vector *vector) {
    result_input input = input_of(vector);
    size_t bytes;
    uint8_t *item = result_item(set, &input, &bytes);
    isopod_decrypt_config config = result_config(set, &input);
    isopod_result result;
    isopod_decrypt context;
    isopod_decoded out = decoded_of(count_of(vector), ISOPOD_VALUES_FLOAT32);
    config.decoder = &isopod_ckks_decode_lean;
    CHECK(isopod_result_open(&result, set->params, result_link_key(), item, bytes) == ISOPOD_OK);
    CHECK(isopod_decrypt_result(&context, &config, result_workspace(), &result, &out) ==
          (vector->primes == 1 ? ISOPOD_OK : ISOPOD_ERROR_BOUND));
}

static size_t open_set(fixture *set, const isopod_params *params) {
    check_memory_reset();
    fixture_open(set, params, ISOPOD_KEY_SECRET_NTT);
    fixture_configure(set, &isopod_suite_chacha20, 1);
    return check_memory_mark();
}

void test_decryption(void) {
    const isopod_ckks_params *open = NULL;
    fixture set;
    size_t mark = 0;
    for (uint32_t r = 0; r < LENGTH(isopod_vectors_results); r++) {
        const vector *vector = &isopod_vectors_results[r];
        if (vector_set(vector->set) != open) {
            open = vector_set(vector->set);
            mark = open_set(&set, open);
        }
        check_case(vector->set, r);
        check_vector(&set, vector);
        check_memory_release(mark);
        check_lean(&set, vector);
        check_memory_release(mark);
    }
}

static vector vector_of(const struct isopod_vector_results64 *row) {
    vector same = {row->set,        row->primes,   row->pattern,    row->log2_scale,
                   row->log2_bound, row->raised,   row->scale_bits, row->first,
                   row->rows,       row->columns,  row->stride,     row->bytes,
                   row->sha3,       row->f32_sha3, row->f64_sha3,   row->i32_sha3};
    return same;
}

void test_decryption64(void) {
    const isopod_ckks_params *open = NULL;
    fixture set;
    size_t mark = 0;
    for (uint32_t r = 0; r < LENGTH(isopod_vectors_results64); r++) {
        const vector vector = vector_of(&isopod_vectors_results64[r]);
        if (!fixture_fits(vector_set(vector.set))) {
            continue;
        }
        if (vector_set(vector.set) != open) {
            open = vector_set(vector.set);
            mark = open_set(&set, open);
        }
        check_case(vector.set, r);
        check_vector(&set, &vector);
        check_memory_release(mark);
    }
}
