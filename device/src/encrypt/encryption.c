#include "isopod/encryption.h"

#include "isopod/bfv.h"
#include "isopod/ckks.h"
#include "engine.h"
#include "../base/memory.h"
#include "method.h"
#include "../random/noise.h"
#include "../base/parameters.h"

enum { STATE_IDLE = 0, STATE_BEGUN = 0x5a, STATE_RUNNING = 0xa5, STATE_DONE = 0x3c };
/* The same in hardware. */
enum { STATE_ENGINE_BEGUN = 0x69, STATE_ENGINE_RUNNING = 0x96 };

uint8_t isopod_encryption_is_begun(const isopod_encryption *context) {
    return context->state == STATE_BEGUN || context->state == STATE_ENGINE_BEGUN;
}

uint8_t isopod_encryption_kind(const isopod_encryption *context) {
    return context->scheme->kinds_before + context->config->key->method->wire_kind;
}

uint32_t isopod_encryption_ring_degree(const isopod_encryption_config *config) {
    return 1u << config->params->log2_ring_degree;
}

uint8_t isopod_encryption_is_wide(const isopod_encryption_config *config) {
    return config->log2_scale + config->log2_bound > (int)ISOPOD_NARROW_BITS;
}

uint8_t isopod_encryption_level(const isopod_encryption_config *config) {
    return config->level != 0 ? config->level : config->params->prime_count;
}

uint8_t isopod_encryption_is_apart(const isopod_encryption_config *config) {
    return config->params->plain == NULL ||
           ISOPOD_BFV_APART(config->params->plain->modulus, config->chunks,
                            config->fault_check != NULL);
}

size_t isopod_encryption_noise_bytes(const isopod_encryption_config *config) {
    uint32_t n = isopod_encryption_ring_degree(config);
    return config->key->method->components == 2 ? (size_t)n * 9u / 4u : n;
}

size_t isopod_encryption_message_bytes(const isopod_encryption_config *config) {
    uint32_t n = isopod_encryption_ring_degree(config);
    uint8_t wide = isopod_encryption_is_wide(config);
    if (config->params->plain != NULL) {
        return ISOPOD_BFV_MESSAGE_BYTES(n, isopod_encryption_is_apart(config));
    }
    return config->layout >= ISOPOD_COMPLEX ? ISOPOD_CKKS_FULL_MESSAGE_BYTES(n, wide)
                                            : ISOPOD_CKKS_MESSAGE_BYTES(n, wide);
}

/* The noise is last. Where it is not apart, e0 is only there until it is added to the message, in
 * the place of the end of the chunks. */
isopod_encryption_memory isopod_encryption_memory_of(const isopod_encryption_config *config) {
    uint32_t n = isopod_encryption_ring_degree(config);
    uint8_t *start = config->workspace, *end = start + config->key->method->workspace_bytes(config);
    size_t message = isopod_encryption_message_bytes(config);
    isopod_encryption_memory memory;
    size_t chunk_bytes = (size_t)n * config->key->method->limb_bytes / config->chunks;
    uint8_t *chunk = start + message + (isopod_encryption_is_apart(config) ? 0 : n);
    memory.message = start;
    memory.chunk = chunk;
    memory.second = chunk + chunk_bytes;
    memory.error0 = (int8_t *)(end - isopod_encryption_noise_bytes(config));
    memory.error1 = memory.error0 + n;
    memory.ternary = (uint32_t *)(void *)(memory.error0 + (size_t)2u * n);
    return memory;
}

void isopod_encryption_sample_error(const isopod_encryption *context, const isopod_noise_key *noise,
                                    int8_t *out, enum isopod_domain domain) {
    isopod_noise_source source = {context->config->suite, noise->bytes, domain};
    isopod_noise_error(out, isopod_encryption_ring_degree(context->config), &source);
}

static isopod_status check_memory(const isopod_encryption_config *config) {
    if (isopod_parameters_is_wide(config->params)
            ? config->tables->wide_twiddles == NULL
            : config->tables->coarse != NULL && isopod_reads_lean_tables == 0) {
        return ISOPOD_ERROR_TABLES;
    }
    if (config->chunks != 1 && config->chunks != 2 && config->chunks != 4 && config->chunks != 8) {
        return ISOPOD_ERROR_CHUNKS;
    }
    if (config->workspace == NULL || ((uintptr_t)config->workspace & 7u) != 0 ||
        config->workspace_bytes < config->key->method->workspace_bytes(config)) {
        return ISOPOD_ERROR_WORKSPACE;
    }
    return ISOPOD_OK;
}

/* The set, what is asked of it, and the memory. */
static isopod_status check_config(const isopod_encryption_config *config,
                                  const struct isopod_scheme *scheme) {
    uint8_t accepted = config->accept_label != 0 ? config->accept_label : ISOPOD_LABEL_128;
    isopod_status status = isopod_parameters_check(config->params);
    if (status == ISOPOD_OK && config->params->label != accepted) {
        status = ISOPOD_ERROR_LABEL;
    }
    if (status == ISOPOD_OK && config->key->params != config->params) {
        status = ISOPOD_ERROR_KEY_SET;
    }
    if (status == ISOPOD_OK && config->key->method == NULL) {
        status = ISOPOD_ERROR_KEY_KIND;
    }
    if (status == ISOPOD_OK && config->level > config->params->prime_count) {
        status = ISOPOD_ERROR_LEVEL;
    }
    if (status == ISOPOD_OK) {
        status = scheme->check(config);
    }
    return status == ISOPOD_OK ? check_memory(config) : status;
}

static isopod_status check_count(const isopod_encryption_config *config,
                                 const isopod_values *values) {
    uint32_t is_repeated =
        config->layout == ISOPOD_SLOTS_REPEATED || config->layout == ISOPOD_COMPLEX_REPEATED;
    uint32_t n = isopod_encryption_ring_degree(config);
    uint32_t is_halved = config->params->plain == NULL && config->layout != ISOPOD_COEFFICIENTS;
    if (values->count == 0 || values->count > (is_halved ? n / 2 : n) ||
        (is_repeated && (values->count & (values->count - 1u)) != 0)) {
        return ISOPOD_ERROR_COUNT;
    }
    return ISOPOD_OK;
}

/* SEAL's mask has a second sponge at times. */
static void wipe_stack_of(const isopod_encryption_config *config) {
    uint32_t is_deep = isopod_parameters_is_wide(config->params) || config->suite->seal != NULL;
    (is_deep ? isopod_wipe_deep_stack : isopod_wipe_stack)();
}

/* Everything of an encryption that needs its seeds. */
static isopod_status prepare(isopod_encryption *context, const isopod_values *values) {
    const isopod_encryption_config *config = context->config;
    isopod_noise_key noise;
    isopod_status status = isopod_root_take(context, &noise, isopod_encryption_kind(context));
    if (status == ISOPOD_OK) {
        context->scheme->encode(config, values);
        const isopod_fault_check *check = config->fault_check;
        status = (check != NULL ? check->sample : config->key->method->sample)(context, &noise);
        if (!isopod_encryption_is_apart(config)) {
            context->scheme->add_noise(config);
        }
        context->state = STATE_BEGUN;
    }
    wipe_stack_of(config);
    isopod_wipe(&noise, sizeof noise);
    return status;
}

static isopod_status begin_in_software(isopod_encryption *context, const isopod_values *values) {
    isopod_status status = context->scheme->check_values(context->config, values);
    return status == ISOPOD_OK ? prepare(context, values) : status;
}

/* What hardware cannot do or fails to do, software does. */
static isopod_status begin(isopod_encryption *context, const isopod_values *values) {
    if (isopod_engine_takes(context, values)) {
        isopod_status status = isopod_engine_begin(context, values);
        context->state = STATE_ENGINE_BEGUN;
        if (status != ISOPOD_ERROR_FAULT) {
            return status;
        }
    }
    return begin_in_software(context, values);
}

isopod_status isopod_encryption_begin(isopod_encryption *context,
                                      const isopod_encryption_config *config,
                                      const isopod_values *values,
                                      const struct isopod_scheme *scheme) {
    isopod_wipe(context, sizeof *context);
    isopod_status status = check_config(config, scheme);
    if (status == ISOPOD_OK) {
        status = check_count(config, values);
    }
    if (status == ISOPOD_OK) {
        context->config = config;
        context->scheme = scheme;
        context->count = values->count;
        status = begin(context, values);
    }
    if (status != ISOPOD_OK && config->workspace != NULL) {
        isopod_wipe(config->workspace, config->workspace_bytes);
        isopod_wipe(context, sizeof *context);
    }
    return status;
}

isopod_status isopod_encryption_compute_chunk(isopod_encryption *context) {
    const isopod_encryption_config *config = context->config;
    context->pending = config->key->method->chunk(context);
    context->piece = isopod_encryption_memory_of(config).chunk;
    wipe_stack_of(config);
    return ISOPOD_OK;
}

/* Component, then chunk, then prime. */
static void advance(isopod_encryption *context) {
    const isopod_encryption_config *config = context->config;
    if (++context->component < config->key->method->components) {
        return;
    }
    context->component = 0;
    if (++context->chunk < config->chunks) {
        return;
    }
    context->chunk = 0;
    context->prime++;
}

/* What a key that is not all there needs when a prime begins. */
static isopod_status begin_prime(isopod_encryption *context) {
    const isopod_key *key = context->config->key;
    if (key->method->begin_prime == NULL || context->chunk != 0 || context->component != 0) {
        return ISOPOD_OK;
    }
    isopod_status status = key->method->begin_prime(key, context->prime);
    if (status != ISOPOD_OK) {
        isopod_encryption_abort(context);
    }
    return status;
}

static isopod_status refill_piece(isopod_encryption *context) {
    if (context->state == STATE_RUNNING) {
        advance(context);
    }
    if (context->prime == isopod_encryption_level(context->config)) {
        isopod_encryption_abort(context);
        context->state = STATE_DONE;
        return ISOPOD_DONE;
    }
    isopod_status status = begin_prime(context);
    if (status != ISOPOD_OK) {
        return status;
    }
    context->state = STATE_RUNNING;
    const isopod_fault_check *check = context->config->fault_check;
    return (check != NULL ? check->chunk : isopod_encryption_compute_chunk)(context);
}

static uint8_t is_in_engine(const isopod_encryption *context) {
    return context->state == STATE_ENGINE_BEGUN || context->state == STATE_ENGINE_RUNNING;
}

static isopod_status next_from_engine(isopod_encryption *context, uint8_t *out, size_t capacity,
                                      size_t *length) {
    context->state = STATE_ENGINE_RUNNING;
    isopod_status status = isopod_engine_next(context, out, capacity, length);
    if (status != ISOPOD_OK) {
        isopod_encryption_abort(context);
    }
    if (status == ISOPOD_DONE) {
        context->state = STATE_DONE;
    }
    return status;
}

static isopod_status check_next(const isopod_encryption *context, size_t capacity) {
    if (context->state == STATE_DONE) {
        return ISOPOD_DONE;
    }
    if (!is_in_engine(context) && context->state != STATE_BEGUN &&
        context->state != STATE_RUNNING) {
        return ISOPOD_ERROR_STATE;
    }
    return capacity == 0 ? ISOPOD_ERROR_CAPACITY : ISOPOD_OK;
}

isopod_status isopod_encryption_next(isopod_encryption *context, uint8_t *out, size_t capacity,
                                     size_t *length) {
    *length = 0;
    isopod_status ready = check_next(context, capacity);
    if (ready != ISOPOD_OK) {
        return ready;
    }
    if (is_in_engine(context)) {
        return next_from_engine(context, out, capacity, length);
    }
    if (context->pending == 0) {
        isopod_status status = refill_piece(context);
        if (status != ISOPOD_OK) {
            return status;
        }
    }
    size_t take = context->pending < capacity ? context->pending : capacity;
    isopod_copy(out, context->piece, take);
    context->piece += take;
    context->pending -= (uint32_t)take;
    *length = take;
    return ISOPOD_OK;
}

void isopod_encryption_abort(isopod_encryption *context) {
    const isopod_encryption_config *config = context->config;
    if (config != NULL && is_in_engine(context)) {
        isopod_engine_abort(context);
    } else if (config != NULL) {
        isopod_wipe(config->workspace, config->key->method->workspace_bytes(config));
    }
    isopod_wipe(context, sizeof *context);
}
