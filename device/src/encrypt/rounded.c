/* Encryption into rounded coefficients (spec/coefficients.md) as a pull interface. begin checks and
 * takes the root. The first piece of a polynomial waits for its transforms. Then message and noise
 * are added to one block of coefficients at a time. It knows no scheme and no kind of key. */
#include "rounded.h"

#include "../backend/backend.h"
#include "../base/constant_time.h"
#include "../base/memory.h"
#include "../base/parameters.h"
#include "../base/piece_stream.h"
#include "../base/workspace.h"
#include "../random/noise.h"
#include "../random/sample.h"
#include "../ring/inverse_ntt.h"
#include "../ring/power.h"
#include "engine.h"
#include "value_source.h"

#define BLOCK ISOPOD_ROUNDED_BLOCK
#define ASKED_BYTES 96u /* of a callback's values that are checked at once */
#define GROUP ISOPOD_MASK_GROUP

_Static_assert(sizeof(isopod_rounded_state) <= ISOPOD_ROUNDED_STATE_BYTES, "the state fits");
_Static_assert(ISOPOD_ROUNDED_STATE_BYTES % 8u == 0, "polynomials are aligned");

/*@ requires \valid_read(context) && \valid_read(context->encryption.config);
    assigns \nothing;
    ensures \result == context->encryption.config->rounding; */
static const isopod_rounding *rounding_of(const isopod_rounded *context) {
    return context->encryption.config->rounding;
}

static const struct isopod_rounded_scheme *scheme_of(const isopod_rounded *context) {
    return (const struct isopod_rounded_scheme *)(const void *)context->encryption.scheme;
}

uint32_t isopod_rounded_columns(const isopod_rounded *context) {
    uint32_t columns = rounding_of(context)->columns;
    return columns != 0 ? columns : context->source.values.count;
}

uint32_t isopod_rounded_stride(const isopod_rounded *context) {
    uint32_t stride = context->encryption.config->stride;
    return stride != 0 ? stride : isopod_rounded_columns(context);
}

uint32_t isopod_rounded_run(const isopod_rounded *context) {
    uint32_t run = rounding_of(context)->run;
    return run != 0 ? run : isopod_rounded_columns(context);
}

static uint32_t rows_of(const isopod_rounded *context) {
    return context->source.values.count / isopod_rounded_columns(context);
}

static uint32_t primes_of(const isopod_rounded *context) {
    return isopod_encryption_level(context->encryption.config);
}

uint32_t isopod_rounded_reach(const isopod_rounded *context) {
    if (context->encryption.component != 0) {
        return isopod_encryption_ring_degree(context->encryption.config);
    }
    return (rows_of(context) - 1u) * isopod_rounded_stride(context) + isopod_rounded_run(context);
}

uint64_t isopod_rounded_modulus(const isopod_encryption_config *config) {
    return isopod_parameters_product(config->params, isopod_encryption_level(config));
}

uint32_t isopod_rounded_modulus_bits(const isopod_encryption_config *config) {
    return isopod_parameters_product_bits(config->params, isopod_encryption_level(config));
}

uint32_t isopod_rounded_kept_bits(const isopod_rounded *context, uint32_t component) {
    return isopod_rounded_modulus_bits(context->encryption.config) -
           rounding_of(context)->dropped[component];
}

/*@ requires count * bits <= 0xfffffff8;
    assigns \nothing;
    ensures 8 * \result >= count * bits;
    ensures 8 * \result < count * bits + 8; */
static uint32_t packed_bytes(uint32_t count, uint32_t bits) {
    return (count * bits + 7u) / 8u;
}

/*@ requires \valid_read(context) && \valid_read(context->encryption.config);
    assigns \nothing;
    ensures \result == context->encryption.config->linear_key; */
static const isopod_linear_key *linear_key_of(const isopod_rounded *context) {
    return context->encryption.config->linear_key;
}

static uint32_t bytes_of(const isopod_rounded *context) {
    uint32_t n = isopod_encryption_ring_degree(context->encryption.config);
    uint32_t bytes = isopod_linear_bytes(linear_key_of(context));
    bytes += packed_bytes(rows_of(context) * isopod_rounded_run(context),
                          isopod_rounded_kept_bits(context, 0));
    return rounding_of(context)->method->components == 2
               ? bytes + packed_bytes(n, isopod_rounded_kept_bits(context, 1))
               : bytes;
}

/*@ assigns \nothing;
    ensures \result == \min(a, b); */
static uint32_t smaller(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

static isopod_status check_dropped(const isopod_encryption_config *config) {
    const isopod_rounding *rounding = config->rounding;
    uint32_t most = smaller(isopod_rounded_modulus_bits(config) - 1u, ISOPOD_ROUNDED_DROPPED);
    if (rounding->method->components == 1 && rounding->dropped[1] != 0) {
        return ISOPOD_ERROR_ROUNDING;
    }
    return rounding->dropped[0] > most || rounding->dropped[1] > most ? ISOPOD_ERROR_ROUNDING
                                                                      : ISOPOD_OK;
}

/* Checks the members that only this layout has, or that other layouts use in another way. */
static isopod_status check_rounding(const isopod_encryption_config *config) {
    const isopod_rounding *rounding = config->rounding;
    if (config->layout != ISOPOD_COEFFICIENTS_ROUNDED) {
        return ISOPOD_ERROR_LAYOUT;
    }
    if (rounding == NULL || rounding->method == NULL || config->fault_check != NULL) {
        return ISOPOD_ERROR_ROUNDING;
    }
    uint32_t kind = config->key->kind, first = rounding->method->first_kind;
    if (kind != first && kind != first + 1u) {
        return ISOPOD_ERROR_KEY_KIND;
    }
    if (isopod_parameters_has_primes64(config->params) ||
        isopod_encryption_level(config) > ISOPOD_ROUNDED_PRIMES) {
        return ISOPOD_ERROR_LEVEL;
    }
    return check_dropped(config);
}

static size_t workspace_bytes(const isopod_rounded *context) {
    return rounding_of(context)->method->workspace_bytes(context->encryption.config);
}

static isopod_status check_workspace(const isopod_rounded *context) {
    return isopod_workspace_holds(&context->encryption.encryptor->workspace,
                                  workspace_bytes(context))
               ? ISOPOD_OK
               : ISOPOD_ERROR_WORKSPACE;
}

/* Checks that rows are whole and end within the ring; sets the count for the frame's header. */
static isopod_status check_rows(isopod_rounded *context) {
    uint32_t values = context->source.values.count, columns = isopod_rounded_columns(context);
    uint32_t n = isopod_encryption_ring_degree(context->encryption.config);
    uint32_t stride = isopod_rounded_stride(context), run = isopod_rounded_run(context);
    if (values == 0 || values > n || values % columns != 0) {
        return ISOPOD_ERROR_COUNT;
    }
    if (columns > run || run > stride || stride > n || (rows_of(context) - 1u) * stride + run > n) {
        return ISOPOD_ERROR_STRIDE;
    }
    context->encryption.count = (rows_of(context) - 1u) * stride + columns;
    uint32_t last = isopod_encryption_buckets(&context->encryption) - 1u;
    return (last & (last + 1u)) != 0 || (columns & last) != 0 ? ISOPOD_ERROR_BUCKETS : ISOPOD_OK;
}

static isopod_status check_config(isopod_rounded *context) {
    const isopod_encryption_config *config = context->encryption.config;
    isopod_status status = isopod_encryption_check_parts(&context->encryption);
    if (status == ISOPOD_OK) {
        status = check_rounding(config);
    }
    if (status == ISOPOD_OK) {
        status = scheme_of(context)->scheme.check(config);
    }
    if (status == ISOPOD_OK) {
        status = check_rows(context);
    }
    return status == ISOPOD_OK ? check_workspace(context) : status;
}

/*@ requires 0 <= type <= 6;
    assigns \nothing;
    ensures \result == 0 || \result == 2 || \result == 4 || \result == 8; */
static uint32_t bytes_of_type(isopod_value_type type) {
    static const uint8_t sizes[7] = {0, 4, 8, 4, 8, 4, 2};
    return sizes[type];
}

/* Checks values; `refused` becomes the number of the first that is refused, the first of all being
 * number `first`. */
static isopod_status check_all(isopod_rounded *context, const isopod_values *values,
                               uint32_t first) {
    const struct isopod_rounded_scheme *scheme = scheme_of(context);
    const isopod_encryption_config *config = context->encryption.config;
    int8_t log2_unit = context->source.log2_unit;
    isopod_status status = scheme->check_values(config, log2_unit, values);
    if (status == ISOPOD_ERROR_NOT_FINITE || status == ISOPOD_ERROR_VALUE_RANGE) {
        isopod_values one = {values->data, 1, values->type};
        context->refused = first;
        while ((status = scheme->check_values(config, log2_unit, &one)) == ISOPOD_OK) {
            one.data = (const uint8_t *)one.data + bytes_of_type(one.type);
            context->refused++;
        }
    }
    return status;
}

/* Checks the type of a callback's values. */
static isopod_status check_source(const isopod_rounded *context) {
    static const uint64_t zero = 0;
    const isopod_values one = {&zero, 1, context->source.values.type};
    return !isopod_value_source_is_there(&context->source)
               ? ISOPOD_ERROR_COUNT
               : scheme_of(context)->check_values(context->encryption.config,
                                                  context->source.log2_unit, &one);
}

static isopod_status check_values(isopod_rounded *context) {
    const isopod_values *values = &context->source.values;
    const isopod_linear_key *key = linear_key_of(context);
    const isopod_status status = key != NULL ? key->method->check(values) : ISOPOD_OK;
    if (status != ISOPOD_OK) {
        return status;
    }
    return values->data == NULL ? check_source(context) : check_all(context, values, 0);
}

/* Sets the constants of the modulus. */
static void set_modulus(const isopod_rounded *context) {
    const isopod_encryption_config *config = context->encryption.config;
    const isopod_prime *primes = config->params->primes;
    isopod_rounded_state *state = isopod_rounded_state_of(context);
    state->modulus = isopod_rounded_modulus(config);
    if (config->params->plain != NULL) {
        state->factor = state->modulus / config->params->plain->modulus;
        state->remainder = (uint32_t)(state->modulus % config->params->plain->modulus);
    }
    if (primes_of(context) == 2) {
        isopod_word first = isopod_to_montgomery(primes[0].modulus, &primes[1]);
        first = isopod_montgomery_power(first, primes[1].modulus - 2u, &primes[1]);
        state->inverse = isopod_centred(first, &primes[1]);
    }
}

isopod_part_shape isopod_rounded_shape(const isopod_encryption *encryption) {
    const isopod_rounded *context = (const isopod_rounded *)(const void *)encryption;
    const uint8_t *dropped = rounding_of(context)->dropped;
    const isopod_part_shape shape = {
        .interleave = 1,
        .stride = isopod_rounded_stride(context),
        .rounding = {isopod_rounded_run(context), dropped[0], dropped[1]},
        .bytes = context->bytes};
    return shape;
}

static isopod_status prepare_in_software(isopod_rounded *context) {
    isopod_rounded_state *state = isopod_rounded_state_of(context);
    isopod_wipe(state, sizeof *state);
    isopod_status status = isopod_root_take(&context->encryption, &state->key,
                                            &context->source.values, context->source.log2_unit);
    if (status == ISOPOD_OK) {
        set_modulus(context);
        if (rounding_of(context)->method->sample != NULL) {
            rounding_of(context)->method->sample(context);
        }
    }
    isopod_encryption_wipe_stack(context->encryption.config);
    return status;
}

/* Tries the engine first, which makes no linear tags. Software encrypts if the engine does not take
 * the encryption or fails. */
static isopod_status prepare(isopod_rounded *context) {
    isopod_status status = ISOPOD_ERROR_FAULT;
    if (linear_key_of(context) == NULL && isopod_engine_takes_rounded(context)) {
        status = isopod_engine_begin_rounded(context);
        context->encryption.is_in_engine = status != ISOPOD_ERROR_FAULT;
    }
    if (!context->encryption.is_in_engine) {
        status = prepare_in_software(context);
    }
    context->encryption.stream.state = ISOPOD_PIECES_BEGUN;
    return status;
}

/* Wipes after an error; the number of a refused value stays. */
ISOPOD_SMALL static void give_up(isopod_rounded *context, const isopod_encryptor *encryptor) {
    uint32_t refused = context->refused;
    isopod_wipe(context, sizeof *context);
    context->refused = refused;
    isopod_workspace_wipe(&encryptor->workspace, encryptor->workspace.bytes);
}

ISOPOD_SMALL isopod_status isopod_rounded_begin(isopod_rounded *context,
                                                const isopod_encryption_config *config,
                                                const isopod_encryptor *encryptor,
                                                const isopod_value_source *source,
                                                const struct isopod_rounded_scheme *scheme) {
    isopod_wipe(context, sizeof *context);
    context->encryption.config = config;
    context->encryption.encryptor = encryptor;
    context->encryption.scheme = &scheme->scheme;
    context->source = *source;
    isopod_status status = check_config(context);
    if (status == ISOPOD_OK) {
        status = check_values(context);
    }
    if (status == ISOPOD_OK) {
        context->bytes = bytes_of(context);
        status = prepare(context);
    }
    if (status == ISOPOD_OK) {
        isopod_workspace_own(&encryptor->workspace, context->encryption.nonce);
    } else {
        give_up(context, encryptor);
    }
    return status;
}

#if ISOPOD_PORTABLE(ROUNDED_MASK)
void isopod_rounded_multiply_mask(isopod_word *x, isopod_mask *mask, const isopod_residue *key,
                                  const isopod_ntt *ntt) {
    isopod_residue group[GROUP];
    for (uint32_t i = 0; i < ntt->length; i += GROUP) {
        isopod_mask_group(mask, group);
        isopod_rounded_multiply(x + i, (const isopod_word *)group, key + i, GROUP, ntt->prime);
    }
}
#endif

/* Starts a polynomial: computes its products, transforms them back, and starts its noise. */
ISOPOD_FRAME_APART static void compute(isopod_rounded *context) {
    isopod_encryption *encryption = &context->encryption;
    isopod_rounded_state *state = isopod_rounded_state_of(context);
    const isopod_stream_name name = {
        encryption->component == 0 ? ISOPOD_DOMAIN_ERROR0 : ISOPOD_DOMAIN_ERROR1, 0};
    for (encryption->prime = 0; encryption->prime < primes_of(context); encryption->prime++) {
        isopod_ntt ntt = isopod_ntt_of(encryption->config->params, encryption->config->tables,
                                       encryption->prime);
        isopod_word *x = isopod_rounded_polynomial(context, encryption->prime);
        rounding_of(context)->method->product(context, x, &ntt);
        isopod_inverse_ntt(x, &ntt, isopod_inverse_ntt_factor(&ntt));
    }
    isopod_stream_start(&state->noise, encryption->config->suite, state->key.bytes, name);
    state->sampled = 0;
    state->dropped = rounding_of(context)->dropped[encryption->component];
    state->kept = isopod_rounded_kept_bits(context, encryption->component);
}

/* Samples the errors of the block. */
static void sample(const isopod_rounded *context) {
    isopod_rounded_state *state = isopod_rounded_state_of(context);
    if (state->sampled != context->place) {
        isopod_stream_seek(&state->noise, context->place / 32u * 42u);
    }
    isopod_sample_error(state->error, BLOCK, &state->noise);
    state->sampled = context->place + BLOCK;
}

/* The number of the value in this coefficient. */
static uint32_t number_at(const isopod_rounded *context, uint32_t place) {
    uint32_t stride = isopod_rounded_stride(context);
    return place / stride * isopod_rounded_columns(context) + place % stride;
}

/* Adds values to the linear tag, if there is one. */
static void tag_values(const isopod_rounded *context, const void *data, uint32_t first,
                       uint32_t count) {
    const isopod_linear_key *key = linear_key_of(context);
    if (key != NULL) {
        key->method->add(context, data, first, count);
    }
}

/* Computes the messages of at most ASKED_BYTES of values that a callback gives, and checks them.
 * They are wiped with the stack. */
static ISOPOD_NOINLINE isopod_status ask(isopod_rounded *context, uint32_t first, uint32_t count,
                                         int64_t *out) {
    uint64_t room[ASKED_BYTES / 8];
    const isopod_values values = {room, count, context->source.values.type};
    isopod_value_source_ask(&context->source, first, count, bytes_of_type(values.type), room);
    isopod_status status = check_all(context, &values, first);
    if (status == ISOPOD_OK) {
        tag_values(context, room, first, count);
        scheme_of(context)->messages(context, &values, 0, count, out);
    }
    return status;
}

/* Computes the messages of `count` values from number `first` on. */
static isopod_status messages(isopod_rounded *context, uint32_t first, uint32_t count,
                              int64_t *out) {
    const isopod_values *values = &context->source.values;
    isopod_status status = ISOPOD_OK;
    if (values->data != NULL) {
        scheme_of(context)->messages(context, values, first, count, out);
        return ISOPOD_OK;
    }
    const uint32_t most = ASKED_BYTES / bytes_of_type(values->type);
    for (uint32_t i = 0; i < count && status == ISOPOD_OK; i += most) {
        status = ask(context, first + i, smaller(most, count - i), out + i);
    }
    return status;
}

/* Appends coefficients that encrypt values. */
static isopod_status put_values(isopod_rounded *context, isopod_rounded_piece *piece) {
    const isopod_values *values = &context->source.values;
    uint32_t first = number_at(context, context->place + piece->first);
    isopod_status status = ISOPOD_OK;
    if (values->data != NULL) {
        tag_values(context, values->data, first, piece->count);
    }
    uint32_t has_factor = values->data != NULL && scheme_of(context)->factor != NULL;
    piece->factor = has_factor ? scheme_of(context)->factor(context) : 0;
    if (piece->factor != 0) {
        piece->numbers = (const int16_t *)values->data + first;
    } else {
        status = messages(context, first, piece->count, piece->message);
    }
    if (status == ISOPOD_OK) {
        isopod_rounded_put(context, piece);
    }
    return status;
}

/* Appends coefficients without message. */
static void put_zeros(const isopod_rounded *context, const isopod_rounded_piece *piece) {
    isopod_wipe(piece->message, sizeof *piece->message * piece->count);
    isopod_rounded_put(context, piece);
}

/* Appends the coefficients of c0 that are sent, row by row: values, then zeros. Rows without gaps
 * count as one row. */
static isopod_status put_rows(isopod_rounded *context, int64_t *message, uint32_t count) {
    const uint32_t stride = isopod_rounded_stride(context), run = isopod_rounded_run(context);
    const uint32_t columns = isopod_rounded_columns(context), is_one = columns == stride;
    isopod_status status = ISOPOD_OK;
    for (uint32_t at = 0; at < count && status == ISOPOD_OK;) {
        uint32_t column = (context->place + at) % stride;
        uint32_t end = is_one             ? UINT32_MAX
                       : column < columns ? columns
                       : column < run     ? run
                                          : stride;
        isopod_rounded_piece piece = {
            .message = message, .first = at, .count = smaller(end - column, count - at)};
        if (column < columns) {
            status = put_values(context, &piece);
        } else if (column < run) {
            put_zeros(context, &piece);
        }
        at += piece.count;
    }
    return status;
}

static ISOPOD_NOINLINE isopod_status put_block(isopod_rounded *context, uint32_t count) {
    int64_t message[BLOCK];
    const isopod_rounded_piece whole = {.message = message, .count = count};
    if (context->encryption.component == 0) {
        return put_rows(context, message, count);
    }
    put_zeros(context, &whole);
    return ISOPOD_OK;
}

/* Whether a coefficient of the block is sent. */
static uint32_t is_sent(const isopod_rounded *context) {
    uint32_t stride = isopod_rounded_stride(context), column = context->place % stride;
    return context->encryption.component != 0 || column < isopod_rounded_run(context) ||
           column + BLOCK > stride;
}

/* Computes the next block, or skips it. The last block fills the polynomial's last byte. */
static isopod_status next_block(isopod_rounded *context) {
    uint32_t left = isopod_rounded_reach(context) - context->place;
    isopod_rounded_state *state = isopod_rounded_state_of(context);
    isopod_status status = ISOPOD_OK;
    if (context->place == 0) {
        compute(context);
    }
    if (is_sent(context)) {
        sample(context);
        status = put_block(context, smaller(left, BLOCK));
    }
    context->place += BLOCK;
    if (left <= BLOCK) {
        isopod_rounded_put_end(state);
        context->place = 0;
        context->encryption.component++;
    }
    isopod_encryption_wipe_stack(context->encryption.config);
    return status;
}

/* Behind the last coefficient comes the linear tag, if there is one. */
static isopod_status finish(isopod_rounded *context) {
    const isopod_linear_key *key = linear_key_of(context);
    if (key == NULL || context->encryption.component > rounding_of(context)->method->components) {
        return ISOPOD_DONE;
    }
    key->method->finish(context);
    isopod_encryption_wipe_stack(context->encryption.config);
    return ISOPOD_OK;
}

/* Computes the next piece of output. */
static isopod_status next_piece(isopod_rounded *context) {
    isopod_rounded_state *state = isopod_rounded_state_of(context);
    isopod_status status = ISOPOD_OK;
    state->length = 0;
    while (state->length == 0 && status == ISOPOD_OK) {
        status = context->encryption.component < rounding_of(context)->method->components
                     ? next_block(context)
                     : finish(context);
    }
    isopod_piece_stream_give(&context->encryption.stream, state->piece, state->length);
    return status;
}

ISOPOD_FRAME_APART static isopod_status refill(isopod_rounded *context) {
    isopod_status status = context->encryption.is_in_engine ? isopod_engine_next_rounded(context)
                                                            : next_piece(context);
    if (status != ISOPOD_OK) {
        uint32_t refused = status == ISOPOD_DONE ? 0 : context->refused;
        isopod_rounded_abort(context);
        context->refused = refused;
        context->encryption.stream.state =
            status == ISOPOD_DONE ? ISOPOD_PIECES_DONE : ISOPOD_PIECES_IDLE;
    }
    return status;
}

static uint32_t is_owner(const isopod_rounded *context) {
    return isopod_workspace_is_owned(&context->encryption.encryptor->workspace,
                                     context->encryption.nonce);
}

ISOPOD_SMALL isopod_status isopod_rounded_next(isopod_rounded *context, uint8_t *out,
                                               size_t capacity, size_t *length) {
    isopod_piece_stream *stream = &context->encryption.stream;
    *length = 0;
    isopod_status status = isopod_piece_stream_check(stream, capacity);
    if (status == ISOPOD_OK && !is_owner(context)) {
        isopod_rounded_abort(context);
        return ISOPOD_ERROR_STATE;
    }
    if (status == ISOPOD_OK && stream->pending == 0) {
        status = refill(context);
    }
    if (status == ISOPOD_OK) {
        *length = isopod_piece_stream_take(stream, out, capacity);
    }
    return status;
}

ISOPOD_SMALL void isopod_rounded_abort(isopod_rounded *context) {
    if (context->encryption.config != NULL) {
        isopod_engine_abort_rounded(context);
    }
    if (context->encryption.config != NULL && is_owner(context)) {
        isopod_workspace_wipe(&context->encryption.encryptor->workspace, workspace_bytes(context));
    }
    isopod_wipe(context, sizeof *context);
}
