/* Encryption by the engine of rtl/ (encrypt/engine.h): the encryptions that it supports, its keys
 * and descriptors, and the transfer of packed residues to the caller. While the engine computes,
 * the workspace holds only ciphertext and, for 64-bit or repeated values, the samples. */
#include "../backend.h"
#ifdef ISOPOD_ACCEL_BASE

#include "../../encrypt/engine.h"

#include "../../base/memory.h"
#include "../../base/workspace.h"
#include "../../encode/encoder.h"
#include "../../base/parameters.h"
#include "../../encrypt/method.h"
#include "../../keys/blob.h"
#include "../../encode/values.h"
#include "../../ring/inverse_ntt.h"
#include "driver.h"
#include "engine_accel.h"

enum { ENCRYPT_SECRET = 1, ENCRYPT_PUBLIC = 2 };
enum { SAMPLE_FIXED = 0, SAMPLE_INTEGER = 1, SAMPLE_FLOAT = 2 };

/* Values of context->chunk, which tells with the engine how bytes have left so far. */
enum { NOTHING_YET = 0, STRAIGHT = 1, BOUNCED = 2 };

/* Size of the buffer at the start of the workspace, for callers without room or alignment. */
#define BOUNCE_BYTES 1024u

/* Bytes of a nonce before the number of the frame. */
#define NONCE_OF_SOFTWARE 12u

#define DESCRIPTOR_WORDS 32u
#define DESCRIPTOR_ROOTS 16u

static uint32_t ring_degree(const isopod_encryption *context) {
    return isopod_encryption_ring_degree(context->config);
}

uint8_t isopod_accel_is_public(const isopod_encryption *context) {
    return context->config->key->method->components == 2;
}

const uint32_t *isopod_accel_payload(const isopod_encryption *context) {
    const isopod_key *key = context->config->key;
    return key->blob + ISOPOD_KEY_HEADER_BYTES / 4 + isopod_blob_head_words(key->params, key->kind);
}

static uint8_t is_complex(const isopod_encryption_config *config) {
    return config->layout == ISOPOD_COMPLEX || config->layout == ISOPOD_COMPLEX_REPEATED;
}

static uint8_t is_repeated(const isopod_encryption_config *config) {
    return config->layout == ISOPOD_SLOTS_REPEATED || config->layout == ISOPOD_COMPLEX_REPEATED;
}

/* ---- supported encryptions ---- */

static uint8_t takes_key(const isopod_encryption *context, uint32_t capability) {
    const isopod_encryption_config *config = context->config;
    uint32_t ntt = capability & ISOPOD_CAPABILITY_SECRET_NTT_MASK;
    switch (config->key->kind) {
    case ISOPOD_KEY_PUBLIC:
        return config->chunks <= 1;
    case ISOPOD_KEY_SECRET_TERNARY:
        return ISOPOD_ACCEL_SLOT && ntt == 0;
    case ISOPOD_KEY_SECRET_NTT:
        return ISOPOD_ACCEL_SLOT && ntt != 0 &&
               config->params->prime_count * ring_degree(context) <=
                   isopod_accel_read(ISOPOD_KEY_WORDS);
    default:
        return 0;
    }
}

/* Whether q = 2^bits - c 2^13 + 1 with c < 2^12, the form by which wide engines reduce. */
static uint8_t has_wide_form(uint64_t modulus, uint32_t bits) {
    uint64_t excess = ((uint64_t)1 << bits) + 1u - modulus;
    return bits >= 36 && excess % 8192u == 0 && excess >> 25 == 0;
}

static uint8_t takes_prime(const isopod_params *params, uint32_t index, uint32_t capability) {
    uint32_t bits = isopod_parameters_bits(params, index);
    if (!isopod_parameters_has_primes64(params)) {
        return bits >= 26;
    }
    return bits <= ISOPOD_ACCEL_FIELD(capability, ISOPOD_CAPABILITY_MODULUS_BITS) &&
           has_wide_form(isopod_parameters_modulus(params, index), bits);
}

/* Whether the set is of the engine's word size and degrees, with primes that it takes. */
static uint8_t takes_set(const isopod_params *params, uint32_t capability) {
    uint32_t wide = ISOPOD_ACCEL_FIELD(capability, ISOPOD_CAPABILITY_WIDE);
    if (isopod_parameters_has_primes64(params) != wide ||
        params->log2_ring_degree > ISOPOD_ACCEL_FIELD(capability, ISOPOD_CAPABILITY_MAX_LOG_N) ||
        params->log2_ring_degree < 10) {
        return 0;
    }
    for (uint32_t j = 0; j < params->prime_count; j++) {
        if (!takes_prime(params, j, capability)) {
            return 0;
        }
    }
    return params->prime_count <= 16;
}

static uint8_t takes_suite(uint32_t suite, uint32_t capability) {
    return (suite == 1 && (capability & ISOPOD_CAPABILITY_CHACHA20_MASK) != 0) ||
           (suite == 2 && (capability & ISOPOD_CAPABILITY_SHAKE256_MASK) != 0);
}

/* The engine encodes before it has a seed, so it has no dither: it takes the encoders that round to
 * nearest. */
static uint8_t takes_encoder(const isopod_encryption_config *config) {
    return config->encoder != NULL && !config->encoder->is_dithered;
}

static uint8_t takes_layout(const isopod_encryption_config *config, uint32_t capability) {
    return config->layout <= ISOPOD_COMPLEX_REPEATED && takes_encoder(config) &&
           (!is_complex(config) || (capability & ISOPOD_CAPABILITY_COMPLEX_MASK) != 0);
}

/* Integers with a bound below one are all zero, which the engine cannot represent. */
static uint8_t takes_values(const isopod_encryption_config *config, const isopod_values *values) {
    return values->type == ISOPOD_VALUES_FLOAT32 || values->type == ISOPOD_VALUES_FLOAT64 ||
           (values->type == ISOPOD_VALUES_INT32 && config->log2_bound >= 0);
}

/* Leaves another context's encryption running; ends an unfinished one of this context. */
static uint8_t is_free(const isopod_encryption *context) {
    uint32_t status = isopod_accel_read(ISOPOD_STATUS);
    if ((status & ISOPOD_STATUS_BUSY_MASK) != 0 &&
        isopod_accel_read(ISOPOD_OWNER) != (uint32_t)(uintptr_t)context) {
        return 0;
    }
    if ((status & (ISOPOD_STATUS_BUSY_MASK | ISOPOD_STATUS_ERROR_MASK |
                   ISOPOD_STATUS_BUS_ERROR_MASK)) != 0) {
        isopod_accel_recover();
    }
    return 1;
}

/* The identity of a stored key: the blob's key_id, which belongs to one set, and its kind. */
static uint32_t key_word(const isopod_encryption *context, uint32_t i) {
    const isopod_key *key = context->config->key;
    return key->blob[ISOPOD_KEY_WORD_KEY_ID + i] ^ (i == 0 ? (uint32_t)key->kind : 0);
}

static uint8_t holds_key(const isopod_encryption *context) {
    uint32_t difference = 0;
    for (uint32_t i = 0; i < ISOPOD_KEY_ID_COUNT; i++) {
        difference |= isopod_accel_read(ISOPOD_KEY_ID + 4 * i) ^ key_word(context, i);
    }
    return difference == 0;
}

/* Whether the engine holds the key, or takes another. */
static uint8_t has_or_takes_key(const isopod_encryption *context) {
    return (isopod_accel_read(ISOPOD_KEY_LOCK) & ISOPOD_KEY_LOCK_KEY_MASK) == 0 ||
           holds_key(context);
}

uint8_t isopod_accel_takes(const isopod_encryption *context, uint32_t capability) {
    const isopod_encryption_config *config = context->config;
    return isopod_accel_read(ISOPOD_ID) == ISOPOD_ID_VALUE && config->fault_check == NULL &&
           config->tables->coarse == NULL && takes_suite(config->suite->id, capability) &&
           takes_set(config->params, capability) && takes_key(context, capability) &&
           has_or_takes_key(context) && is_free(context);
}

uint8_t isopod_engine_takes(const isopod_encryption *context, const isopod_values *values) {
    const isopod_encryption_config *config = context->config;
    uint32_t capability = isopod_accel_read(ISOPOD_CAPABILITY);
    return config->params->plain == NULL && takes_layout(config, capability) &&
           context->scheme->message(config).word_bytes == 4 && takes_values(config, values) &&
           isopod_accel_takes(context, capability);
}

/* ---- keys and descriptors, which stay from one encryption to the next ---- */

/* A twiddle of the tables, which are public, in 0 .. q-1. */
static uint64_t twiddle(const isopod_encryption_config *config, uint8_t prime, uint32_t index) {
    const isopod_tables *tables = config->tables;
    int64_t value = isopod_parameters_has_primes64(config->params)
                        ? tables->twiddles64[prime][index]
                        : tables->twiddles[prime][index];
    return (uint64_t)value + (value < 0 ? isopod_parameters_modulus(config->params, prime) : 0);
}

/* Words of 64 bits are two writes, the low half first. */
static void write_descriptor(const isopod_params *params, uint32_t place, uint64_t word) {
    uint32_t at = ISOPOD_PRIME + 4u * place;
    isopod_accel_write(at, (uint32_t)word);
    if (isopod_parameters_has_primes64(params)) {
        isopod_accel_write(at, (uint32_t)(word >> 32));
    }
}

/* 1 / n modulo a 32-bit prime, for the engines that send coefficients. */
static uint32_t inverse_degree(const isopod_encryption_config *config, uint8_t prime) {
    const isopod_ntt ntt = isopod_ntt_of(config->params, config->tables, prime);
    const isopod_word factor = isopod_inverse_ntt_factor(&ntt);
    return (uint32_t)factor + (factor < 0 ? ntt.prime->modulus : 0);
}

/* Twiddle 0 is 1, twiddle 2^i is psi^(n / 2^(i+1)). */
static void describe(const isopod_encryption_config *config, uint8_t prime) {
    const isopod_params *params = config->params;
    uint32_t place = DESCRIPTOR_WORDS * prime;
    write_descriptor(params, place, isopod_parameters_modulus(params, prime));
    write_descriptor(params, place + 1, twiddle(config, prime, 0));
    if (!isopod_parameters_has_primes64(params)) {
        write_descriptor(params, place + 2, inverse_degree(config, prime));
    }
    for (uint32_t i = 0; i < params->log2_ring_degree; i++) {
        write_descriptor(params, place + DESCRIPTOR_ROOTS + i,
                         twiddle(config, prime, UINT32_C(1) << i));
    }
}

_Static_assert(offsetof(isopod_encryption, mask_seed) % 4 == 0 &&
                   offsetof(isopod_encryption, nonce) % 4 == 0,
               "seeds and nonce go to the engine in words");

/* The slot makes its roots from a secret that is fresh for every load, so none is used twice. */
static isopod_status load_secret(const isopod_encryption *context) {
    const isopod_key *key = context->config->key;
    _Alignas(4) uint8_t secret[ISOPOD_ENTROPY_BYTES];
    isopod_status status = isopod_root_take_entropy(context->encryptor->entropy, secret);
    if (status == ISOPOD_OK &&
        !isopod_accel_load_slot((const void *)secret, key->blob,
                                key->blob[ISOPOD_KEY_WORD_PAYLOAD_BYTES] / 4)) {
        status = ISOPOD_ERROR_FAULT;
    }
    isopod_wipe(secret, sizeof secret);
    return status;
}

/* Loads descriptors first, because writing one makes the slot forget its key. */
isopod_status isopod_accel_load_key(const isopod_encryption *context) {
    if (holds_key(context)) {
        return ISOPOD_OK;
    }
    for (uint8_t j = 0; j < context->config->params->prime_count; j++) {
        describe(context->config, j);
    }
    isopod_status status = isopod_accel_is_public(context) ? ISOPOD_OK : load_secret(context);
    for (uint32_t i = 0; status == ISOPOD_OK && i < ISOPOD_KEY_ID_COUNT; i++) {
        isopod_accel_write(ISOPOD_KEY_ID + 4 * i, key_word(context, i));
    }
    return status;
}

/* ---- samples ---- */

/* Number of slots given to the engine; all others are zero. */
static uint32_t given_slots(const isopod_encryption *context) {
    return is_repeated(context->config) ? ring_degree(context) / 2 : context->count;
}

static uint32_t sample_count(const isopod_encryption *context) {
    return given_slots(context) << is_complex(context->config);
}

/* Whether samples are converted to words in the workspace, because the engine takes no samples of
 * 64 bits and repeats none. */
static uint8_t is_converted(const isopod_encryption *context, const isopod_values *values) {
    return values->type == ISOPOD_VALUES_FLOAT64 || is_repeated(context->config);
}

/* Converts checked values to words of 30 fraction bits in the workspace. */
static const void *convert(const isopod_encryption *context, const isopod_values *values) {
    const isopod_encryption_config *config = context->config;
    uint32_t *out = isopod_workspace_room(&context->encryptor->workspace);
    uint32_t numbers = values->count << is_complex(config);
    const uint32_t count = sample_count(context);
    for (uint32_t i = 0; i < numbers; i++) {
        out[i] = (uint32_t)isopod_value_fixed32(values, i, 30 - config->log2_bound);
    }
    for (uint32_t i = numbers; i < count; i++) {
        out[i] = out[i - numbers];
    }
    return out;
}

static uint32_t sample_form(const isopod_encryption *context, const isopod_values *values) {
    if (is_converted(context, values)) {
        return SAMPLE_FIXED;
    }
    return values->type == ISOPOD_VALUES_FLOAT32 ? SAMPLE_FLOAT : SAMPLE_INTEGER;
}

/* ---- begin ---- */

static uint32_t command_of(const isopod_encryption *context, uint32_t sample) {
    const isopod_encryption_config *config = context->config;
    return (isopod_accel_is_public(context) ? ENCRYPT_PUBLIC : ENCRYPT_SECRET)
               << ISOPOD_COMMAND_OPCODE_SHIFT |
           (uint32_t)config->params->log2_ring_degree << ISOPOD_COMMAND_LOG_DEGREE_SHIFT |
           (uint32_t)isopod_encryption_level(config) << ISOPOD_COMMAND_PRIMES_SHIFT |
           (uint32_t)config->suite->id << ISOPOD_COMMAND_SUITE_SHIFT |
           sample << ISOPOD_COMMAND_SAMPLE_SHIFT |
           (uint32_t)(config->key->kind == ISOPOD_KEY_SECRET_NTT)
               << ISOPOD_COMMAND_SECRET_NTT_SHIFT |
           isopod_accel_framed(context, 0) |
           (uint32_t)is_complex(config) << ISOPOD_COMMAND_COMPLEX_SHIFT;
}

static uint32_t encoding_of(const isopod_encryption *context) {
    const isopod_encryption_config *config = context->config;
    uint32_t shift = (uint32_t)(30 - config->log2_scale - config->log2_bound);
    return given_slots(context) << ISOPOD_ENCODING_COUNT_SHIFT |
           shift << ISOPOD_ENCODING_SHIFT_SHIFT |
           ((uint32_t)(int32_t)config->log2_bound << ISOPOD_ENCODING_LOG2_BOUND_SHIFT &
            ISOPOD_ENCODING_LOG2_BOUND_MASK);
}

static void start(const isopod_encryption *context, const isopod_values *values) {
    isopod_accel_operation operation = {command_of(context, sample_form(context, values)),
                                        encoding_of(context),
                                        values->data,
                                        sample_count(context),
                                        isopod_accel_payload(context),
                                        0};
    if (is_converted(context, values)) {
        operation.samples = convert(context, values);
    }
    if (isopod_accel_is_public(context)) {
        operation.public_count =
            2u * isopod_encryption_level(context->config) * ring_degree(context);
    }
    isopod_accel_start(&operation, (uint32_t)(uintptr_t)context);
}

/* Takes no entropy before the engine has read all values, since it may find one out of range. */
static isopod_status wait_samples(const isopod_encryption *context, const isopod_values *values) {
    uint32_t failure = isopod_accel_wait_samples();
    if (is_converted(context, values)) {
        isopod_wipe(isopod_workspace_room(&context->encryptor->workspace),
                    (size_t)4 * sample_count(context));
    }
    if (failure == 0) {
        return ISOPOD_OK;
    }
    isopod_status status = context->scheme->check_values(context->config, values);
    return status != ISOPOD_OK ? status : ISOPOD_ERROR_FAULT;
}

isopod_status isopod_accel_give_seeds(isopod_encryption *context, isopod_root_draft *draft) {
    isopod_noise_key noise;
    isopod_status status = isopod_root_draw(draft);
    if (status == ISOPOD_OK) {
        isopod_root_squeeze(&draft->sponge, context, &noise);
        if (isopod_accel_frames()) {
            isopod_accel_nonce((const void *)context->nonce);
        }
        isopod_accel_seeds((const void *)context->mask_seed,
                           isopod_accel_is_public(context) ? (const void *)noise.bytes : NULL);
        status = isopod_root_confirm(draft);
        if (!isopod_accel_is_public(context)) {
            isopod_accel_slot_seed((void *)context->mask_seed);
        }
        if (isopod_accel_frames()) {
            isopod_store32(context->nonce + NONCE_OF_SOFTWARE, isopod_accel_frame_number());
        }
    }
    isopod_wipe(&noise, sizeof noise);
    return status;
}

isopod_status isopod_engine_begin(isopod_encryption *context, const isopod_values *values) {
    uint8_t hedge[ISOPOD_TAG_BYTES];
    isopod_root_draft draft;
    isopod_status status = ISOPOD_OK;
    if (is_converted(context, values)) {
        status = context->scheme->check_values(context->config, values);
        if (status != ISOPOD_OK) {
            return status;
        }
    }
    status = isopod_accel_load_key(context);
    if (status != ISOPOD_OK) {
        return status;
    }
    status = isopod_root_take_name(context);
    if (status != ISOPOD_OK) {
        return status;
    }
    start(context, values);
    isopod_root_hedge(hedge, context, values, 0);
    const isopod_root_name name = isopod_root_name_of(context, hedge);
    isopod_root_prepare(&draft, &name);
    status = wait_samples(context, values);
    if (status != ISOPOD_OK) {
        isopod_sender_give_back(context->encryptor->sender, &context->name);
    } else {
        status = isopod_accel_give_seeds(context, &draft);
    }
    if (status != ISOPOD_OK) {
        isopod_accel_recover();
    }
    isopod_wipe(&draft, sizeof draft);
    isopod_wipe(hedge, sizeof hedge);
    isopod_wipe_stack();
    return status;
}

/* ---- next ---- */

static uint32_t polynomial_bytes(const isopod_encryption *context) {
    return ring_degree(context) / 8 *
           isopod_parameters_bits(context->config->params, context->prime);
}

/* Begins the next polynomial; non-zero after the last one. context->stream.pending counts its bytes
 * in the engine, context->refill those already at context->stream.piece. */
static uint8_t next_polynomial(isopod_encryption *context) {
    const isopod_encryption_config *config = context->config;
    if (context->chunk == NOTHING_YET) {
        context->chunk = STRAIGHT;
        if (isopod_accel_frames()) {
            isopod_accel_bare();
        }
    } else if (++context->component == config->key->method->components) {
        context->component = 0;
        context->prime++;
    }
    if (context->prime == isopod_encryption_level(config)) {
        return 1;
    }
    context->stream.pending = polynomial_bytes(context);
    return 0;
}

static uint32_t smaller(size_t a, size_t b) {
    return (uint32_t)(a < b ? a : b);
}

/* Moves as many whole beats as are available and fit. */
static isopod_status take(isopod_encryption *context, uint8_t *out, size_t capacity) {
    uint32_t bytes = smaller(capacity, context->stream.pending) & ~7u;
    if (isopod_accel_take(out, bytes / 8) != 0) {
        return ISOPOD_ERROR_FAULT;
    }
    context->stream.pending -= bytes;
    context->refill = bytes;
    context->stream.piece = out;
    return ISOPOD_OK;
}

static isopod_status take_somewhere(isopod_encryption *context, uint8_t *out, size_t capacity) {
    if (capacity >= 8 && ((uintptr_t)out & 7u) == 0) {
        return take(context, out, capacity);
    }
    context->chunk = BOUNCED;
    return take(context, isopod_workspace_room(&context->encryptor->workspace), BOUNCE_BYTES);
}

isopod_status isopod_engine_next(isopod_encryption *context, uint8_t *out, size_t capacity,
                                 size_t *length) {
    if (context->refill == 0) {
        if (context->stream.pending == 0 && next_polynomial(context)) {
            return ISOPOD_DONE;
        }
        isopod_status status = take_somewhere(context, out, capacity);
        if (status != ISOPOD_OK) {
            return status;
        }
    }
    uint32_t bytes = smaller(context->refill, capacity);
    if (context->stream.piece != out) {
        isopod_copy(out, context->stream.piece, bytes);
    }
    context->stream.piece += bytes;
    context->refill -= bytes;
    *length = bytes;
    return ISOPOD_OK;
}

void isopod_engine_abort(isopod_encryption *context) {
    if (isopod_accel_read(ISOPOD_OWNER) == (uint32_t)(uintptr_t)context) {
        isopod_accel_recover();
    }
    if (context->chunk == BOUNCED) {
        isopod_wipe(isopod_workspace_room(&context->encryptor->workspace), BOUNCE_BYTES);
    }
}

#endif
