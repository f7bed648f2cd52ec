/* Decryption of CKKS and BFV results (spec/decryption.md, section 1) as a push interface: checks,
 * groups of packed residues, and the decoder at the end. It knows no scheme. */
#include "isopod/decrypt.h"

#include "decrypt.h"
#include "../base/memory.h"
#include "../base/workspace.h"
#include "../base/parameters.h"
#include "../ring/ntt.h"
#include "../ring/unpack.h"

enum { STATE_FEEDING = 0x69, STATE_FULL = 0x96 };

#define GROUP ISOPOD_UNPACK_GROUP

/*@ requires \valid_read(config) && \valid_read(config->params);
    requires config->params->log2_ring_degree <= 31;
    assigns \nothing;
    ensures \result == (1 << config->params->log2_ring_degree); */
static uint32_t ring_degree(const isopod_decrypt_config *config) {
    return UINT32_C(1) << config->params->log2_ring_degree;
}

static size_t workspace_bytes(const isopod_decrypt_config *config, uint32_t primes) {
    uint32_t ternary = config->key->kind == ISOPOD_KEY_SECRET_TERNARY;
    return ISOPOD_WORKSPACE_OWNER_BYTES +
           (size_t)ring_degree(config) * config->decoder->word_bytes * (primes + ternary);
}

static uint32_t is_decoder_of_words(const isopod_decrypt_config *config) {
    const isopod_decoder *decoder = config->decoder;
    return decoder != NULL &&
           (decoder->word_bytes == 8) == isopod_parameters_has_primes64(config->params);
}

static isopod_status check_key(const isopod_decrypt_config *config) {
    const isopod_key *key = config->key;
    if (key->params != config->params) {
        return ISOPOD_ERROR_KEY_SET;
    }
    if (key->kind != ISOPOD_KEY_SECRET_TERNARY && key->kind != ISOPOD_KEY_SECRET_NTT) {
        return ISOPOD_ERROR_KEY_KIND;
    }
    return is_decoder_of_words(config) ? ISOPOD_OK : ISOPOD_ERROR_LAYOUT;
}

static isopod_status check_level(const isopod_decrypt_config *config, const isopod_claim *claim) {
    if (!isopod_tables_fit(config->tables, config->params)) {
        return ISOPOD_ERROR_TABLES;
    }
    if (claim->primes > ISOPOD_DECRYPT_PRIMES) {
        return ISOPOD_ERROR_LEVEL;
    }
    return ISOPOD_OK;
}

static isopod_status check_config(const isopod_decrypt_config *config, const isopod_claim *claim) {
    isopod_status status = isopod_parameters_check(config->params);
    if (status == ISOPOD_OK) {
        status = check_key(config);
    }
    return status == ISOPOD_OK ? check_level(config, claim) : status;
}

isopod_status isopod_decrypt_unauthenticated_begin(isopod_decrypt *context,
                                                   const isopod_decrypt_config *config,
                                                   const isopod_workspace *workspace,
                                                   const isopod_claim *claim) {
    isopod_wipe(context, sizeof *context);
    isopod_status status = check_config(config, claim);
    if (status == ISOPOD_OK &&
        !isopod_workspace_holds(workspace, workspace_bytes(config, claim->primes))) {
        status = ISOPOD_ERROR_WORKSPACE;
    }
    if (status == ISOPOD_OK) {
        status = config->decoder->check(config, claim);
    }
    if (status == ISOPOD_OK) {
        context->config = config;
        context->workspace = workspace;
        context->claim = *claim;
        isopod_store64(context->owner, (uintptr_t)context);
        isopod_workspace_own(workspace, context->owner);
        context->state = STATE_FEEDING;
    }
    return status;
}

/*@ requires \valid(context);
    assigns context->position, context->prime, context->component, context->state;
    ensures context->position == 0; */
static void advance(isopod_decrypt *context) {
    context->position = 0;
    if (++context->prime == context->claim.primes) {
        context->prime = 0;
        context->component++;
    }
    context->state = context->component == 2 ? STATE_FULL : STATE_FEEDING;
}

/* Takes `groups` whole groups, which end within the polynomial. */
static void take_groups(isopod_decrypt *context, const uint8_t *packed, uint32_t groups) {
    context->config->decoder->take(context, packed, groups);
    if (context->position == ring_degree(context->config)) {
        advance(context);
    }
}

/* Takes bytes of the incomplete group, or as many whole groups of this polynomial as it can;
 * returns how many bytes it took. */
static size_t take_some(isopod_decrypt *context, const uint8_t *bytes, size_t length) {
    uint32_t bits = isopod_parameters_bits(context->config->params, context->prime);
    uint32_t group_bytes = bits * (GROUP / 8u);
    if (context->held == 0 && length >= group_bytes) {
        size_t groups = length / group_bytes;
        uint32_t left = (ring_degree(context->config) - context->position) / GROUP;
        groups = groups < left ? groups : left;
        take_groups(context, bytes, (uint32_t)groups);
        return groups * group_bytes;
    }
    size_t missing = group_bytes - context->held, take = length < missing ? length : missing;
    isopod_copy((uint8_t *)context->group + context->held, bytes, take);
    context->held = (uint8_t)(context->held + take);
    if (context->held == group_bytes) {
        context->held = 0;
        take_groups(context, (const uint8_t *)context->group, 1);
    }
    return take;
}

/* The address of the context is its name: no other context that has begun lies there. */
static uint32_t is_owner(const isopod_decrypt *context) {
    return isopod_workspace_is_owned(context->workspace, context->owner);
}

isopod_status isopod_decrypt_unauthenticated_feed(isopod_decrypt *context, const uint8_t *bytes,
                                                  size_t length) {
    if (context->state != STATE_FEEDING && context->state != STATE_FULL) {
        return ISOPOD_ERROR_STATE;
    }
    if (!is_owner(context)) {
        isopod_decrypt_abort(context);
        return ISOPOD_ERROR_STATE;
    }
    while (length > 0 && context->state == STATE_FEEDING) {
        size_t taken = take_some(context, bytes, length);
        bytes += taken;
        length -= taken;
    }
    isopod_wipe_stack();
    if (length > 0) {
        isopod_decrypt_abort(context);
        return ISOPOD_ERROR_LENGTH;
    }
    return ISOPOD_OK;
}

void isopod_decrypt_feed_rounded(isopod_decrypt *context, const isopod_rounded_answers *answers) {
    context->config->decoder->take_rounded(context, answers);
    context->state = STATE_FULL;
    isopod_wipe_stack();
}

static isopod_status check_finish(const isopod_decrypt *context, const isopod_decoded *out) {
    if (context->state != STATE_FULL) {
        return context->state == STATE_FEEDING ? ISOPOD_ERROR_LENGTH : ISOPOD_ERROR_STATE;
    }
    if (!is_owner(context)) {
        return ISOPOD_ERROR_STATE;
    }
    isopod_status status = context->config->decoder->check_type(context->config, out->type);
    if (status == ISOPOD_ERROR_VALUE_TYPE) {
        return status;
    }
    if (out->capacity < context->claim.rows * context->claim.columns) {
        return ISOPOD_ERROR_COUNT;
    }
    if (status != ISOPOD_OK) {
        return status;
    }
    return context->over >> 31 != 0 ? ISOPOD_ERROR_RESIDUE : ISOPOD_OK;
}

static void wipe_values(const isopod_decoded *out) {
    uint32_t is_long = out->type == ISOPOD_VALUES_FLOAT64 || out->type == ISOPOD_VALUES_INT64;
    isopod_wipe(out->data, (size_t)out->capacity * (is_long ? 8u : 4u));
}

isopod_status isopod_decrypt_unauthenticated_finish(isopod_decrypt *context,
                                                    const isopod_decoded *out) {
    isopod_status status = check_finish(context, out);
    if (status == ISOPOD_OK && context->config->decoder->decode(context, out) != 0) {
        status = ISOPOD_ERROR_RESULT_BOUND;
    }
    if (status != ISOPOD_OK && out->data != NULL && status != ISOPOD_ERROR_VALUE_TYPE) {
        wipe_values(out);
    }
    isopod_wipe_stack();
    isopod_decrypt_abort(context);
    return status;
}

void isopod_decrypt_abort(isopod_decrypt *context) {
    const isopod_decrypt_config *config = context->config;
    if (config != NULL && is_owner(context)) {
        isopod_workspace_wipe(context->workspace, workspace_bytes(config, context->claim.primes));
    }
    isopod_wipe(context, sizeof *context);
}
