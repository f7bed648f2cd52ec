/* One packet under pads (spec/pad.md, section 3): checks, name, integers, pads, tag. All memory is
 * wiped, however the call ends. Constant time: integers and pads are operands only. */
#include "pad.h"

#include "../base/memory.h"
#include "../random/chacha20.h"
#include "../random/sender.h"

#define SEQUENCES UINT32_MAX /* the pad behind the last one exists, too */

/* Blocks of all kinds, one after the other, then the tag. */
typedef union {
    uint32_t block[ISOPOD_CHACHA20_WORDS];
    isopod_siphash hash;
} pad_state;

static isopod_status check_values(const isopod_pad_config *config, const isopod_values *values) {
    uint32_t over = 0;
    if (values->data == NULL || values->count != config->columns) {
        return ISOPOD_ERROR_COUNT;
    }
    if (values->type != ISOPOD_VALUES_INT16 && values->type != ISOPOD_VALUES_INT32) {
        return ISOPOD_ERROR_VALUE_TYPE;
    }
    for (uint32_t i = 0; i < values->count; i++) {
        uint32_t value = (uint32_t)isopod_packet_value_at(values, i);
        uint32_t sign = isopod_ct_negative((int32_t)value);
        over |= config->bound - ((value ^ sign) - sign);
    }
    ISOPOD_DECLASSIFY(over);
    return over >> 31 != 0 ? ISOPOD_ERROR_VALUE_RANGE : ISOPOD_OK;
}

static isopod_status check(const isopod_pad_context *context, const isopod_sender *sender,
                           const isopod_values *values, size_t capacity) {
    if (context->config == NULL) {
        return ISOPOD_ERROR_STATE;
    }
    if (!isopod_sender_has_name(sender) || sender->device != context->device ||
        (context->config->ratchet != 0 && sender->epoch != context->epoch)) {
        return ISOPOD_ERROR_SENDER;
    }
    return capacity < context->bytes ? ISOPOD_ERROR_CAPACITY
                                     : check_values(context->config, values);
}

/* Takes a name for the packet; the node of another epoch is of no use. */
ISOPOD_FRAME_APART static isopod_status take(isopod_pad_context *context,
                                             const isopod_pad_encryptor *encryptor) {
    isopod_frame_name name;
    isopod_status status = isopod_packet_take_name(encryptor->sender, encryptor->counter, &name);
    if (status != ISOPOD_OK) {
        return status;
    }
    if (context->epoch != name.epoch) {
        context->epoch = name.epoch;
        context->sixteen = ISOPOD_PAD_NO_NODE;
    }
    context->sequence = (uint32_t)name.sequence;
    return name.sequence < SEQUENCES ? ISOPOD_OK : ISOPOD_ERROR_SENDER;
}

/* Writes header and integers; returns the body. The last integer first: those of 16 bits may lie at
 * `out`, in front of the body. */
ISOPOD_FRAME_APART static uint8_t *put_integers(const isopod_pad_context *context,
                                                const isopod_values *values, uint8_t *out) {
    const isopod_packet_form form = isopod_pad_form_of(context->config);
    const uint8_t width = context->config->width;
    uint8_t *body = out + context->bytes - form.tag_bytes - isopod_pad_body_bytes(context->config);
    for (uint16_t i = context->config->columns; i-- > 0;) {
        uint32_t value = (uint32_t)isopod_packet_value_at(values, i);
        for (uint8_t j = 0; j < width; j++, value >>= 8) {
            body[i * width + j] = (uint8_t)value;
        }
    }
    isopod_packet_put_header(out, &form, context->device, context->sequence);
    return body;
}

ISOPOD_FRAME_APART static void derive_tag_key(const isopod_pad_context *context,
                                              uint32_t block[ISOPOD_CHACHA20_WORDS]) {
    const uint32_t input[4] = {context->epoch, context->sequence, 0, 0};
    isopod_chacha20_embedded(block, context->keys->key, input);
}

ISOPOD_FRAME_APART static void put_tag(const isopod_pad_context *context, pad_state *state,
                                       uint8_t *out) {
    const isopod_packet_form form = isopod_pad_form_of(context->config);
    isopod_packet_put_tag(&state->hash, (const uint8_t *)state->block + ISOPOD_PACKET_TAG_KEY,
                          &form, out, out + context->bytes - form.tag_bytes);
}

static ISOPOD_NOINLINE void encrypt(isopod_pad_context *context, const isopod_values *values,
                                    uint8_t *out) {
    pad_state state;
    uint8_t *body = put_integers(context, values, out);
    isopod_pad_add(context, body, 0, state.block);
    context->sequence++;
    isopod_pad_add(context, body, 1, state.block);
    context->sequence--;
    derive_tag_key(context, state.block);
    put_tag(context, &state, out);
    isopod_wipe(&state, sizeof state);
}

isopod_status isopod_pad_encrypt(isopod_pad_context *context, const isopod_pad_encryptor *encryptor,
                                 const isopod_values *values, uint8_t *out, size_t capacity,
                                 size_t *length) {
    *length = 0;
    isopod_status status = check(context, encryptor->sender, values, capacity);
    if (status == ISOPOD_OK) {
        status = take(context, encryptor);
    }
    if (status == ISOPOD_OK) {
        encrypt(context, values, out);
        isopod_packet_wipe_stack();
        *length = context->bytes;
    } else {
        isopod_wipe(out, capacity);
    }
    return status;
}
