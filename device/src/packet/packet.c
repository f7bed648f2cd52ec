/* One packet (spec/packet.md): checks, name and keys, product, body, tag. All memory is wiped,
 * however the call ends. */
#include "packet.h"

#include "../base/memory.h"
#include "../base/workspace.h"
#include "../random/sender.h"

_Static_assert(sizeof(isopod_packet_state) <= ISOPOD_PACKET_STATE_BYTES, "the state fits");
_Static_assert(ISOPOD_PACKET_STATE_BYTES % _Alignof(isopod_packet_sum) == 0, "sums are aligned");

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
#define STACK_BYTES 172u
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
        const isopod_packet_form form = isopod_packet_form_of(config);
        context->bytes =
            (uint16_t)(isopod_packet_frame_bytes(&form) + isopod_packet_body_bytes(config));
#if ISOPOD_HAS_PROGRAM_MEMORY
        context->key = key;
#else
        isopod_copy(context->key, key, sizeof context->key);
#endif
    }
    return status;
}

void isopod_packet_close(isopod_packet_context *context) {
    isopod_wipe(context, sizeof *context);
}

static isopod_packet_input input_of(const isopod_packet_config *config,
                                    const isopod_values *values) {
    size_t width = values->type == ISOPOD_VALUES_INT16 ? 2u : 4u;
    const isopod_packet_input input = {values->data, values->count * width, (uint8_t)values->type,
                                       (uint8_t)config->log2_unit};
    return input;
}

ISOPOD_FRAME_APART static isopod_status take(const isopod_packet_context *context,
                                             const isopod_packet_encryptor *encryptor,
                                             const isopod_values *values) {
    const isopod_packet_form form = isopod_packet_form_of(context->config);
    const isopod_packet_input input = input_of(context->config, values);
    return isopod_packet_take(encryptor->workspace.memory, &form, &input, context->key, encryptor);
}

ISOPOD_FRAME_APART static void put(const isopod_packet_context *context,
                                   const isopod_packet *packet, uint8_t *out) {
    const isopod_packet_form form = isopod_packet_form_of(context->config);
    uint8_t *body = isopod_packet_put_header(out, &form, context->device, packet->state->sequence);
    isopod_packet_put_body(packet, body);
    isopod_packet_put_tag(&packet->state->hash, packet->state->tag_key, &form, out,
                          body + isopod_packet_body_bytes(context->config));
}

static ISOPOD_NOINLINE isopod_status encrypt(const isopod_packet_context *context,
                                             const isopod_packet_encryptor *encryptor,
                                             const isopod_values *values, uint8_t *out) {
    const isopod_packet packet = {.config = context->config,
                                  .prime = context->config->params->primes,
                                  .state = encryptor->workspace.memory,
                                  .values = values};
    isopod_status status = take(context, encryptor, values);
    if (status == ISOPOD_OK) {
        ISOPOD_PROGRAM_READ(packet.config->method->multiply)(&packet);
        put(context, &packet, out);
    }
    return status;
}

static isopod_status check_values(const isopod_packet_config *config, const isopod_values *values) {
    return values->data == NULL ||
                   values->count != isopod_packet_rows(config) * (uint32_t)config->columns
               ? ISOPOD_ERROR_COUNT
               : ISOPOD_PROGRAM_READ(config->scheme->check_values)(config, values);
}

static isopod_status check(const isopod_packet_context *context,
                           const isopod_packet_encryptor *encryptor, const isopod_values *values,
                           size_t capacity) {
    if (context->config == NULL) {
        return ISOPOD_ERROR_STATE;
    }
    if (!isopod_sender_has_name(encryptor->sender) ||
        encryptor->sender->device != context->device) {
        return ISOPOD_ERROR_SENDER;
    }
    if (capacity < context->bytes) {
        return ISOPOD_ERROR_CAPACITY;
    }
    return isopod_workspace_holds(
               &encryptor->workspace,
               ISOPOD_PROGRAM_READ(context->config->method->workspace_bytes)(context->config))
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
