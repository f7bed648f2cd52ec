/* Opening of sealed results (spec/wire.md, sections 2 and 3): the tag first, then every field,
 * strictly. Constant time with respect to the link key. */
#include "isopod/result.h"

#include "cbor.h"
#include "../random/chacha20.h"
#include "../schemes/claim.h"
#include "../base/memory.h"
#include "../base/parameters.h"
#include "poly1305.h"

#define TAG_ITEM_BYTES (1u + ISOPOD_TAG_BYTES)
#define SMALLEST_RESULT (ISOPOD_RESULT_NONCE_OFFSET + ISOPOD_NONCE_BYTES + TAG_ITEM_BYTES)

/* The one-time Poly1305 key: XChaCha20 of nonce || LE64(2^32), block 0. */
static void one_time_key(uint32_t out[16], const uint8_t *link_key, const uint8_t *nonce) {
    uint8_t subkey[32];
    const uint32_t input[4] = {0, 0, (uint32_t)ISOPOD_TAG_DOMAIN_RESULT,
                               (uint32_t)(ISOPOD_TAG_DOMAIN_RESULT >> 32)};
    isopod_hchacha20(subkey, link_key, nonce);
    isopod_chacha20_block(out, subkey, input);
    isopod_wipe(subkey, sizeof subkey);
}

/* The tag of `bytes` bytes of associated data. */
static void compute_tag(uint8_t tag[ISOPOD_TAG_BYTES], const uint8_t *link_key, const uint8_t *item,
                        size_t bytes) {
    uint8_t last[16] = {0}, lengths[16] = {0};
    uint32_t key[16], accumulator[5], multiplier[4];
    size_t whole = bytes - bytes % 16u;
    one_time_key(key, link_key, item + ISOPOD_RESULT_NONCE_OFFSET);
    isopod_poly1305_start(accumulator, multiplier, key);
    for (size_t at = 0; at < whole; at += 16) {
        isopod_poly1305_block(accumulator, multiplier, item + at);
    }
    if (whole < bytes) {
        isopod_copy(last, item + whole, bytes - whole);
        isopod_poly1305_block(accumulator, multiplier, last);
    }
    isopod_store64(lengths, bytes);
    isopod_poly1305_block(accumulator, multiplier, lengths);
    isopod_poly1305_finish(tag, accumulator, key + 4);
    isopod_wipe(key, sizeof key);
    isopod_wipe(accumulator, sizeof accumulator);
    isopod_wipe(multiplier, sizeof multiplier);
}

/* Whether the tag is right; reads within the item only, whatever its content. */
static uint32_t is_authentic(const uint8_t *link_key, const uint8_t *item, size_t bytes) {
    uint8_t tag[ISOPOD_TAG_BYTES];
    if (bytes < SMALLEST_RESULT) {
        return 0;
    }
    compute_tag(tag, link_key, item, bytes - TAG_ITEM_BYTES);
    uint32_t equal = isopod_equal(tag, item + bytes - ISOPOD_TAG_BYTES, ISOPOD_TAG_BYTES);
    isopod_wipe(tag, sizeof tag);
    isopod_wipe_shallow_stack();
    return equal && item[bytes - TAG_ITEM_BYTES] == (ISOPOD_CBOR_BYTES << 5 | ISOPOD_TAG_BYTES);
}

static isopod_status read_numbers(isopod_result *result, isopod_cbor_reader *reader) {
    result->claim.primes = (uint8_t)isopod_cbor_unsigned(reader, 255);
    result->claim.scale = isopod_cbor_float64(reader);
    result->claim.first = (uint32_t)isopod_cbor_unsigned(reader, UINT32_MAX);
    result->claim.step = (uint32_t)isopod_cbor_unsigned(reader, UINT32_MAX);
    result->claim.count = (uint32_t)isopod_cbor_unsigned(reader, UINT32_MAX);
    return reader->failed ? ISOPOD_ERROR_RESULT_FORMAT
                          : isopod_claim_check(result->params, &result->claim);
}

static void read_polynomials(isopod_result *result, isopod_cbor_reader *reader) {
    uint32_t bits = isopod_parameters_data_bits(result->params, result->claim.primes);
    result->residue_bytes = bits << (result->params->log2_ring_degree - 3u);
    result->c0 = isopod_cbor_string(reader, ISOPOD_CBOR_BYTES, result->residue_bytes);
    result->c1 = isopod_cbor_string(reader, ISOPOD_CBOR_BYTES, result->residue_bytes);
}

static void read_identity(isopod_result *result, isopod_cbor_reader *reader, const uint8_t **set) {
    isopod_cbor_expect(reader, ISOPOD_CBOR_ARRAY, ISOPOD_RESULT_FIELDS);
    isopod_cbor_expect(reader, ISOPOD_CBOR_UNSIGNED, ISOPOD_WIRE_VERSION);
    isopod_cbor_expect(reader, ISOPOD_CBOR_UNSIGNED, ISOPOD_KIND_RESULT);
    *set = isopod_cbor_string(reader, ISOPOD_CBOR_BYTES, sizeof result->params->set_id);
    result->key_id = isopod_cbor_string(reader, ISOPOD_CBOR_BYTES, ISOPOD_KEY_ID_BYTES);
    (void)isopod_cbor_string(reader, ISOPOD_CBOR_BYTES, ISOPOD_NONCE_BYTES);
    result->job = isopod_cbor_text(reader, ISOPOD_JOB_BYTES, &result->job_bytes);
}

static isopod_status parse(isopod_result *result, isopod_cbor_reader *reader) {
    const uint8_t *set;
    read_identity(result, reader, &set);
    if (reader->failed) {
        return ISOPOD_ERROR_RESULT_FORMAT;
    }
    if (!isopod_equal(set, result->params->set_id, sizeof result->params->set_id)) {
        return ISOPOD_ERROR_KEY_SET;
    }
    isopod_status status = read_numbers(result, reader);
    if (status != ISOPOD_OK) {
        return status;
    }
    read_polynomials(result, reader);
    return reader->failed || reader->at != reader->end ? ISOPOD_ERROR_RESULT_FORMAT : ISOPOD_OK;
}

isopod_status isopod_result_open(isopod_result *result, const isopod_params *params,
                                 const uint8_t link_key[ISOPOD_LINK_KEY_BYTES], const uint8_t *item,
                                 size_t bytes) {
    isopod_wipe(result, sizeof *result);
    if (!is_authentic(link_key, item, bytes)) {
        return ISOPOD_ERROR_AUTHENTICATION;
    }
    isopod_cbor_reader reader = {item, item + bytes - TAG_ITEM_BYTES, 0};
    result->params = params;
    isopod_status status = parse(result, &reader);
    if (status != ISOPOD_OK) {
        isopod_wipe(result, sizeof *result);
    }
    return status;
}

isopod_status isopod_decrypt_result(isopod_decrypt *context, const isopod_decrypt_config *config,
                                    const isopod_result *result, const isopod_decoded *out) {
    const uint8_t *blob = (const uint8_t *)config->key->blob;
    if (result->params != config->params ||
        !isopod_equal(result->key_id, blob + ISOPOD_KEY_OFFSET_KEY_ID, ISOPOD_KEY_ID_BYTES)) {
        isopod_wipe(context, sizeof *context);
        return ISOPOD_ERROR_KEY_SET;
    }
    isopod_status status = isopod_decrypt_unauthenticated_begin(context, config, &result->claim);
    if (status == ISOPOD_OK) {
        status = isopod_decrypt_unauthenticated_feed(context, result->c0, result->residue_bytes);
    }
    if (status == ISOPOD_OK) {
        status = isopod_decrypt_unauthenticated_feed(context, result->c1, result->residue_bytes);
    }
    return status == ISOPOD_OK ? isopod_decrypt_unauthenticated_finish(context, out) : status;
}
