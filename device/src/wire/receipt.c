/* Receipts (spec/wire.md, section 11): the tag first, then the fields, which lie at fixed offsets.
 * Constant time with respect to the device key. */
#include "isopod/receipt.h"

#include "../base/memory.h"
#include "../cbor/cbor.h"
#include "../random/keccak.h"

#define NAME_OFFSET 22u
#define OUTCOME_OFFSET (NAME_OFFSET + ISOPOD_FRAME_NAME_BYTES)
#define TAG_OFFSET (ISOPOD_RECEIPT_BYTES - ISOPOD_TAG_BYTES)
#define MESSAGE_BYTES (TAG_OFFSET - 1u)

static const uint8_t label[] = ISOPOD_HASH_LABEL_RECEIPT;

/* The bytes up to the key: array, version, kind and the head of the key. */
static const uint8_t begin[] = {ISOPOD_CBOR_ARRAY << 5 | ISOPOD_RECEIPT_FIELDS, ISOPOD_WIRE_VERSION,
                                ISOPOD_CBOR_UNSIGNED << 5 | 24, ISOPOD_KIND_RECEIPT,
                                ISOPOD_CBOR_BYTES << 5 | ISOPOD_KEY_ID_BYTES};

static uint32_t is_authentic(const uint8_t *key, const uint8_t *item) {
    isopod_keccak sponge;
    uint8_t tag[ISOPOD_TAG_BYTES];
    isopod_keccak_start(&sponge);
    isopod_keccak_absorb(&sponge, label, sizeof label);
    isopod_keccak_absorb(&sponge, key, ISOPOD_FRAME_KEY_BYTES);
    isopod_keccak_absorb(&sponge, item, MESSAGE_BYTES);
    isopod_keccak_finish(&sponge, ISOPOD_SHAKE256_PADDING);
    isopod_keccak_squeeze(&sponge, tag, sizeof tag);
    uint32_t equal = isopod_equal(tag, item + TAG_OFFSET, sizeof tag);
    isopod_wipe(&sponge, sizeof sponge);
    isopod_wipe(tag, sizeof tag);
    isopod_wipe_stack();
    return equal;
}

/* Whether everything but key, name and tag is as it must be, and the name is of this device. */
static uint32_t is_for(uint64_t device, const uint8_t *item) {
    uint8_t outcome = item[OUTCOME_OFFSET];
    return isopod_equal(item, begin, sizeof begin) &&
           item[NAME_OFFSET - 1] == (ISOPOD_CBOR_BYTES << 5 | ISOPOD_FRAME_NAME_BYTES) &&
           item[TAG_OFFSET - 1] == (ISOPOD_CBOR_BYTES << 5 | ISOPOD_TAG_BYTES) &&
           outcome >= ISOPOD_OUTCOME_STORED && outcome <= ISOPOD_OUTCOME_ANNOUNCED &&
           isopod_load64(item + NAME_OFFSET) == device;
}

isopod_status isopod_receipt_open(isopod_receipt *receipt, const isopod_sender *sender,
                                  const uint8_t item[ISOPOD_RECEIPT_BYTES]) {
    isopod_wipe(receipt, sizeof *receipt);
    if (!is_authentic(sender->key, item) || !is_for(sender->device, item)) {
        return ISOPOD_ERROR_AUTHENTICATION;
    }
    receipt->epoch = isopod_load32(item + NAME_OFFSET + 8);
    receipt->sequence = isopod_load64(item + NAME_OFFSET + 12);
    receipt->outcome = item[OUTCOME_OFFSET];
    return ISOPOD_OK;
}
