/* Rounded coefficients by the engine (encrypt/engine.h): those of one prime whose rows leave no
 * gaps in c0. The workspace holds the messages as words while the engine reads them. */
#include "../backend.h"
#ifdef ISOPOD_ACCEL_BASE

#include "../../encrypt/engine.h"

#include "../../base/memory.h"
#include "../../base/piece_stream.h"
#include "../../encrypt/rounded.h"
#include "driver.h"
#include "engine_accel.h"

enum { COEFFICIENTS_SECRET = 11, COEFFICIENTS_PUBLIC = 12 };

/* Bits that the engine drops at most, and coefficients that end with a whole beat. */
#define MOST_DROPPED 15u
#define BLOCK 64u
#define BEAT_BYTES 8u

static uint32_t ring_degree(const isopod_rounded *context) {
    return isopod_encryption_ring_degree(context->encryption.config);
}

static const isopod_rounding *rounding_of(const isopod_rounded *context) {
    return context->encryption.config->rounding;
}

/* Whether all coefficients of c0 up to the last one are sent. */
static uint8_t is_dense(const isopod_rounded *context) {
    uint32_t run = isopod_rounded_run(context);
    return run == isopod_rounded_stride(context) || run == isopod_rounded_reach(context);
}

uint8_t isopod_engine_takes_rounded(const isopod_rounded *context) {
    const isopod_encryption *encryption = &context->encryption;
    const isopod_rounding *rounding = rounding_of(context);
    uint32_t capability = isopod_accel_read(ISOPOD_CAPABILITY);
    return (capability & ISOPOD_CAPABILITY_COEFFICIENTS_MASK) != 0 &&
           context->source.values.data != NULL && is_dense(context) &&
           isopod_encryption_level(encryption->config) == 1 &&
           rounding->dropped[0] <= MOST_DROPPED && rounding->dropped[1] <= MOST_DROPPED &&
           isopod_accel_takes(encryption, capability);
}

static uint32_t smaller(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

/* Messages of the values, and zeros beyond the columns of a row, as words. */
static const uint32_t *write_messages(const isopod_rounded *context, uint32_t count) {
    const struct isopod_rounded_scheme *scheme =
        (const struct isopod_rounded_scheme *)(const void *)context->encryption.scheme;
    const uint32_t stride = isopod_rounded_stride(context);
    const uint32_t columns = isopod_rounded_columns(context);
    uint32_t *words = (uint32_t *)(void *)isopod_rounded_polynomial(context, 0), number = 0;
    int64_t messages[BLOCK];
    for (uint32_t place = 0, piece; place < count; place += piece) {
        const uint32_t column = place % stride, is_value = column < columns;
        piece = smaller(smaller(BLOCK, count - place), (is_value ? columns : stride) - column);
        if (is_value) {
            scheme->messages(context, &context->source.values, number, piece, messages);
            number += piece;
        }
        for (uint32_t i = 0; i < piece; i++) {
            words[place + i] = is_value ? (uint32_t)messages[i] : 0;
        }
    }
    isopod_wipe(messages, sizeof messages);
    return words;
}

static void start(const isopod_rounded *context) {
    const isopod_encryption *encryption = &context->encryption;
    const isopod_encryption_config *config = encryption->config;
    const isopod_rounding *rounding = rounding_of(context);
    const uint32_t n = ring_degree(context), count = isopod_rounded_reach(context);
    const uint8_t is_public = isopod_accel_is_public(encryption);
    isopod_accel_operation operation = {
        (is_public ? COEFFICIENTS_PUBLIC : COEFFICIENTS_SECRET) << ISOPOD_COMMAND_OPCODE_SHIFT |
            (uint32_t)config->params->log2_ring_degree << ISOPOD_COMMAND_LOG_DEGREE_SHIFT |
            1u << ISOPOD_COMMAND_PRIMES_SHIFT |
            (uint32_t)config->suite->id << ISOPOD_COMMAND_SUITE_SHIFT |
            (uint32_t)(config->key->kind == ISOPOD_KEY_SECRET_NTT)
                << ISOPOD_COMMAND_SECRET_NTT_SHIFT |
            isopod_accel_framed(encryption,
                                (count * isopod_rounded_kept_bits(context, 0) + 7u) / 8u),
        (count == n ? 0 : count) << ISOPOD_ENCODING_COUNT_SHIFT |
            (uint32_t)rounding->dropped[0] << ISOPOD_ENCODING_SHIFT_SHIFT |
            (uint32_t)rounding->dropped[1] << ISOPOD_ENCODING_LOG2_BOUND_SHIFT,
        write_messages(context, count),
        count,
        isopod_accel_payload(encryption),
        is_public ? 2u * n : 0};
    isopod_accel_start(&operation, (uint32_t)(uintptr_t)context);
}

isopod_status isopod_engine_begin_rounded(isopod_rounded *context) {
    isopod_encryption *encryption = &context->encryption;
    uint8_t hedge[ISOPOD_TAG_BYTES];
    isopod_root_draft draft;
    isopod_status status = isopod_accel_load_key(encryption);
    if (status != ISOPOD_OK) {
        return status;
    }
    status = isopod_root_take_name(encryption);
    if (status != ISOPOD_OK) {
        return status;
    }
    isopod_root_hedge(hedge, encryption, &context->source.values, context->source.log2_unit);
    const isopod_root_name name = isopod_root_name_of(encryption, hedge);
    isopod_root_prepare(&draft, &name);
    start(context);
    status = isopod_accel_give_seeds(encryption, &draft);
    if (status != ISOPOD_OK) {
        isopod_accel_recover();
    }
    isopod_wipe(&draft, sizeof draft);
    isopod_wipe(hedge, sizeof hedge);
    isopod_wipe_stack();
    return status;
}

/* The whole beats of the state's piece, where a transfer may begin. */
static uint8_t *beats_of(isopod_rounded_state *state, uint32_t *bytes) {
    uintptr_t piece = (uintptr_t)state->piece;
    uintptr_t first = (piece + BEAT_BYTES - 1u) & ~(uintptr_t)(BEAT_BYTES - 1u);
    *bytes = (uint32_t)(piece + sizeof state->piece - first) & ~(BEAT_BYTES - 1u);
    return (uint8_t *)first;
}

/* Takes as many bytes of the current polynomial as fit; *sent counts the bytes that are sent.
 * context->place counts its bytes that have left the engine. Zeros up to a whole beat follow its
 * last coefficient. */
static isopod_status take(isopod_rounded *context, uint8_t *out, uint32_t room, uint32_t *sent) {
    const uint32_t count = isopod_rounded_reach(context);
    const uint32_t kept = isopod_rounded_kept_bits(context, context->encryption.component);
    const uint32_t last = (count * kept + 7u) / 8u;
    const uint32_t whole = (count + BLOCK - 1u) / BLOCK * (BLOCK / 8u) * kept;
    const uint32_t bytes = smaller(room, whole - context->place);
    if (isopod_accel_take(out, bytes / BEAT_BYTES) != 0) {
        return ISOPOD_ERROR_FAULT;
    }
    *sent = context->place < last ? smaller(bytes, last - context->place) : 0;
    context->place += bytes;
    if (context->place == whole) {
        context->place = 0;
        context->encryption.component++;
    }
    return ISOPOD_OK;
}

isopod_status isopod_engine_next_rounded(isopod_rounded *context) {
    isopod_encryption *encryption = &context->encryption;
    uint32_t room, sent = 0;
    uint8_t *out = beats_of(isopod_rounded_state_of(context), &room);
    isopod_status status = ISOPOD_OK;
    if (encryption->stream.state == ISOPOD_PIECES_BEGUN && isopod_accel_frames()) {
        isopod_accel_bare();
    }
    while (sent == 0 && status == ISOPOD_OK) {
        status = encryption->component == rounding_of(context)->method->components
                     ? ISOPOD_DONE
                     : take(context, out, room, &sent);
    }
    isopod_piece_stream_give(&encryption->stream, out, sent);
    return status;
}

void isopod_engine_abort_rounded(const isopod_rounded *context) {
    if (isopod_accel_read(ISOPOD_OWNER) == (uint32_t)(uintptr_t)context) {
        isopod_accel_recover();
    }
}

#endif
