/* Opening of sealed results (spec/wire.md, sections 2 and 3): the tag first, then every field,
 * strictly. Constant time with respect to the link key. */
#include "isopod/result.h"

#include "../cbor/cbor.h"
#include "../decrypt/decrypt.h"
#include "isopod/rounded.h"
#include "linear_proof.h"
#include "../schemes/claim.h"
#include "../base/memory.h"
#include "../base/parameters.h"
#include "../tag/tag.h"

#define SMALLEST_RESULT (ISOPOD_RESULT_NONCE_OFFSET + ISOPOD_NONCE_BYTES + ISOPOD_TAG_ITEM_BYTES)

/* Bits of a float64 from which on a number is infinite, NaN or negative. */
#define INFINITE ((uint64_t)0x7ff << 52)

/* Whether the tag is right; reads within the item only, whatever its content. */
static uint32_t is_authentic(const uint8_t *link_key, const uint8_t *item, size_t bytes) {
    uint8_t tag[ISOPOD_TAG_BYTES];
    const isopod_tag_name name = {link_key, item + ISOPOD_RESULT_NONCE_OFFSET,
                                  ISOPOD_TAG_DOMAIN_RESULT};
    if (bytes < SMALLEST_RESULT) {
        return 0;
    }
    isopod_tag_of(tag, &name, item, bytes - ISOPOD_TAG_ITEM_BYTES);
    uint32_t equal = isopod_equal(tag, item + bytes - ISOPOD_TAG_BYTES, ISOPOD_TAG_BYTES);
    isopod_wipe(tag, sizeof tag);
    isopod_wipe_shallow_stack();
    return equal &&
           item[bytes - ISOPOD_TAG_ITEM_BYTES] == (ISOPOD_CBOR_BYTES << 5 | ISOPOD_TAG_BYTES);
}

static uint32_t read_u32(isopod_cbor_reader *reader) {
    return (uint32_t)isopod_cbor_unsigned(reader, UINT32_MAX);
}

/*@ requires \valid(reader);
    assigns reader->failed;
    ensures condition != 0 ==> reader->failed == \old(reader->failed); */
static void require(isopod_cbor_reader *reader, uint32_t condition) {
    reader->failed |= !condition;
}

/*@ requires \valid_read(result);
    assigns \nothing;
    ensures \result == (result->layout == ISOPOD_COEFFICIENTS_ROUNDED ? 1 : 0); */
static uint32_t is_rounded(const isopod_result *result) {
    return result->layout == ISOPOD_COEFFICIENTS_ROUNDED;
}

/* Checks primes and dropped bits of answers in coefficients, whose places are those of the ring. */
static isopod_status check_rounded(const isopod_result *result) {
    const isopod_params *params = result->params;
    const isopod_claim *claim = &result->claim;
    if (isopod_parameters_has_primes64(params) || claim->primes > ISOPOD_ROUNDED_PRIMES) {
        return ISOPOD_ERROR_LEVEL;
    }
    isopod_status status = isopod_claim_check_within(params, claim, 1u << params->log2_ring_degree);
    if (status != ISOPOD_OK) {
        return status;
    }
    uint32_t bits = isopod_parameters_product_bits(params, claim->primes);
    return result->dropped[0] < bits && result->dropped[1] < bits ? ISOPOD_OK
                                                                  : ISOPOD_ERROR_ROUNDING;
}

static isopod_status read_claim(isopod_result *result, isopod_cbor_reader *reader) {
    isopod_claim *claim = &result->claim;
    claim->primes = (uint8_t)isopod_cbor_unsigned(reader, 255);
    claim->scale = isopod_cbor_float64(reader);
    result->layout = (uint8_t)isopod_cbor_unsigned(reader, ISOPOD_COEFFICIENTS_ROUNDED);
    claim->first = read_u32(reader);
    claim->rows = read_u32(reader);
    claim->columns = read_u32(reader);
    claim->stride = read_u32(reader);
    result->dropped[0] = (uint8_t)isopod_cbor_unsigned(reader, 255);
    result->dropped[1] = (uint8_t)isopod_cbor_unsigned(reader, 255);
    require(reader, is_rounded(result) || (result->layout == ISOPOD_SLOTS &&
                                           (result->dropped[0] | result->dropped[1]) == 0));
    if (reader->failed) {
        return ISOPOD_ERROR_RESULT_FORMAT;
    }
    return is_rounded(result) ? check_rounded(result) : isopod_claim_check(result->params, claim);
}

/* Reads c1 of this length, and the linear tag behind it, if there is one. */
static const uint8_t *read_tagged(isopod_result *result, isopod_cbor_reader *reader,
                                  uint32_t bytes) {
    uint32_t found;
    const uint8_t *c1 = isopod_cbor_bytes_of(reader, bytes + ISOPOD_LINEAR_TAG_BYTES, &found);
    uint32_t has_tag = found == bytes + ISOPOD_LINEAR_TAG_BYTES;
    require(reader, found == bytes || has_tag);
    if (has_tag && !reader->failed) {
        result->linear_tag = c1 + bytes;
        require(reader, isopod_linear_tag_number(c1 + bytes) < ISOPOD_LINEAR_MODULUS);
    }
    return c1;
}

/* Reads packed coefficients; the bits behind the last one are zero. */
static const uint8_t *read_rounded(isopod_result *result, isopod_cbor_reader *reader,
                                   uint32_t component, uint32_t *bytes) {
    const isopod_claim *claim = &result->claim;
    uint32_t kept =
        isopod_parameters_product_bits(result->params, claim->primes) - result->dropped[component];
    uint32_t count =
        component == 0 ? claim->rows * claim->columns : 1u << result->params->log2_ring_degree;
    *bytes = (count * kept + 7u) / 8u;
    const uint8_t *packed = component == 0 ? isopod_cbor_string(reader, ISOPOD_CBOR_BYTES, *bytes)
                                           : read_tagged(result, reader, *bytes);
    if (!reader->failed) {
        require(reader, packed[*bytes - 1u] >> ((count * kept - 1u) % 8u) <= 1);
    }
    return packed;
}

static void read_polynomials(isopod_result *result, isopod_cbor_reader *reader) {
    if (is_rounded(result)) {
        result->c0 = read_rounded(result, reader, 0, &result->c0_bytes);
        result->c1 = read_rounded(result, reader, 1, &result->c1_bytes);
        return;
    }
    uint32_t bits = isopod_parameters_data_bits(result->params, result->claim.primes);
    uint32_t bytes = bits << (result->params->log2_ring_degree - 3u);
    result->c0_bytes = result->c1_bytes = bytes;
    result->c0 = isopod_cbor_string(reader, ISOPOD_CBOR_BYTES, bytes);
    result->c1 = read_tagged(result, reader, bytes);
}

static void read_identity(isopod_result *result, isopod_cbor_reader *reader, const uint8_t **set) {
    isopod_cbor_expect(reader, ISOPOD_CBOR_ARRAY, ISOPOD_RESULT_FIELDS);
    isopod_cbor_expect(reader, ISOPOD_CBOR_UNSIGNED, ISOPOD_WIRE_VERSION);
    isopod_cbor_expect(reader, ISOPOD_CBOR_UNSIGNED, ISOPOD_KIND_RESULT);
    *set = isopod_cbor_string(reader, ISOPOD_CBOR_BYTES, sizeof result->params->set_id);
    result->key_id = isopod_cbor_string(reader, ISOPOD_CBOR_BYTES, ISOPOD_KEY_ID_BYTES);
    (void)isopod_cbor_string(reader, ISOPOD_CBOR_BYTES, ISOPOD_NONCE_BYTES);
}

/* Reads the place of the item in its evaluation, and the request. */
static void read_evaluation(isopod_result *result, isopod_cbor_reader *reader) {
    result->run = isopod_cbor_string(reader, ISOPOD_CBOR_BYTES, ISOPOD_RUN_BYTES);
    result->sequence = isopod_cbor_unsigned(reader, UINT64_MAX);
    result->index = read_u32(reader);
    result->total = read_u32(reader);
    result->challenge = isopod_cbor_optional(reader, ISOPOD_CHALLENGE_BYTES);
    result->request = isopod_cbor_string(reader, ISOPOD_CBOR_BYTES, ISOPOD_DIGEST_BYTES);
    result->job = isopod_cbor_text(reader, ISOPOD_JOB_BYTES, &result->job_bytes);
    require(reader, result->index < result->total);
}

/* Reads the frames that entered, and size and error of the values; BFV values are exact. */
static void read_origin(isopod_result *result, isopod_cbor_reader *reader) {
    uint32_t is_integer = result->params->plain != NULL;
    result->frames = isopod_cbor_unsigned(reader, UINT64_MAX);
    result->origin = isopod_cbor_string(reader, ISOPOD_CBOR_BYTES, ISOPOD_DIGEST_BYTES);
    result->manifest = isopod_cbor_bytes_of(reader, ISOPOD_MANIFEST_BYTES, &result->manifest_bytes);
    result->packing = isopod_cbor_optional(reader, ISOPOD_PACKING_BYTES);
    result->bound = isopod_cbor_float64(reader);
    result->error = isopod_cbor_float64(reader);
    require(reader, result->frames != 0 && result->bound != 0 && result->bound < INFINITE &&
                        result->error < (is_integer ? 1u : INFINITE));
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
    read_evaluation(result, reader);
    read_origin(result, reader);
    isopod_status status = read_claim(result, reader);
    if (status != ISOPOD_OK) {
        return status;
    }
    read_polynomials(result, reader);
    return reader->failed || reader->at != reader->bytes ? ISOPOD_ERROR_RESULT_FORMAT : ISOPOD_OK;
}

isopod_status isopod_result_open(isopod_result *result, const isopod_params *params,
                                 const uint8_t link_key[ISOPOD_LINK_KEY_BYTES], const uint8_t *item,
                                 size_t bytes) {
    isopod_wipe(result, sizeof *result);
    if (!is_authentic(link_key, item, bytes)) {
        return ISOPOD_ERROR_AUTHENTICATION;
    }
    isopod_cbor_reader reader = {item, 0, bytes - ISOPOD_TAG_ITEM_BYTES, 0};
    result->params = params;
    isopod_status status = parse(result, &reader);
    if (status != ISOPOD_OK) {
        isopod_wipe(result, sizeof *result);
    }
    return status;
}

static isopod_status feed(isopod_decrypt *context, const isopod_result *result) {
    const isopod_rounded_answers answers = {
        result->c0, result->c1, {result->dropped[0], result->dropped[1]}};
    if (is_rounded(result)) {
        isopod_decrypt_feed_rounded(context, &answers);
        return ISOPOD_OK;
    }
    isopod_status status =
        isopod_decrypt_unauthenticated_feed(context, result->c0, result->c0_bytes);
    return status == ISOPOD_OK
               ? isopod_decrypt_unauthenticated_feed(context, result->c1, result->c1_bytes)
               : status;
}

/* Whether result and configuration are both of rounded coefficients, or neither. */
static uint32_t has_layout(const isopod_decrypt_config *config, const isopod_result *result) {
    uint32_t is_wanted = config->layout == ISOPOD_COEFFICIENTS_ROUNDED;
    return is_rounded(result) == is_wanted &&
           (!is_wanted || (config->decoder != NULL && config->decoder->take_rounded != NULL));
}

/* A frame of its own: without a verifier the caller's is gone when values are decoded. */
static ISOPOD_NOINLINE isopod_status finish_proved(isopod_decrypt *context,
                                                   const isopod_linear_verifier *verifier,
                                                   const isopod_result *result,
                                                   const isopod_decoded *out) {
    isopod_status status = isopod_decrypt_unauthenticated_finish(context, out);
    return status == ISOPOD_OK ? verifier->method->prove(verifier, result, out) : status;
}

isopod_status isopod_decrypt_result(isopod_decrypt *context, const isopod_decrypt_config *config,
                                    const isopod_workspace *workspace, const isopod_result *result,
                                    const isopod_decoded *out) {
    const uint8_t *blob = (const uint8_t *)config->key->blob;
    if (result->params != config->params ||
        !isopod_equal(result->key_id, blob + ISOPOD_KEY_OFFSET_KEY_ID, ISOPOD_KEY_ID_BYTES)) {
        isopod_wipe(context, sizeof *context);
        return ISOPOD_ERROR_KEY_SET;
    }
    if (!has_layout(config, result)) {
        isopod_wipe(context, sizeof *context);
        return ISOPOD_ERROR_LAYOUT;
    }
    if ((result->linear_tag != NULL) != (config->verifier != NULL)) {
        isopod_wipe(context, sizeof *context);
        return ISOPOD_ERROR_NO_PROOF;
    }
    isopod_status status =
        isopod_decrypt_unauthenticated_begin(context, config, workspace, &result->claim);
    if (status == ISOPOD_OK) {
        status = feed(context, result);
    }
    if (status != ISOPOD_OK) {
        return status;
    }
    return config->verifier == NULL ? isopod_decrypt_unauthenticated_finish(context, out)
                                    : finish_proved(context, config->verifier, result, out);
}
