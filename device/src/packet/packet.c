/* One packet (spec/packet.md): checks, name and keys, product, body, tag. All memory is wiped,
 * however the call ends. */
#include "packet.h"

#include "../base/memory.h"
#include "../base/workspace.h"
#include "../random/sender.h"
#include "../tag/siphash.h"

_Static_assert(sizeof(isopod_packet_state) <= ISOPOD_PACKET_STATE_BYTES, "the state fits");
_Static_assert(ISOPOD_PACKET_STATE_BYTES % 8u == 0, "sums are aligned");

#define DEVICE_SHIFT 6u

/* The calls of a packet are less deep than those of other encryptions, where kernels have no
 * vectors on the stack. */
#if UINTPTR_MAX > UINT32_MAX || defined(__ARM_NEON)
void isopod_packet_wipe_stack(void) {
    isopod_wipe_stack();
}
#elif defined(__riscv)
void isopod_packet_wipe_stack(void) {
    isopod_wipe_shallow_stack();
}
#else
#if defined(__AVR__)
#define STACK_BYTES 264u
#else
#define STACK_BYTES 392u
#endif
ISOPOD_NOINLINE void isopod_packet_wipe_stack(void) {
    uint32_t below[STACK_BYTES / 4u];
    isopod_wipe(below, sizeof below);
}
#endif

isopod_status isopod_packet_resume(isopod_packet_context *context,
                                   const isopod_packet_config *config, const isopod_sender *sender,
                                   const uint8_t key[ISOPOD_CONTEXT_KEY_BYTES]) {
    isopod_wipe(context, sizeof *context);
    isopod_status status = isopod_packet_check(config, sender);
    if (status == ISOPOD_OK) {
        context->config = config;
        context->device = sender->device;
        context->bytes =
            (uint16_t)(isopod_packet_header_bytes(config) + isopod_packet_body_bytes(config) +
                       isopod_packet_tag_bytes(config));
        isopod_copy(context->key, key, sizeof context->key);
    }
    return status;
}

void isopod_packet_close(isopod_packet_context *context) {
    isopod_wipe(context, sizeof *context);
}

/* Writes context, device and counter; returns their end. */
static uint8_t *put_header(uint8_t *at, const isopod_packet *packet, uint64_t device) {
    const isopod_packet_config *config = packet->config;
    uint32_t counter_bytes = config->naming == ISOPOD_NAMED_BY_RANDOM ? 4u : 2u;
    *at++ = (uint8_t)(config->number | config->device_bytes / 2u << DEVICE_SHIFT);
    for (uint32_t i = 0; i < config->device_bytes; i++) {
        *at++ = (uint8_t)(device >> (8u * i));
    }
    for (uint32_t i = 0; i < counter_bytes; i++) {
        *at++ = (uint8_t)(packet->state->sequence >> (8u * i));
    }
    return at;
}

ISOPOD_FRAME_APART static void put_tag(const isopod_packet *packet, uint8_t *out, uint8_t *end) {
    uint32_t tag_bytes = isopod_packet_tag_bytes(packet->config);
    uint8_t tag[ISOPOD_TAG_BYTES];
    isopod_siphash hash;
    isopod_siphash_start(&hash, packet->state->tag_key, tag_bytes == ISOPOD_TAG_BYTES);
    isopod_siphash_add(&hash, out, (size_t)(end - out));
    isopod_siphash_finish(&hash, tag);
    isopod_copy(end, tag, tag_bytes);
    isopod_wipe(&hash, sizeof hash);
    isopod_wipe(tag, sizeof tag);
}

static ISOPOD_NOINLINE isopod_status encrypt(const isopod_packet_context *context,
                                             const isopod_packet_encryptor *encryptor,
                                             const isopod_values *values, uint8_t *out) {
    const isopod_packet_config *config = context->config;
    const isopod_packet packet = {.config = config,
                                  .prime = config->params->primes,
                                  .state = encryptor->workspace.memory,
                                  .values = values};
    isopod_status status = isopod_packet_take(&packet, context, encryptor);
    if (status == ISOPOD_OK) {
        isopod_packet_mask_start(packet.state);
        config->method->multiply(&packet);
        uint8_t *body = put_header(out, &packet, context->device);
        isopod_packet_sample(packet.state, 0);
        isopod_packet_put_body(&packet, body);
        put_tag(&packet, out, body + isopod_packet_body_bytes(config));
    }
    return status;
}

static isopod_status check_values(const isopod_packet_config *config, const isopod_values *values) {
    return values->data == NULL ||
                   values->count != isopod_packet_rows(config) * (uint32_t)config->columns
               ? ISOPOD_ERROR_COUNT
               : config->scheme->check_values(config, values);
}

static isopod_status check(const isopod_packet_context *context,
                           const isopod_packet_encryptor *encryptor, const isopod_values *values,
                           size_t capacity) {
    if (context->config == NULL) {
        return ISOPOD_ERROR_STATE;
    }
    if (!isopod_sender_is_ready(encryptor->sender) ||
        encryptor->sender->device != context->device) {
        return ISOPOD_ERROR_SENDER;
    }
    if (capacity < context->bytes) {
        return ISOPOD_ERROR_CAPACITY;
    }
    return isopod_workspace_holds(&encryptor->workspace,
                                  context->config->method->workspace_bytes(context->config))
               ? check_values(context->config, values)
               : ISOPOD_ERROR_WORKSPACE;
}

isopod_status isopod_packet_encrypt(const isopod_packet_context *context,
                                    const isopod_packet_encryptor *encryptor,
                                    const isopod_values *values, uint8_t *out, size_t capacity,
                                    size_t *length) {
    *length = 0;
    isopod_status status = check(context, encryptor, values, capacity);
    if (status == ISOPOD_OK) {
        status = encrypt(context, encryptor, values, out);
        isopod_packet_wipe_stack();
        isopod_workspace_wipe(&encryptor->workspace, encryptor->workspace.bytes);
    }
    if (status == ISOPOD_OK) {
        *length = context->bytes;
    } else {
        isopod_wipe(out, capacity);
    }
    return status;
}
