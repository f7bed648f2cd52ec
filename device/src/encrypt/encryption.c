/* The core of encryption (spec/ckks.md, section 6) as a pull interface. begin checks, encodes and
 * samples; then each residue polynomial is computed and output chunk by chunk. It knows no scheme
 * and no kind of key. */
#include "isopod/encryption.h"

#include "../base/memory.h"
#include "../base/parameters.h"
#include "../base/piece_stream.h"
#include "../base/workspace.h"
#include "../random/noise.h"
#include "engine.h"
#include "linear_method.h"
#include "method.h"
#include "value_source.h"

ISOPOD_SMALL uint8_t isopod_encryption_take(isopod_encryption *context) {
    uint8_t is_first = isopod_encryption_is_begun(context) && !context->is_framed;
    context->is_framed = 1;
    return is_first;
}

/*@ requires \valid_read(context);
    assigns \nothing;
    ensures \result == (context->stream.state == ISOPOD_PIECES_BEGUN ? 1 : 0); */
ISOPOD_SMALL uint8_t isopod_encryption_is_begun(const isopod_encryption *context) {
    return context->stream.state == ISOPOD_PIECES_BEGUN;
}

/*@ requires \valid_read(context) && \valid_read(context->config);
    requires \valid_read(context->scheme) && \valid_read(context->config->key);
    requires \valid_read(context->config->key->method);
    assigns \nothing;
    ensures \result == context->scheme->kind_public || \result == context->scheme->kind_secret; */
ISOPOD_SMALL uint8_t isopod_encryption_kind(const isopod_encryption *context) {
    const struct isopod_scheme *scheme = context->scheme;
    return context->config->key->method->components == 2 ? scheme->kind_public
                                                         : scheme->kind_secret;
}

/*@ requires \valid_read(config) && \valid_read(config->params);
    requires config->params->log2_ring_degree <= 31;
    assigns \nothing;
    ensures \result == (1 << config->params->log2_ring_degree); */
ISOPOD_SMALL uint32_t isopod_encryption_ring_degree(const isopod_encryption_config *config) {
    return UINT32_C(1) << config->params->log2_ring_degree;
}

/*@ requires \valid_read(config) && \valid_read(config->params);
    assigns \nothing;
    ensures \result == (config->level != 0 ? config->level : config->params->prime_count); */
ISOPOD_SMALL uint8_t isopod_encryption_level(const isopod_encryption_config *config) {
    return config->level != 0 ? config->level : config->params->prime_count;
}

ISOPOD_SMALL size_t isopod_encryption_noise_bytes(const isopod_encryption_config *config) {
    uint32_t n = isopod_encryption_ring_degree(config);
    return config->key->method->components == 2 ? (size_t)n * 9u / 4u : n;
}

static isopod_message message_of(const isopod_encryption *context) {
    return context->scheme->message(context->config);
}

ISOPOD_SMALL size_t isopod_encryption_workspace_bytes(const isopod_encryption *context) {
    const isopod_encryption_config *config = context->config;
    return config->key->method->workspace_bytes(config, message_of(context).bytes);
}

/* The noise is last. Where the message holds e0, it is sampled into the end of the chunks' memory
 * and then added. */
ISOPOD_SMALL isopod_encryption_memory
isopod_encryption_memory_of(const isopod_encryption *context) {
    const isopod_encryption_config *config = context->config;
    const struct isopod_encryption_method *method = config->key->method;
    uint32_t n = isopod_encryption_ring_degree(config);
    isopod_message message = message_of(context);
    uint8_t *start = isopod_workspace_room(&context->encryptor->workspace);
    uint8_t *end = (uint8_t *)context->encryptor->workspace.memory +
                   method->workspace_bytes(config, message.bytes);
    size_t chunk_bytes = (size_t)n * method->word_bytes / config->chunks;
    uint8_t *chunk = start + message.bytes + (message.holds_noise ? n : 0);
    isopod_encryption_memory memory = {
        .message = start, .chunk = chunk, .second = chunk + chunk_bytes};
    memory.error0 = (int8_t *)(end - isopod_encryption_noise_bytes(config));
    memory.error1 = memory.error0 + n;
    memory.ternary = (uint32_t *)(void *)(memory.error0 + (size_t)2u * n);
    return memory;
}

ISOPOD_SMALL void isopod_encryption_sample_error(const isopod_encryption *context,
                                                 const isopod_noise_key *noise, int8_t *out,
                                                 enum isopod_domain domain) {
    isopod_noise_source source = {context->config->suite, noise->bytes, domain};
    isopod_noise_error(out, isopod_encryption_ring_degree(context->config), &source);
}

static isopod_status check_memory(const isopod_encryption *context) {
    const isopod_encryption_config *config = context->config;
    if (config->chunks != 1 && config->chunks != 2 && config->chunks != 4 && config->chunks != 8) {
        return ISOPOD_ERROR_CHUNKS;
    }
    return isopod_workspace_holds(&context->encryptor->workspace,
                                  isopod_encryption_workspace_bytes(context))
               ? ISOPOD_OK
               : ISOPOD_ERROR_WORKSPACE;
}

/*@ requires \valid_read(config) && \valid_read(config->key);
    assigns \nothing;
    ensures \result == ISOPOD_OK <==> config->key->params == config->params &&
            config->key->method != \null; */
static isopod_status check_key(const isopod_encryption_config *config) {
    if (config->key->params != config->params) {
        return ISOPOD_ERROR_KEY_SET;
    }
    return config->key->method == NULL ? ISOPOD_ERROR_KEY_KIND : ISOPOD_OK;
}

ISOPOD_SMALL isopod_status isopod_encryption_check_parts(const isopod_encryption *context) {
    const isopod_encryption_config *config = context->config;
    uint8_t accepted = config->accept_label != 0 ? config->accept_label : ISOPOD_LABEL_128;
    isopod_status status = isopod_parameters_check(config->params);
    if (status != ISOPOD_OK) {
        return status;
    }
    if (config->params->label != accepted) {
        return ISOPOD_ERROR_LABEL;
    }
    status = check_key(config);
    if (status != ISOPOD_OK) {
        return status;
    }
    if (config->level > config->params->prime_count) {
        return ISOPOD_ERROR_LEVEL;
    }
    if (config->out_of_range != NULL && config->layout == ISOPOD_COEFFICIENTS_ROUNDED) {
        return ISOPOD_ERROR_ROUNDING;
    }
    if (!isopod_sender_is_ready(context->encryptor->sender)) {
        return ISOPOD_ERROR_SENDER;
    }
    return isopod_tables_fit(config->tables, config->params) ? ISOPOD_OK : ISOPOD_ERROR_TABLES;
}

/* Checks the set, the options and the memory. */
ISOPOD_FRAME_APART static isopod_status check_config(const isopod_encryption *context) {
    const isopod_encryption_config *config = context->config;
    isopod_status status = isopod_encryption_check_parts(context);
    if (status == ISOPOD_OK) {
        status = context->scheme->check(config);
    }
    if (status == ISOPOD_OK && config->linear_key != NULL && config->params->plain == NULL) {
        return ISOPOD_ERROR_LAYOUT; /* only integers have tags */
    }
    return status == ISOPOD_OK ? check_memory(context) : status;
}

/*@ requires \valid_read(config);
    assigns \nothing;
    ensures \result == 1 <==> config->layout == ISOPOD_SLOTS_REPEATED || config->layout ==
            ISOPOD_COMPLEX_REPEATED; */
static uint32_t is_repeated(const isopod_encryption_config *config) {
    return config->layout == ISOPOD_SLOTS_REPEATED || config->layout == ISOPOD_COMPLEX_REPEATED;
}

/*@ requires \valid_read(context) && \valid_read(context->config);
    assigns \nothing;
    ensures \result == (context->config->stride != 0 ? context->config->stride : context->count); */
ISOPOD_SMALL uint32_t isopod_encryption_stride(const isopod_encryption *context) {
    return context->config->stride != 0 ? context->config->stride : context->count;
}

/*@ requires \valid_read(context) && \valid_read(context->config);
    assigns \nothing;
    ensures \result >= 1 && (context->config->buckets != 0 ==> \result ==
            context->config->buckets); */
ISOPOD_SMALL uint32_t isopod_encryption_buckets(const isopod_encryption *context) {
    return context->config->buckets != 0 ? context->config->buckets : 1u;
}

ISOPOD_SMALL isopod_part_shape isopod_encryption_shape(const isopod_encryption *context) {
    const isopod_encryption_config *config = context->config;
    const isopod_part_shape shape = {.interleave =
                                         config->key->method->components == 2 ? config->chunks : 1u,
                                     .stride = isopod_encryption_stride(context)};
    return shape;
}

/* Checks the rows: their distance, and that buckets divide the columns. */
static isopod_status check_rows(const isopod_encryption *context) {
    uint32_t stride = isopod_encryption_stride(context), count = context->count;
    uint32_t last = isopod_encryption_buckets(context) - 1u;
    if (stride > message_of(context).capacity ||
        (is_repeated(context->config) && stride != count)) {
        return ISOPOD_ERROR_STRIDE;
    }
    uint32_t columns = (count - 1u) % stride + 1u;
    return (last & (last + 1u)) != 0 || (columns & last) != 0 ? ISOPOD_ERROR_BUCKETS : ISOPOD_OK;
}

ISOPOD_FRAME_APART static isopod_status check_count(const isopod_encryption *context) {
    uint32_t count = context->count;
    if (count == 0 || count > message_of(context).capacity ||
        (is_repeated(context->config) && (count & (count - 1u)) != 0)) {
        return ISOPOD_ERROR_COUNT;
    }
    return check_rows(context);
}

/* Wipes deeper for 64-bit primes, and for SEAL's mask, which may put a second sponge there. */
void isopod_encryption_wipe_stack(const isopod_encryption_config *config) {
    uint32_t is_deep =
        isopod_parameters_has_primes64(config->params) || config->suite->seal != NULL;
    (is_deep ? isopod_wipe_deep_stack : isopod_wipe_stack)();
}

/* Adds e0 to a message that holds it. */
ISOPOD_FRAME_APART static void add_noise(const isopod_encryption *context) {
    if (message_of(context).holds_noise) {
        const isopod_encryption_memory memory = isopod_encryption_memory_of(context);
        context->scheme->add_noise(context->config, memory.message, memory.error0);
    }
}

/* Encodes with the stream of the dither. That stream works in the memory of chunks and noise, at
 * least 1.5 n bytes, which is free before the noise is sampled. */
ISOPOD_FRAME_APART void isopod_encryption_encode(const isopod_encryption *context,
                                                 const isopod_values *values,
                                                 const isopod_noise_key *noise) {
    const isopod_encryption_memory memory = isopod_encryption_memory_of(context);
    const isopod_noise_source stream = {context->config->suite, noise->bytes, ISOPOD_DOMAIN_DITHER};
    const isopod_dither_source dither = {&stream, memory.chunk};
    context->scheme->encode(context->config, values, memory.message, &dither);
}

/* Computes the linear tags of an array, if there are any. */
ISOPOD_FRAME_APART static void tag_values(isopod_encryption *context, const isopod_values *values) {
    const isopod_linear_key *key = context->config->linear_key;
    if (key != NULL) {
        isopod_linear_sum sum = {.place = 0};
        key->method->add_whole(context, &sum, values, 0);
        key->method->finish_whole(context, &sum);
    }
}

/* The part of an encryption that handles its seeds. */
ISOPOD_FRAME_APART static isopod_status prepare(isopod_encryption *context,
                                                const struct isopod_encryption_input *input) {
    const isopod_encryption_config *config = context->config;
    isopod_noise_key noise;
    isopod_status status = isopod_root_take(context, &noise, input->values, input->log2_unit);
    if (status == ISOPOD_OK && input->reader != NULL) {
        status = input->reader->encode(input->reader, context, &noise);
    } else if (status == ISOPOD_OK) {
        tag_values(context, input->values);
        isopod_encryption_encode(context, input->values, &noise);
    }
    if (status == ISOPOD_OK) {
        const isopod_fault_check *check = config->fault_check;
        status = (check != NULL ? check->sample : config->key->method->sample)(context, &noise);
        add_noise(context);
        context->stream.state = ISOPOD_PIECES_BEGUN;
    }
    isopod_encryption_wipe_stack(config);
    isopod_wipe(&noise, sizeof noise);
    return status;
}

/* Finds the first value that made the check of an array fail with this status. */
ISOPOD_SMALL static isopod_status refuse(isopod_encryption *context, const isopod_values *values,
                                         isopod_status status) {
    if (status != ISOPOD_ERROR_NOT_FINITE && status != ISOPOD_ERROR_VALUE_RANGE) {
        return status;
    }
    isopod_values one = {values->data, 1, values->type};
    const size_t bytes = isopod_root_values_bytes(context, &one);
    for (; context->scheme->check_values(context->config, &one) != status; context->refused++) {
        one.data = (const uint8_t *)one.data + bytes;
    }
    return status;
}

ISOPOD_SMALL static isopod_status check_input(isopod_encryption *context,
                                              const struct isopod_encryption_input *input) {
    if (input->reader != NULL) {
        return input->reader->open(input->reader, context);
    }
    return refuse(context, input->values,
                  context->scheme->check_values(context->config, input->values));
}

ISOPOD_SMALL static isopod_status begin_in_software(isopod_encryption *context,
                                                    const struct isopod_encryption_input *input) {
    isopod_status status = check_input(context, input);
    return status == ISOPOD_OK ? prepare(context, input) : status;
}

/* Tries the engine first, which makes no linear tags. Software encrypts if the engine does not take
 * the encryption or fails. */
ISOPOD_SMALL static isopod_status begin(isopod_encryption *context,
                                        const struct isopod_encryption_input *input) {
    if (input->reader == NULL && context->config->linear_key == NULL &&
        isopod_engine_takes(context, input->values)) {
        isopod_status status = isopod_engine_begin(context, input->values);
        if (status != ISOPOD_ERROR_FAULT) {
            context->is_in_engine = 1;
            context->stream.state = ISOPOD_PIECES_BEGUN;
            return refuse(context, input->values, status);
        }
    }
    return begin_in_software(context, input);
}

/* Wipes after an error; the number of a refused value stays. */
ISOPOD_SMALL static void give_up(isopod_encryption *context, const isopod_encryptor *encryptor) {
    uint32_t refused = context->refused;
    isopod_wipe(context, sizeof *context);
    context->refused = refused;
    isopod_workspace_wipe(&encryptor->workspace, encryptor->workspace.bytes);
}

ISOPOD_SMALL isopod_status isopod_encryption_begin_input(
    isopod_encryption *context, const isopod_encryption_config *config,
    const isopod_encryptor *encryptor, const struct isopod_encryption_input *input) {
    isopod_wipe(context, sizeof *context);
    context->config = config;
    context->encryptor = encryptor;
    context->scheme = input->scheme;
    context->count = input->values->count;
    isopod_status status = check_config(context);
    if (status == ISOPOD_OK) {
        status = check_count(context);
    }
    if (status == ISOPOD_OK) {
        status = begin(context, input);
    }
    if (status == ISOPOD_OK) {
        isopod_workspace_own(&encryptor->workspace, context->nonce);
    } else {
        give_up(context, encryptor);
    }
    return status;
}

ISOPOD_SMALL isopod_status isopod_encryption_begin(isopod_encryption *context,
                                                   const isopod_encryption_config *config,
                                                   const isopod_encryptor *encryptor,
                                                   const struct isopod_encryption_input *input) {
    const struct isopod_range_rule *rule = config->out_of_range;
    return (rule != NULL ? rule->begin : isopod_encryption_begin_input)(context, config, encryptor,
                                                                        input);
}

ISOPOD_FRAME_APART static void give_chunk(isopod_encryption *context, uint32_t bytes) {
    isopod_piece_stream_give(&context->stream, isopod_encryption_memory_of(context).chunk, bytes);
}

ISOPOD_SMALL isopod_status isopod_encryption_compute_chunk(isopod_encryption *context) {
    const isopod_encryption_config *config = context->config;
    give_chunk(context, config->key->method->chunk(context));
    isopod_encryption_wipe_stack(config);
    return ISOPOD_OK;
}

/* Advances to the next component, then chunk, then prime; behind the last prime are the tags. */
static void advance(isopod_encryption *context) {
    const isopod_encryption_config *config = context->config;
    if (context->prime < isopod_encryption_level(config) &&
        ++context->component < config->key->method->components) {
        return;
    }
    context->component = 0;
    if (++context->chunk < config->chunks) {
        return;
    }
    context->chunk = 0;
    context->prime++;
}

/* Loads the part of a split key when its prime begins. */
static isopod_status begin_prime(isopod_encryption *context) {
    const isopod_key *key = context->config->key;
    if (key->method->begin_prime == NULL || context->chunk != 0 || context->component != 0) {
        return ISOPOD_OK;
    }
    isopod_status status = key->method->begin_prime(context);
    if (status != ISOPOD_OK) {
        isopod_encryption_abort(context);
    }
    return status;
}

ISOPOD_FRAME_APART static isopod_status refill(isopod_encryption *context) {
    if (!isopod_encryption_is_begun(context)) {
        advance(context);
    }
    const isopod_linear_key *linear_key = context->config->linear_key;
    const uint32_t level = isopod_encryption_level(context->config);
    if (context->prime == level && linear_key != NULL) {
        isopod_piece_stream_give(&context->stream, context->linear,
                                 isopod_linear_bytes(linear_key));
        return ISOPOD_OK;
    }
    if (context->prime >= level) {
        isopod_encryption_abort(context);
        context->stream.state = ISOPOD_PIECES_DONE;
        return ISOPOD_DONE;
    }
    isopod_status status = begin_prime(context);
    if (status != ISOPOD_OK) {
        return status;
    }
    const isopod_fault_check *check = context->config->fault_check;
    return (check != NULL ? check->chunk : isopod_encryption_compute_chunk)(context);
}

static isopod_status next_from_engine(isopod_encryption *context, uint8_t *out, size_t capacity,
                                      size_t *length) {
    context->stream.state = ISOPOD_PIECES_RUNNING;
    isopod_status status = isopod_engine_next(context, out, capacity, length);
    if (status != ISOPOD_OK) {
        isopod_encryption_abort(context);
    }
    if (status == ISOPOD_DONE) {
        context->stream.state = ISOPOD_PIECES_DONE;
    }
    return status;
}

static uint32_t is_owner(const isopod_encryption *context) {
    return isopod_workspace_is_owned(&context->encryptor->workspace, context->nonce);
}

ISOPOD_SMALL isopod_status isopod_encryption_next(isopod_encryption *context, uint8_t *out,
                                                  size_t capacity, size_t *length) {
    *length = 0;
    isopod_status status = isopod_piece_stream_check(&context->stream, capacity);
    if (status == ISOPOD_OK && !is_owner(context)) {
        isopod_encryption_abort(context);
        return ISOPOD_ERROR_STATE;
    }
    if (status == ISOPOD_OK && context->is_in_engine) {
        return next_from_engine(context, out, capacity, length);
    }
    if (status == ISOPOD_OK && context->stream.pending == 0) {
        status = refill(context);
    }
    if (status == ISOPOD_OK) {
        *length = isopod_piece_stream_take(&context->stream, out, capacity);
    }
    return status;
}

ISOPOD_SMALL void isopod_encryption_abort(isopod_encryption *context) {
    if (context->config != NULL && context->is_in_engine) {
        isopod_engine_abort(context);
    }
    if (context->config != NULL && is_owner(context)) {
        isopod_workspace_wipe(&context->encryptor->workspace,
                              isopod_encryption_workspace_bytes(context));
    }
    isopod_wipe(context, sizeof *context);
}
