/* Known answers of the TFHE model: noise, masks, keys, blobs, ciphertexts, frames. */
#include "../../src/tfhe/error/error.h"
#include "../../src/random/suite_block.h"
#include "../../src/tfhe/tfhe_mask.h"
#include "../../src/tfhe/tfhe_small.h"
#include "../harness/check.h"
#include "../harness/tests.h"
#include "../harness/tfhe_fixture.h"
#include "../vectors_generated.h"

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])

static void sample_errors(int32_t *out, const isopod_tfhe_params *params, isopod_stream *stream) {
    uint32_t words[ISOPOD_GAUSSIAN_WORDS] = {0};
    for (uint32_t i = 0; i < 1u << params->log2_ring_degree; i += ISOPOD_ERROR_GROUP) {
        if (params->tuniform != 0) {
            isopod_stream_words(stream, words, params->tuniform + 2u);
            isopod_error_tuniform(out + i, params->tuniform, words);
        } else {
            isopod_stream_words(stream, words, ISOPOD_GAUSSIAN_WORDS);
            isopod_error_gaussian(out + i, words);
        }
    }
}

static void sample_small(int32_t *out, const isopod_tfhe_params *params, isopod_stream *stream) {
    tfhe_fixture set = {.params = params, .secret = check_memory(512)};
    isopod_tfhe_sample_small(set.secret, params, stream);
    for (uint32_t i = 0; i < 1u << params->log2_ring_degree; i++) {
        out[i] = tfhe_fixture_symbol(&set, i);
    }
}

static void check_sampling(void) {
    for (uint32_t r = 0; r < LENGTH(isopod_vectors_tfhe_sampling); r++) {
        const struct isopod_vector_tfhe_sampling *vector = &isopod_vectors_tfhe_sampling[r];
        const isopod_tfhe_params *params = tfhe_fixture_set(vector->set);
        isopod_stream_name name = {vector->domain, 0};
        isopod_stream stream;
        uint8_t key[32];
        check_case(vector->set, r);
        check_memory_reset();
        int32_t *out = check_memory((size_t)4 << params->log2_ring_degree);
        fixture_bytes(key, (uint8_t)vector->key_start, sizeof key);
        isopod_stream_start(&stream, tfhe_fixture_suite(vector->suite)->noise, key, name);
        if (vector->domain <= ISOPOD_DOMAIN_ERROR1) {
            sample_errors(out, params, &stream);
        } else {
            sample_small(out, params, &stream);
        }
        CHECK(fixture_has_digest(out, (size_t)4 << params->log2_ring_degree, vector->sha3));
    }
}

static void check_masks(void) {
    for (uint32_t r = 0; r < LENGTH(isopod_vectors_tfhe_masks); r++) {
        const struct isopod_vector_tfhe_masks *vector = &isopod_vectors_tfhe_masks[r];
        const isopod_tfhe_params *params = tfhe_fixture_set(vector->set);
        uint32_t count = (1u << params->log2_ring_degree) * params->log2_modulus / 32u;
        const isopod_tfhe_suite *suite = tfhe_fixture_suite(vector->suite);
        uint8_t nonce[16], key_id[16];
        isopod_tfhe_mask mask;
        check_case(vector->set, r);
        check_memory_reset();
        uint32_t *out = check_memory((size_t)4 * count);
        fixture_bytes(nonce, (uint8_t)vector->nonce_start, sizeof nonce);
        fixture_bytes(key_id, (uint8_t)vector->key_id_start, sizeof key_id);
        isopod_tfhe_mask_start(&mask, suite, nonce, key_id);
        suite->words(&mask, out, 16);
        suite->words(&mask, out + 16, count - 16);
        CHECK(fixture_has_digest(out, (size_t)4 * count, vector->sha3));
    }
}

static void check_key(const tfhe_fixture *set, const struct isopod_vector_tfhe_keys *vector) {
    size_t polynomial = (size_t)set->n * set->word_bytes;
    uint32_t *public_key = tfhe_fixture_blob(set, ISOPOD_TFHE_KEY_PUBLIC);
    uint32_t *transformed = tfhe_fixture_blob(set, ISOPOD_TFHE_KEY_SECRET_TRANSFORMED);
    const uint8_t *payload = (const uint8_t *)public_key + ISOPOD_KEY_HEADER_BYTES;
    int8_t *secret = check_memory(set->n);
    for (uint32_t i = 0; i < set->n; i++) {
        secret[i] = (int8_t)tfhe_fixture_symbol(set, i);
    }
    CHECK(fixture_has_digest(secret, set->n, vector->secret_sha3));
    CHECK(fixture_has_digest(transformed + 20, (size_t)4 * set->n, vector->transformed_sha3));
    CHECK(fixture_has_digest(payload, polynomial, vector->public_0_sha3));
    CHECK(fixture_has_digest(payload + polynomial, polynomial, vector->public_1_sha3));
    CHECK(
        fixture_is_hex((const uint8_t *)public_key + ISOPOD_KEY_OFFSET_KEY_ID, 16, vector->key_id));
}

static void check_keys(void) {
    for (uint32_t r = 0; r < LENGTH(isopod_vectors_tfhe_keys); r++) {
        const struct isopod_vector_tfhe_keys *vector = &isopod_vectors_tfhe_keys[r];
        tfhe_fixture set;
        check_case(vector->set, r);
        check_memory_reset();
        tfhe_fixture_open(&set, tfhe_fixture_set(vector->set), ISOPOD_TFHE_KEY_SECRET);
        check_key(&set, vector);
    }
    for (uint32_t r = 0; r < LENGTH(isopod_vectors_tfhe_blobs); r++) {
        const struct isopod_vector_tfhe_blobs *vector = &isopod_vectors_tfhe_blobs[r];
        tfhe_fixture set;
        check_case(vector->set, r);
        check_memory_reset();
        tfhe_fixture_open(&set, tfhe_fixture_set(vector->set), vector->blob_kind);
        CHECK(set.blob_bytes == vector->bytes);
        CHECK(fixture_has_digest(set.blob, set.blob_bytes, vector->sha3));
    }
}

static void check_frame(const struct isopod_vector_tfhe_frames *vector, uint32_t way) {
    uint8_t packing[ISOPOD_PACKING_BYTES];
    tfhe_fixture set;
    check_case(vector->schema, way);
    check_memory_reset();
    tfhe_fixture_open(&set, tfhe_fixture_set(vector->set), way);
    isopod_tfhe_values values = tfhe_fixture_values(vector->schema);
    uint8_t *out = check_memory(vector->bytes + 4096u);
    size_t mask = vector->kind == 5 ? (size_t)set.n * set.word_bytes : 0;
    fixture_bytes(packing, 0x70, sizeof packing);
    set.config.columns = (uint16_t)vector->columns;
    set.config.packing = vector->packing[0] != 0 ? packing : NULL;
    set.config.suite = tfhe_fixture_suite(vector->suite);
    /* Half is the default. */
    set.config.width = vector->width == set.word_bytes ? (uint8_t)vector->width : 0;
    CHECK(tfhe_fixture_frame(&set, &values, out) == vector->bytes);
    CHECK(fixture_has_digest(out, vector->bytes, vector->sha3));
    if (vector->width == set.word_bytes) {
        const uint8_t *bodies =
            out + vector->bytes - 17 - mask - (size_t)vector->coefficients * vector->width;
        CHECK(mask == 0 || fixture_has_digest(bodies, mask, vector->mask_sha3));
        CHECK(fixture_has_digest(bodies + mask, (size_t)vector->coefficients * vector->width,
                                 vector->body_sha3));
    }
}

/* Encrypts each by one way of its kind, in turn; by the stream only where it is short. */
static void check_frames(void) {
    for (uint32_t r = 0; r < LENGTH(isopod_vectors_tfhe_frames); r++) {
        const struct isopod_vector_tfhe_frames *vector = &isopod_vectors_tfhe_frames[r];
        if (vector->kind == 5) {
            check_frame(vector, ISOPOD_TFHE_KEY_PUBLIC + r % 2);
        } else {
            check_frame(vector, ISOPOD_TFHE_KEY_SECRET + r / 2 % 2);
            check_frame(vector, TFHE_PREPARED);
            if (vector->coefficients <= 160) {
                check_frame(vector, TFHE_STREAM);
            }
        }
    }
}

void test_tfhe_vectors(void) {
    check_sampling();
    check_masks();
    check_keys();
    check_frames();
}
