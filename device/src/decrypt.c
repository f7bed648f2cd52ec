#include "isopod/decrypt.h"

#include "decode.h"
#include "decrypt.h"
#include "inverse_ntt.h"
#include "memory.h"
#include "parameters.h"
#include "pointwise.h"
#include "polynomial.h"
#include "unpack.h"

enum { STATE_FEEDING = 0x69, STATE_FULL = 0x96 };

#define MANTISSA_BITS 52u
#define MANTISSA (((uint64_t)1 << MANTISSA_BITS) - 1u)
#define EXPONENT_BIAS 1023
#define GROUP ISOPOD_UNPACK_GROUP

static uint32_t ring_degree(const isopod_decrypt_config *config) {
    return 1u << config->params->log2_ring_degree;
}

/* c of the specification, -1 if the scale is not allowed. */
static int32_t log2_scale(uint64_t bits) {
    int32_t exponent = (int32_t)(bits >> MANTISSA_BITS) - EXPONENT_BIAS;
    if (exponent < 0 || exponent >= 120) {
        return -1;
    }
    return exponent + ((bits & MANTISSA) != 0);
}

/* rho of the specification, by long division: 2^115 / (mantissa with its leading one). */
static uint64_t reciprocal(uint64_t bits) {
    uint64_t divisor = (bits & MANTISSA) | (MANTISSA + 1u), rest = MANTISSA + 1u, quotient = 0;
    if ((bits & MANTISSA) == 0) {
        return (uint64_t)1 << 62;
    }
    for (uint32_t i = 0; i < 63; i++) {
        rest <<= 1;
        quotient <<= 1;
        if (rest >= divisor) {
            rest -= divisor;
            quotient |= 1u;
        }
    }
    return quotient;
}

static isopod_decoding decoding_of(const isopod_decrypt *context) {
    const isopod_decrypt_config *config = context->config;
    isopod_decoding decoding = {ring_degree(config),
                                log2_scale(context->answer.scale) + config->log2_bound};
    return decoding;
}

isopod_status isopod_answer_check(const isopod_ckks_params *params, const isopod_answer *answer) {
    uint32_t slots = 1u << (params->log2_ring_degree - 1u);
    if (answer->primes == 0 || answer->primes > params->prime_count) {
        return ISOPOD_ERROR_LEVEL;
    }
    if (log2_scale(answer->scale) < 0) {
        return ISOPOD_ERROR_SCALE;
    }
    if (answer->count == 0 || answer->step == 0 || answer->first >= slots ||
        (answer->count > 1 && (slots - 1u - answer->first) / answer->step < answer->count - 1u)) {
        return ISOPOD_ERROR_COUNT;
    }
    return ISOPOD_OK;
}

static isopod_status check_bound(const isopod_decrypt_config *config, const isopod_answer *answer) {
    int32_t magnitude = log2_scale(answer->scale) + config->log2_bound, bits = -2;
    for (uint32_t j = 0; j < answer->primes; j++) {
        bits += config->params->primes[j].bits;
    }
    if (config->log2_bound < -60 || config->log2_bound > 57 || magnitude < 0 || magnitude > bits) {
        return ISOPOD_ERROR_BOUND;
    }
    if (magnitude > ISOPOD_DECODE32_LIMIT && config->tables->cosine64 == NULL) {
        return ISOPOD_ERROR_BOUND;
    }
    return answer->primes > 1 && config->wide == NULL ? ISOPOD_ERROR_BOUND : ISOPOD_OK;
}

static isopod_status check_config(const isopod_decrypt_config *config,
                                  const isopod_answer *answer) {
    const isopod_key *key = config->key;
    uint32_t ternary = key->kind == ISOPOD_KEY_SECRET_TERNARY;
    isopod_status status = isopod_parameters_check(config->params);
    if (status != ISOPOD_OK) {
        return status;
    }
    if (key->params != config->params) {
        return ISOPOD_ERROR_KEY_SET;
    }
    if (!ternary && key->kind != ISOPOD_KEY_SECRET_NTT) {
        return ISOPOD_ERROR_KEY_KIND;
    }
    if (config->tables->coarse != NULL && isopod_reads_lean_tables == 0) {
        return ISOPOD_ERROR_TABLES;
    }
    if (answer->primes > ISOPOD_DECRYPT_PRIMES) {
        return ISOPOD_ERROR_LEVEL;
    }
    if (config->workspace == NULL || ((uintptr_t)config->workspace & 7u) != 0 ||
        config->workspace_bytes <
            ISOPOD_DECRYPT_WORKSPACE(ring_degree(config), answer->primes, ternary)) {
        return ISOPOD_ERROR_WORKSPACE;
    }
    return ISOPOD_OK;
}

isopod_status isopod_decrypt_unauthenticated_begin(isopod_decrypt *context,
                                                   const isopod_decrypt_config *config,
                                                   const isopod_answer *answer) {
    isopod_wipe(context, sizeof *context);
    isopod_status status = check_config(config, answer);
    if (status == ISOPOD_OK) {
        status = isopod_answer_check(config->params, answer);
    }
    if (status == ISOPOD_OK) {
        status = check_bound(config, answer);
    }
    if (status == ISOPOD_OK) {
        context->config = config;
        context->answer = *answer;
        context->state = STATE_FEEDING;
    }
    return status;
}

/* -NTT(s) of the prime that c1 has come to, in Montgomery form: in the blob, or transformed behind
 * the polynomials of the workspace when the prime begins. */
static const uint32_t *key_of(const isopod_decrypt *context, int32_t *after) {
    const isopod_key *key = context->config->key;
    const uint32_t *payload = key->blob + ISOPOD_KEY_HEADER_BYTES / 4;
    uint32_t n = ring_degree(context->config);
    if (key->kind == ISOPOD_KEY_SECRET_NTT) {
        return payload + (size_t)n * context->prime;
    }
    if (context->position == 0) {
        isopod_ntt ntt =
            isopod_ntt_of(context->config->params, context->config->tables, context->prime);
        isopod_polynomial secret = {
            isopod_load_ternary, payload, NULL, ntt.prime, n, -isopod_montgomery_one(ntt.prime)};
        isopod_polynomial_ntt(after, &secret, &ntt);
        isopod_canonical_all(after, n, ntt.prime);
    }
    return (const uint32_t *)after;
}

/* -(c0 + c1*s) of one prime is complete: the coefficients of c0 + c1*s. What has residues out of
 * range would overflow and will be refused. */
static void finish_polynomial(isopod_decrypt *context, int32_t *x) {
    isopod_ntt ntt =
        isopod_ntt_of(context->config->params, context->config->tables, context->prime);
    if (context->over >> 31 != 0) {
        isopod_wipe(x, (size_t)4 * ntt.length);
    }
    isopod_inverse_ntt(x, &ntt, -isopod_inverse_ntt_factor(&ntt));
}

static void advance(isopod_decrypt *context) {
    context->position = 0;
    if (++context->prime == context->answer.primes) {
        context->prime = 0;
        context->component++;
    }
    context->state = context->component == 2 ? STATE_FULL : STATE_FEEDING;
}

/* `groups` whole groups that do not go beyond the polynomial. */
static void take_groups(isopod_decrypt *context, const uint8_t *packed, uint32_t groups) {
    const isopod_prime *prime = &context->config->params->primes[context->prime];
    uint32_t n = ring_degree(context->config), at = context->position, count = groups * GROUP;
    int32_t *words = context->config->workspace;
    int32_t *x = words + (size_t)n * context->prime;
    if (context->component == 0) {
        context->over |= isopod_unpack(x + at, packed, count, prime);
    } else {
        const uint32_t *key = key_of(context, words + (size_t)n * context->answer.primes);
        context->over |= isopod_unpack_multiply(x + at, packed, key + at, count, prime);
    }
    context->position += count;
    if (context->position == n) {
        if (context->component == 1) {
            finish_polynomial(context, x);
        }
        advance(context);
    }
}

/* Takes bytes of the group that is not complete, or as many whole groups as there are of this
 * polynomial; returns how many bytes it took. */
static size_t take_some(isopod_decrypt *context, const uint8_t *bytes, size_t length) {
    uint32_t group_bytes = context->config->params->primes[context->prime].bits * (GROUP / 8u);
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

isopod_status isopod_decrypt_unauthenticated_feed(isopod_decrypt *context, const uint8_t *bytes,
                                                  size_t length) {
    if (context->state != STATE_FEEDING && context->state != STATE_FULL) {
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

static isopod_slots slots_of(const isopod_decrypt *context, isopod_value_type type) {
    const isopod_answer *answer = &context->answer;
    isopod_decoding decoding = decoding_of(context);
    int32_t bits =
        decoding.magnitude <= ISOPOD_DECODE32_LIMIT ? ISOPOD_DECODE32_BITS : ISOPOD_DECODE64_BITS;
    isopod_slots slots = {decoding.n,
                          answer->first,
                          answer->step,
                          answer->count,
                          reciprocal(answer->scale),
                          context->config->log2_bound - bits - 2,
                          type};
    return slots;
}

/* Not zero if it is refused. Folded words lie in the first polynomial; those of the transform in
 * its second half, or in the second polynomial, whose residues are no longer needed. */
static uint32_t decode(const isopod_decrypt *context, const isopod_decoded *out) {
    const isopod_decrypt_config *config = context->config;
    isopod_decoding decoding = decoding_of(context);
    isopod_slots slots = slots_of(context, out->type);
    int32_t *x = config->workspace;
    uint32_t is_narrow = decoding.magnitude <= ISOPOD_DECODE32_LIMIT;
    uint32_t refused =
        context->answer.primes == 1
            ? isopod_fold32(x, &decoding, config->params->primes)
            : config->wide->fold(x, &decoding, config->params->primes, context->answer.primes);
    if (is_narrow) {
        int32_t *words = x + decoding.n / 2;
        refused |= isopod_decode32(words, x, config->tables->cosine32, decoding.n);
        isopod_slots32(out->data, words, &slots);
    } else {
        int64_t *words = (int64_t *)(void *)(x + decoding.n);
        refused |= config->wide->decode(words, x, config->tables->cosine64, decoding.n);
        config->wide->slots(out->data, words, &slots);
    }
    return refused;
}

static isopod_status check_finish(const isopod_decrypt *context, const isopod_decoded *out) {
    if (context->state != STATE_FULL) {
        return context->state == STATE_FEEDING ? ISOPOD_ERROR_LENGTH : ISOPOD_ERROR_STATE;
    }
    if (out->type < ISOPOD_VALUES_FLOAT32 || out->type > ISOPOD_VALUES_INT64) {
        return ISOPOD_ERROR_VALUE_TYPE;
    }
    if (out->capacity < context->answer.count) {
        return ISOPOD_ERROR_COUNT;
    }
    if (out->type == ISOPOD_VALUES_INT32 && context->config->log2_bound > 30) {
        return ISOPOD_ERROR_BOUND;
    }
    return context->over >> 31 != 0 ? ISOPOD_ERROR_RESIDUE : ISOPOD_OK;
}

static void wipe_values(const isopod_decoded *out) {
    uint32_t is_short = out->type == ISOPOD_VALUES_FLOAT32 || out->type == ISOPOD_VALUES_INT32;
    isopod_wipe(out->data, (size_t)out->capacity * (is_short ? 4u : 8u));
}

isopod_status isopod_decrypt_unauthenticated_finish(isopod_decrypt *context,
                                                    const isopod_decoded *out) {
    isopod_status status = check_finish(context, out);
    if (status == ISOPOD_OK && decode(context, out) != 0) {
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
    if (config != NULL) {
        uint32_t ternary = config->key->kind == ISOPOD_KEY_SECRET_TERNARY;
        isopod_wipe(config->workspace,
                    ISOPOD_DECRYPT_WORKSPACE(ring_degree(config), context->answer.primes, ternary));
    }
    isopod_wipe(context, sizeof *context);
}
