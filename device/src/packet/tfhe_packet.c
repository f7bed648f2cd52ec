/* Packets of TFHE (spec/packet.md, section 9): the streamed encryption under the name of a packet,
 * its bodies rounded to their upper 16 bits. All memory is wiped, however the call ends. */
#include "tfhe_packet.h"

#include "../base/memory.h"
#include "../base/workspace.h"
#include "../random/sender.h"
#include "../tfhe/tfhe_blob.h"
#include "../tfhe/tfhe_method.h"

#if !ISOPOD_HAS_PROGRAM_MEMORY

/* One packet in progress. */
typedef struct {
    const isopod_tfhe_packet_config *config;
    isopod_packet_state *state;
    void *sums;
    uint32_t *blocks;
    uint32_t coefficients;
} tfhe_packet;

/*@ requires coefficients <= 0xffffffe0;
    assigns \nothing;
    ensures coefficients <= \result < coefficients + 32 && \result % 32 == 0; */
static uint32_t whole(uint32_t coefficients) {
    return (coefficients + 31u) / 32u * 32u;
}

static tfhe_packet packet_of(const isopod_tfhe_packet_context *context,
                             const isopod_packet_encryptor *encryptor) {
    uint32_t words = isopod_tfhe_word_bytes(context->config->params) / 4u;
    uint8_t *memory = encryptor->workspace.memory;
    uint32_t *sums = (uint32_t *)(void *)(memory + ISOPOD_PACKET_STATE_BYTES);
    const tfhe_packet packet = {context->config, (isopod_packet_state *)(void *)memory, sums,
                                sums + whole(context->coefficients) * words, context->coefficients};
    return packet;
}

/* sums = a*s; a leaves its stream piece by piece. */
ISOPOD_FRAME_APART static void multiply(const tfhe_packet *packet) {
    const isopod_tfhe_params *params = packet->config->params;
    const uint32_t word_bytes = isopod_tfhe_word_bytes(params);
    const isopod_small secret = {packet->config->key->blob + ISOPOD_KEY_HEADER_BYTES / 4u,
                                 params->secret};
    isopod_ring_place place = {&secret, isopod_tfhe_degree(params), 0, packet->coefficients};
    uint64_t piece[ISOPOD_TFHE_MASK_PIECE / 2u];
    isopod_tfhe_mask mask;
    isopod_tfhe_mask_start(&mask, &isopod_tfhe_chacha20, packet->state->mask_seed,
                           isopod_tfhe_key_id(packet->config->key));
    isopod_wipe(packet->sums, (size_t)whole(packet->coefficients) * word_bytes);
    for (; place.first < place.n; place.first += (uint32_t)sizeof piece / word_bytes) {
        isopod_tfhe_chacha20.words(&mask, (uint32_t *)piece, ISOPOD_TFHE_MASK_PIECE);
        if (word_bytes == 4) {
            isopod_ring_accumulate32(packet->sums, (const uint32_t *)piece, &place);
        } else {
            isopod_ring_accumulate64(packet->sums, piece, &place);
        }
    }
}

ISOPOD_FRAME_APART static void add_errors(const tfhe_packet *packet) {
    const isopod_tfhe_addend addend = {packet->config->params, packet->blocks,
                                       packet->coefficients};
    isopod_stream stream;
    isopod_tfhe_noise_start(&stream, &isopod_tfhe_chacha20, &packet->state->noise,
                            ISOPOD_DOMAIN_ERROR0);
    isopod_tfhe_add_errors(packet->sums, &addend, &stream);
    isopod_wipe(&stream, sizeof stream);
    isopod_wipe_shallow_stack(); /* in this frame, since adding errors needs much stack */
}

/* Rounds each sum to its upper 16 bits. */
static uint8_t *put_bodies(const tfhe_packet *packet, uint8_t *out) {
    uint32_t words = isopod_tfhe_word_bytes(packet->config->params) / 4u;
    const uint32_t *upper = (const uint32_t *)packet->sums + (words - 1u);
    for (uint32_t i = 0; i < packet->coefficients; i++, upper += words) {
        uint32_t body = (*upper + 0x8000u) >> 16;
        *out++ = (uint8_t)body;
        *out++ = (uint8_t)(body >> 8);
    }
    return out;
}

static ISOPOD_NOINLINE isopod_status encrypt(const isopod_tfhe_packet_context *context,
                                             const isopod_packet_encryptor *encryptor,
                                             const isopod_tfhe_values *values, uint8_t *out) {
    const tfhe_packet packet = packet_of(context, encryptor);
    const isopod_packet_form form = isopod_tfhe_packet_form_of(context->config);
    const isopod_packet_input input = {packet.blocks, (packet.coefficients + 3u) / 4u, 0, 0};
    isopod_tfhe_message_pack(packet.blocks, context->config->params, values);
    isopod_status status = isopod_packet_take(packet.state, &form, &input, context->key, encryptor);
    if (status == ISOPOD_OK) {
        multiply(&packet);
        add_errors(&packet);
        uint8_t *body =
            isopod_packet_put_header(out, &form, context->device, packet.state->sequence);
        isopod_packet_put_tag(&packet.state->hash, packet.state->tag_key, &form, out,
                              put_bodies(&packet, body));
    }
    return status;
}

/* Whether the values have the types and counts of the context. */
static uint32_t has_schema(const isopod_tfhe_values *values, const isopod_tfhe_values *schema) {
    uint32_t differs = values->count != schema->count;
    for (uint32_t r = 0; r < schema->count && !differs; r++) {
        differs = values->runs[r].type != schema->runs[r].type ||
                  values->runs[r].count != schema->runs[r].count;
    }
    return !differs;
}

static size_t workspace_bytes(const isopod_tfhe_packet_context *context) {
    return ISOPOD_TFHE_PACKET_WORKSPACE(context->coefficients,
                                        isopod_tfhe_word_bytes(context->config->params));
}

static isopod_status check(const isopod_tfhe_packet_context *context,
                           const isopod_packet_encryptor *encryptor,
                           const isopod_tfhe_values *values, size_t capacity) {
    uint32_t coefficients;
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
    if (!isopod_workspace_holds(&encryptor->workspace, workspace_bytes(context))) {
        return ISOPOD_ERROR_WORKSPACE;
    }
    return has_schema(values, context->config->schema)
               ? isopod_tfhe_message_check(context->config->params, values, &coefficients)
               : ISOPOD_ERROR_COUNT;
}

isopod_status isopod_tfhe_packet_encrypt(const isopod_tfhe_packet_context *context,
                                         const isopod_packet_encryptor *encryptor,
                                         const isopod_tfhe_values *values, uint8_t *out,
                                         size_t capacity, size_t *length) {
    *length = 0;
    isopod_status status = check(context, encryptor, values, capacity);
    if (status == ISOPOD_OK) {
        status = encrypt(context, encryptor, values, out);
        isopod_wipe_stack();
        isopod_workspace_wipe(&encryptor->workspace, encryptor->workspace.bytes);
    }
    if (status == ISOPOD_OK) {
        *length = context->bytes;
    } else {
        isopod_wipe(out, capacity);
    }
    return status;
}
#endif
