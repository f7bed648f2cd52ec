/* The core of TFHE encryption ([TFHE18]; spec/tfhe.md, section 5) as a pull interface: begin
 * checks, takes the root and computes the first polynomial; next gives its bytes. It knows no kind
 * of key. */
#include "isopod/tfhe.h"

#include "../base/constant_time.h"
#include "../base/memory.h"
#include "../base/piece_stream.h"
#include "../base/workspace.h"
#include "../tag/hedge.h"
#include "tfhe_blob.h"
#include "tfhe_header.h"
#include "tfhe_method.h"

/*@ requires \valid(context);
    assigns context->is_framed;
    ensures context->is_framed == 1;
    ensures \result == 1 ==> \old(context->is_framed) == 0; */
uint8_t isopod_tfhe_take(isopod_tfhe *context) {
    uint8_t is_first = context->stream.state == ISOPOD_PIECES_BEGUN && !context->is_framed;
    context->is_framed = 1;
    return is_first;
}

uint32_t isopod_tfhe_columns(const isopod_tfhe *context) {
    uint32_t values = 0;
    for (uint32_t r = 0; r < context->runs; r++) {
        values += context->counts[r];
    }
    return context->config->columns != 0 ? context->config->columns : values;
}

/*@ requires \valid_read(config) && \valid_read(config->params);
    assigns \nothing;
    ensures config->width != 0 ==> \result == config->width;
    ensures config->width == 0 ==> \result == config->params->log2_modulus / 8 / 2; */
uint32_t isopod_tfhe_width(const isopod_tfhe_config *config) {
    return config->width != 0 ? config->width : isopod_tfhe_word_bytes(config->params) / 2u;
}

isopod_tfhe_memory isopod_tfhe_memory_of(const isopod_tfhe *context, uint32_t holds_key) {
    const isopod_tfhe_config *config = context->config;
    uint32_t n = isopod_tfhe_degree(config->params);
    uint32_t *at = isopod_workspace_room(&context->encryptor->workspace);
    isopod_tfhe_memory memory;
    memory.words = at;
    at += n * isopod_tfhe_word_bytes(config->params) / 4u;
    memory.scratch = (int32_t *)at;
    at += n;
    memory.transformed = at;
    at += holds_key ? n : 0;
    memory.blocks = at;
    memory.noise = (isopod_noise_key *)(void *)(at + n / 16u);
    return memory;
}

void isopod_tfhe_product(void *words, const uint32_t *transformed, int32_t *scratch,
                         const isopod_ntt *ntt, const isopod_tfhe_params *params) {
    if (params->log2_modulus == 32) {
        isopod_ring_product32(words, transformed, scratch, ntt);
    } else {
        isopod_ring_product64(words, transformed, scratch, ntt);
    }
}

void isopod_tfhe_noise_start(isopod_stream *stream, const isopod_tfhe_suite *suite,
                             const isopod_noise_key *noise, uint32_t domain) {
    isopod_stream_name name = {domain, 0};
    isopod_stream_start(stream, suite->noise, noise->bytes, name);
}

void isopod_tfhe_finish_bodies(isopod_tfhe *context, void *words, const uint32_t *blocks,
                               const isopod_noise_key *noise) {
    const isopod_tfhe_config *config = context->config;
    isopod_tfhe_addend addend = {config->params, blocks, context->coefficients};
    isopod_stream stream;
    isopod_tfhe_noise_start(&stream, config->suite, noise, ISOPOD_DOMAIN_ERROR0);
    isopod_tfhe_add_errors(words, &addend, &stream);
    isopod_wipe(&stream, sizeof stream);
    isopod_wipe_shallow_stack(); /* in this frame, since adding errors needs much stack */
    uint32_t width = isopod_tfhe_width(config);
    if (width != isopod_tfhe_word_bytes(config->params)) {
        isopod_tfhe_round(words, context->coefficients, config->params);
    }
    isopod_piece_stream_give(&context->stream, words, context->coefficients * width);
}

/*@ requires \valid_read(config) && \valid_read(config->params);
    assigns \nothing;
    ensures \result == ISOPOD_OK || \result == ISOPOD_ERROR_LABEL;
    ensures \result == ISOPOD_OK && config->accept_label != 0 ==>
            config->params->label == config->accept_label;
    ensures \result == ISOPOD_OK && config->accept_label == 0 ==>
            config->params->label == ISOPOD_LABEL_128; */
static isopod_status check_label(const isopod_tfhe_config *config) {
    uint8_t accepted = config->accept_label != 0 ? config->accept_label : ISOPOD_LABEL_128;
    return config->params->label == accepted ? ISOPOD_OK : ISOPOD_ERROR_LABEL;
}

static isopod_status check_config(const isopod_tfhe_config *config) {
    isopod_status status = isopod_tfhe_parameters_check(config->params);
    if (status == ISOPOD_OK) {
        status = check_label(config);
    }
    if (status == ISOPOD_OK && config->key->params != config->params) {
        status = ISOPOD_ERROR_KEY_SET;
    }
    if (status != ISOPOD_OK) {
        return status;
    }
    uint32_t word = isopod_tfhe_word_bytes(config->params);
    if (config->width != 0 && config->width != word && config->width != word / 2u) {
        return ISOPOD_ERROR_WIDTH;
    }
    if (config->key->method->needs_twiddles &&
        !isopod_tfhe_tables_fit(config->tables, config->params)) {
        return ISOPOD_ERROR_TABLES;
    }
    return ISOPOD_OK;
}

/* Checks the sender and the memory. */
static isopod_status check_encryptor(const isopod_tfhe_config *config,
                                     const isopod_encryptor *encryptor, uint32_t coefficients) {
    if (!isopod_sender_is_ready(encryptor->sender)) {
        return ISOPOD_ERROR_SENDER;
    }
    return isopod_workspace_holds(&encryptor->workspace,
                                  isopod_tfhe_workspace_bytes(config, coefficients))
               ? ISOPOD_OK
               : ISOPOD_ERROR_WORKSPACE;
}

ISOPOD_SMALL size_t isopod_tfhe_workspace_bytes(const isopod_tfhe_config *config,
                                                uint32_t coefficients) {
    return config->key->method->workspace_bytes(config, coefficients);
}

/* Checks that the values are whole rows. */
static isopod_status check_columns(const isopod_tfhe_config *config,
                                   const isopod_tfhe_values *values) {
    uint32_t total = 0;
    for (uint32_t r = 0; r < values->count; r++) {
        total += values->runs[r].count;
    }
    return config->columns != 0 && total % config->columns != 0 ? ISOPOD_ERROR_COLUMNS : ISOPOD_OK;
}

/* Takes in the header of the frame with zeros for its nonce. */
ISOPOD_FRAME_APART static void describe(isopod_tag *hedge, const isopod_tfhe *context) {
    uint8_t description[ISOPOD_TFHE_FRAME_HEADER_MOST + 16u];
    isopod_hedge_describe(hedge, description,
                          (size_t)(isopod_tfhe_fields(description, context) - description));
}

/* The hedge covers the header and the packed message. With the schema in the header, messages of
 * equal blocks are one plaintext. */
ISOPOD_FRAME_APART static void take_hedge(uint8_t out[ISOPOD_TAG_BYTES],
                                          const isopod_tfhe *context) {
    const isopod_tfhe_config *config = context->config;
    isopod_tag hedge;
    isopod_hedge_start(&hedge, context->encryptor->sender->key, &context->name);
    describe(&hedge, context);
    if (!config->hedge_without_values) {
        isopod_tag_add(&hedge, (const uint8_t *)config->key->method->blocks(context),
                       (context->coefficients + 3u) / 4u);
    }
    isopod_tag_finish(&hedge);
    isopod_copy(out, hedge.block, ISOPOD_TAG_BYTES);
    isopod_wipe(&hedge, sizeof hedge);
}

ISOPOD_FRAME_APART static isopod_status squeeze_root(isopod_tfhe *context, isopod_noise_key *noise,
                                                     const uint8_t *hedge) {
    const isopod_tfhe_config *config = context->config;
    const isopod_root_name name = {.entropy = context->encryptor->entropy,
                                   .name = &context->name,
                                   .device_key = context->encryptor->sender->key,
                                   .hedge = hedge,
                                   .key_id = isopod_tfhe_key_id(config->key),
                                   .set_id = config->params->set_id,
                                   .suite = config->suite->id,
                                   .wire_kind = config->key->method->wire_kind};
    isopod_root_draft draft;
    isopod_status status = isopod_root_start(&draft, &name);
    if (status == ISOPOD_OK) {
        isopod_keccak_squeeze(&draft.sponge, context->nonce, sizeof context->nonce);
        isopod_keccak_squeeze(&draft.sponge, noise->bytes, sizeof noise->bytes);
        ISOPOD_DECLASSIFY(context->nonce);
    }
    isopod_wipe(&draft, sizeof draft);
    return status;
}

ISOPOD_FRAME_APART static isopod_status take_root(isopod_tfhe *context, isopod_noise_key *noise) {
    uint8_t hedge[ISOPOD_TAG_BYTES];
    if (!isopod_entropy_is_usable(context->encryptor->entropy)) {
        return ISOPOD_ERROR_ENTROPY;
    }
    isopod_status status = isopod_sender_take(context->encryptor->sender, &context->name);
    if (status == ISOPOD_OK) {
        take_hedge(hedge, context);
        status = squeeze_root(context, noise, hedge);
        isopod_wipe(hedge, sizeof hedge);
    }
    return status;
}

static void copy_schema(isopod_tfhe *context, const isopod_tfhe_values *values) {
    context->runs = values->count;
    for (uint32_t r = 0; r < values->count; r++) {
        context->counts[r] = values->runs[r].count;
        context->types[r] = values->runs[r].type;
    }
}

ISOPOD_FRAME_APART static isopod_status encrypt(isopod_tfhe *context,
                                                const isopod_tfhe_values *values) {
    const struct isopod_tfhe_method *method = context->config->key->method;
    isopod_noise_key noise;
    copy_schema(context, values);
    isopod_tfhe_message_pack(method->blocks(context), context->config->params, values);
    isopod_status status = take_root(context, &noise);
    if (status == ISOPOD_OK) {
        method->begin(context, &noise);
        context->stream.state = ISOPOD_PIECES_BEGUN;
    }
    isopod_wipe_stack();
    isopod_wipe(&noise, sizeof noise);
    return status;
}

ISOPOD_SMALL isopod_status isopod_tfhe_begin(isopod_tfhe *context, const isopod_tfhe_config *config,
                                             const isopod_encryptor *encryptor,
                                             const isopod_tfhe_values *values) {
    uint32_t coefficients = 0;
    isopod_wipe(context, sizeof *context);
    isopod_status status = check_config(config);
    if (status == ISOPOD_OK) {
        status = isopod_tfhe_message_check(config->params, values, &coefficients);
    }
    if (status == ISOPOD_OK) {
        status = check_columns(config, values);
    }
    if (status == ISOPOD_OK) {
        status = check_encryptor(config, encryptor, coefficients);
    }
    if (status == ISOPOD_OK) {
        context->config = config;
        context->encryptor = encryptor;
        context->coefficients = (uint16_t)coefficients;
        status = encrypt(context, values);
    }
    if (status == ISOPOD_OK) {
        isopod_workspace_own(&encryptor->workspace, context->nonce);
    } else {
        isopod_workspace_wipe(&encryptor->workspace, encryptor->workspace.bytes);
        isopod_wipe(context, sizeof *context);
    }
    return status;
}

static isopod_status next_piece(isopod_tfhe *context) {
    const struct isopod_tfhe_method *method = context->config->key->method;
    if (++context->component == method->components) {
        isopod_tfhe_abort(context);
        context->stream.state = ISOPOD_PIECES_DONE;
        return ISOPOD_DONE;
    }
    method->second(context);
    isopod_wipe_stack();
    return ISOPOD_OK;
}

static uint32_t is_owner(const isopod_tfhe *context) {
    return isopod_workspace_is_owned(&context->encryptor->workspace, context->nonce);
}

ISOPOD_SMALL isopod_status isopod_tfhe_next(isopod_tfhe *context, uint8_t *out, size_t capacity,
                                            size_t *length) {
    *length = 0;
    isopod_status status = isopod_piece_stream_check(&context->stream, capacity);
    if (status == ISOPOD_OK && !is_owner(context)) {
        isopod_tfhe_abort(context);
        return ISOPOD_ERROR_STATE;
    }
    if (status == ISOPOD_OK && context->stream.pending == 0) {
        status = next_piece(context);
    }
    if (status == ISOPOD_OK) {
        *length = isopod_piece_stream_take(&context->stream, out, capacity);
    }
    return status;
}

ISOPOD_SMALL size_t isopod_tfhe_bytes(const isopod_tfhe *context) {
    const isopod_tfhe_config *config = context->config;
    if (config == NULL) {
        return 0;
    }
    size_t mask =
        config->key->method->components == 2
            ? (size_t)isopod_tfhe_degree(config->params) * isopod_tfhe_word_bytes(config->params)
            : 0;
    return mask + (size_t)context->coefficients * isopod_tfhe_width(config);
}

ISOPOD_SMALL void isopod_tfhe_abort(isopod_tfhe *context) {
    const isopod_tfhe_config *config = context->config;
    if (config != NULL && is_owner(context)) {
        isopod_workspace_wipe(&context->encryptor->workspace,
                              isopod_tfhe_workspace_bytes(config, context->coefficients));
    }
    isopod_wipe(context, sizeof *context);
}
