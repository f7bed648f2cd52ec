/* Contexts (spec/packet.md, section 1): their description, their key, and the item that registers
 * them. Constant time with respect to the device key. */
#include "packet.h"

#include "../base/memory.h"
#include "../base/program_memory.h"
#include "../cbor/cbor.h"
#include "../random/keccak.h"
#include "../random/sender.h"

static const uint8_t item_label[] = ISOPOD_HASH_LABEL_CONTEXT;
static const uint8_t key_label[] = ISOPOD_HASH_LABEL_PACKET;

static uint8_t *describe_set(uint8_t *at, const isopod_packet_config *config, uint64_t device) {
    const uint64_t first[2] = {ISOPOD_WIRE_VERSION, ISOPOD_KIND_CONTEXT};
    const uint64_t sender[3] = {device, config->number, config->scheme->kind};
    uint8_t key_id[ISOPOD_KEY_ID_BYTES];
    isopod_program_copy(key_id, (const uint8_t *)config->key->blob + ISOPOD_KEY_OFFSET_KEY_ID,
                        sizeof key_id);
    at = isopod_cbor_head(at, ISOPOD_CBOR_ARRAY, ISOPOD_CONTEXT_FIELDS);
    at = isopod_cbor_numbers(at, first, 2);
    at = isopod_cbor_bytes(at, config->params->set_id, ISOPOD_SET_ID_BYTES);
    at = isopod_cbor_head(at, ISOPOD_CBOR_UNSIGNED, ISOPOD_SUITE_CHACHA20);
    at = isopod_cbor_bytes(at, key_id, sizeof key_id);
    return isopod_cbor_numbers(at, sender, 3);
}

uint8_t *isopod_packet_describe(uint8_t *out, const isopod_packet_config *config, uint64_t device) {
    uint32_t stride = isopod_packet_stride(config);
    const uint64_t values[3] = {config->log2_scale,
                                (isopod_packet_rows(config) - 1u) * stride + config->columns,
                                ISOPOD_COEFFICIENTS_ROUNDED};
    const uint64_t rows[2] = {stride, config->buckets != 0 ? config->buckets : 1u};
    const uint64_t form[5] = {isopod_packet_run(config), config->dropped, config->naming,
                              config->device_bytes, isopod_packet_tag_bytes(config)};
    uint8_t *at = isopod_cbor_numbers(describe_set(out, config, device), values, 3);
    at = isopod_cbor_integer(at, config->scheme->bound(config));
    at = isopod_cbor_numbers(at, rows, 2);
    at = isopod_cbor_bytes(at, config->packing, config->packing != NULL ? ISOPOD_PACKING_BYTES : 0);
    return isopod_cbor_numbers(at, form, 5);
}

/* Writes the first `length` bytes of SHAKE-256 of a label, the device key and a text. */
static void hash(isopod_keccak *sponge, const uint8_t *label, size_t label_bytes,
                 const uint8_t *device_key) {
    isopod_keccak_start(sponge);
    isopod_keccak_absorb(sponge, label, label_bytes);
    isopod_keccak_absorb(sponge, device_key, ISOPOD_FRAME_KEY_BYTES);
}

ISOPOD_FRAME_APART static void derive_key(isopod_packet_context *context,
                                          const uint8_t *device_key) {
    uint8_t description[ISOPOD_CONTEXT_MOST], digest[ISOPOD_DIGEST_BYTES];
    isopod_keccak sponge;
    uint8_t *end = isopod_packet_describe(description, context->config, context->device);
    isopod_keccak_start(&sponge);
    isopod_keccak_absorb(&sponge, description, (size_t)(end - description));
    isopod_keccak_finish(&sponge, ISOPOD_SHA3_256_PADDING);
    isopod_keccak_squeeze(&sponge, digest, sizeof digest);
    hash(&sponge, key_label, sizeof key_label, device_key);
    isopod_keccak_absorb(&sponge, digest, sizeof digest);
    isopod_keccak_finish(&sponge, ISOPOD_SHAKE256_PADDING);
    isopod_keccak_squeeze(&sponge, context->key, sizeof context->key);
    isopod_wipe(&sponge, sizeof sponge);
}

isopod_status isopod_packet_open(isopod_packet_context *context, const isopod_packet_config *config,
                                 const isopod_sender *sender) {
    static const uint8_t none[ISOPOD_CONTEXT_KEY_BYTES];
    isopod_status status = isopod_packet_resume(context, config, sender, none);
    if (status == ISOPOD_OK) {
        derive_key(context, sender->key);
        isopod_wipe_stack();
    }
    return status;
}

ISOPOD_FRAME_APART static void tag_item(const uint8_t *item, uint8_t *end,
                                        const uint8_t *device_key) {
    isopod_keccak sponge;
    hash(&sponge, item_label, sizeof item_label, device_key);
    isopod_keccak_absorb(&sponge, item, (size_t)(end - item));
    isopod_keccak_finish(&sponge, ISOPOD_SHAKE256_PADDING);
    isopod_keccak_squeeze(&sponge, end + 1, ISOPOD_TAG_BYTES);
    isopod_wipe(&sponge, sizeof sponge);
    *end = ISOPOD_CBOR_BYTES << 5 | ISOPOD_TAG_BYTES;
}

isopod_status isopod_packet_announce(const isopod_packet_context *context,
                                     const isopod_sender *sender, uint8_t *out, size_t capacity,
                                     size_t *length) {
    uint8_t item[ISOPOD_CONTEXT_MOST];
    *length = 0;
    if (context->config == NULL) {
        return ISOPOD_ERROR_STATE;
    }
    if (!isopod_sender_is_ready(sender) || sender->device != context->device) {
        return ISOPOD_ERROR_SENDER;
    }
    const uint64_t announced[2] = {sender->epoch, sender->sequence};
    uint8_t *end = isopod_packet_describe(item, context->config, context->device);
    end = isopod_cbor_numbers(end, announced, 2);
    size_t bytes = (size_t)(end - item) + 1u + ISOPOD_TAG_BYTES;
    if (capacity < bytes) {
        return ISOPOD_ERROR_CAPACITY;
    }
    tag_item(item, end, sender->key);
    isopod_wipe_stack();
    isopod_copy(out, item, bytes);
    *length = bytes;
    return ISOPOD_OK;
}
