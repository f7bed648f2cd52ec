#include "isopod/ckks.h"

#include "encode.h"
#include "memory.h"
#include "method.h"
#include "parameters.h"
#include "sample.h"

enum { STATE_IDLE = 0, STATE_BEGUN = 0x5a, STATE_RUNNING = 0xa5, STATE_DONE = 0x3c };

uint8_t isopod_ckks_is_begun(const isopod_ckks *context) {
    return context->state == STATE_BEGUN;
}

uint32_t isopod_ckks_ring_degree(const isopod_ckks_config *config) {
    return 1u << config->params->log2_ring_degree;
}

uint8_t isopod_ckks_is_wide(const isopod_ckks_config *config) {
    return config->log2_scale + config->log2_bound > (int)ISOPOD_NARROW_BITS;
}

isopod_ckks_memory isopod_ckks_memory_of(const isopod_ckks_config *config, uint8_t chunks_held) {
    uint32_t n = isopod_ckks_ring_degree(config);
    uint8_t *at = config->workspace;
    isopod_ckks_memory memory;
    memory.message = at;
    at += ISOPOD_CKKS_MESSAGE_BYTES(n, isopod_ckks_is_wide(config));
    memory.chunk = (int32_t *)(void *)at;
    memory.second = memory.chunk + n / config->chunks;
    at += (size_t)chunks_held * n * 4u / config->chunks;
    memory.error0 = (int8_t *)at;
    memory.error1 = (int8_t *)(at + n);
    memory.ternary = (uint32_t *)(void *)(at + (size_t)2u * n);
    return memory;
}

void isopod_ckks_sample_error(const isopod_ckks *context, const isopod_noise_key *noise,
                              int8_t *out, uint32_t domain) {
    isopod_stream stream;
    isopod_stream_name name = {domain, 0};
    isopod_stream_start(&stream, context->config->suite, noise->bytes, name);
    isopod_sample_error(out, isopod_ckks_ring_degree(context->config), &stream);
    isopod_wipe(&stream, sizeof stream);
}

isopod_polynomial isopod_ckks_message(const isopod_ckks *context, const isopod_ntt *ntt,
                                      const isopod_ckks_memory *memory) {
    const isopod_wide_encoder *wide = context->config->wide;
    isopod_polynomial message = {isopod_load_message32,
                                 memory->message,
                                 memory->error0,
                                 ntt->prime,
                                 isopod_ckks_ring_degree(context->config),
                                 0};
    if (isopod_ckks_is_wide(context->config)) {
        message.load = wide->load;
    }
    return message;
}

isopod_mask_position isopod_ckks_mask_position(const isopod_ckks *context, const isopod_ntt *ntt) {
    const isopod_ckks_params *params = context->config->params;
    isopod_mask_position at = {ntt->prime,
                               context->prime,
                               params->prime_count,
                               params->log2_ring_degree,
                               ntt->chunk * ntt->length,
                               context->refill};
    return at;
}

static isopod_status check_encoding(const isopod_ckks_config *config) {
    int bits = config->log2_scale + config->log2_bound;
    if (config->log2_scale < config->params->log2_scale_min ||
        config->log2_scale > config->params->log2_scale_max) {
        return ISOPOD_ERROR_SCALE;
    }
    if (bits < 0 || bits > 57 || bits + 2 > (int)isopod_parameters_data_bits(config->params) ||
        (isopod_ckks_is_wide(config) &&
         (config->wide == NULL || config->tables->cosine64 == NULL))) {
        return ISOPOD_ERROR_BOUND;
    }
    return ISOPOD_OK;
}

static isopod_status check_memory(const isopod_ckks_config *config) {
    if (config->tables->coarse != NULL && isopod_reads_lean_tables == 0) {
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

static isopod_status check_config(const isopod_ckks_config *config) {
    uint8_t accepted = config->accept_label != 0 ? config->accept_label : ISOPOD_LABEL_128;
    isopod_status status = isopod_parameters_check(config->params);
    if (status == ISOPOD_OK && config->params->label != accepted) {
        status = ISOPOD_ERROR_LABEL;
    }
    if (status == ISOPOD_OK && config->key->params != config->params) {
        status = ISOPOD_ERROR_KEY_SET;
    }
    if (status == ISOPOD_OK) {
        status = check_encoding(config);
    }
    return status == ISOPOD_OK ? check_memory(config) : status;
}

static isopod_status check_values(const isopod_ckks_config *config, const isopod_values *values) {
    if (values->count == 0 || values->count > isopod_ckks_ring_degree(config) / 2) {
        return ISOPOD_ERROR_COUNT;
    }
    return isopod_values_check(values, config->log2_bound);
}

static void encode(const isopod_ckks_config *config, const isopod_values *values) {
    isopod_encoding encoding = {config->params->log2_ring_degree, config->log2_scale,
                                config->log2_bound};
    if (isopod_ckks_is_wide(config)) {
        config->wide->encode(config->workspace, config->tables->cosine64, values, &encoding);
    } else {
        isopod_encode32(config->workspace, config->tables->cosine32, values, &encoding);
    }
}

/* Everything of an encryption that needs its seeds. */
static isopod_status prepare(isopod_ckks *context, const isopod_values *values) {
    const isopod_ckks_config *config = context->config;
    isopod_noise_key noise;
    isopod_status status = isopod_root_take(context, &noise, config->key->method->wire_kind);
    if (status == ISOPOD_OK) {
        encode(config, values);
        const isopod_fault_check *check = config->fault_check;
        status = (check != NULL ? check->sample : config->key->method->sample)(context, &noise);
        context->state = STATE_BEGUN;
    }
    isopod_wipe_stack();
    isopod_wipe(&noise, sizeof noise);
    return status;
}

isopod_status isopod_ckks_begin(isopod_ckks *context, const isopod_ckks_config *config,
                                const isopod_values *values) {
    isopod_wipe(context, sizeof *context);
    isopod_status status = check_config(config);
    if (status == ISOPOD_OK) {
        status = check_values(config, values);
    }
    if (status == ISOPOD_OK) {
        context->config = config;
        context->count = values->count;
        status = prepare(context, values);
    }
    if (status != ISOPOD_OK && config->workspace != NULL) {
        isopod_wipe(config->workspace, config->workspace_bytes);
        isopod_wipe(context, sizeof *context);
    }
    return status;
}

isopod_status isopod_ckks_compute_chunk(isopod_ckks *context) {
    const isopod_ckks_config *config = context->config;
    isopod_ntt ntt = isopod_ntt_of(config->params, config->tables, context->prime);
    ntt.length /= config->chunks;
    ntt.chunks = config->chunks;
    ntt.chunk = context->chunk;
    context->pending = config->key->method->chunk(context, &ntt);
    context->piece = (uint8_t *)isopod_ckks_memory_of(config, 0).chunk;
    isopod_wipe_stack();
    return ISOPOD_OK;
}

/* Component, then chunk, then prime. */
static void advance(isopod_ckks *context) {
    const isopod_ckks_config *config = context->config;
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

static isopod_status refill_piece(isopod_ckks *context) {
    if (context->state == STATE_RUNNING) {
        advance(context);
    }
    if (context->prime == context->config->params->prime_count) {
        isopod_ckks_abort(context);
        context->state = STATE_DONE;
        return ISOPOD_DONE;
    }
    context->state = STATE_RUNNING;
    const isopod_fault_check *check = context->config->fault_check;
    return (check != NULL ? check->chunk : isopod_ckks_compute_chunk)(context);
}

isopod_status isopod_ckks_next(isopod_ckks *context, uint8_t *out, size_t capacity,
                               size_t *length) {
    *length = 0;
    if (context->state == STATE_DONE) {
        return ISOPOD_DONE;
    }
    if (context->state != STATE_BEGUN && context->state != STATE_RUNNING) {
        return ISOPOD_ERROR_STATE;
    }
    if (capacity == 0) {
        return ISOPOD_ERROR_CAPACITY;
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

void isopod_ckks_abort(isopod_ckks *context) {
    const isopod_ckks_config *config = context->config;
    if (config != NULL) {
        isopod_wipe(config->workspace, config->key->method->workspace_bytes(config));
    }
    isopod_wipe(context, sizeof *context);
}
