/* Receipts: the known answers open, and no other bytes do. */
#include "isopod/receipt.h"

#include "../harness/check.h"
#include "../harness/fixture.h"
#include "../harness/tests.h"
#include "../vectors_generated.h"

#define RECEIPTS (sizeof isopod_vectors_receipts / sizeof isopod_vectors_receipts[0])

static uint8_t key[ISOPOD_FRAME_KEY_BYTES];

static int is_zero(const isopod_receipt *receipt) {
    return receipt->sequence == 0 && receipt->epoch == 0 && receipt->outcome == 0;
}

static void refused(const isopod_sender *sender, const uint8_t *item) {
    isopod_receipt receipt = {7, 7, 7};
    CHECK_QUIET(isopod_receipt_open(&receipt, sender, item) == ISOPOD_ERROR_AUTHENTICATION);
    CHECK_QUIET(is_zero(&receipt));
}

/* Every bit counts, and every other key and device is refused. */
static void check_others(const isopod_sender *sender, uint8_t *item) {
    const isopod_sender other = {.device = sender->device ^ 1u, .key = sender->key};
    for (uint32_t bit = 0; bit < 8 * ISOPOD_RECEIPT_BYTES; bit++) {
        item[bit / 8] ^= (uint8_t)(1u << bit % 8);
        refused(sender, item);
        item[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    for (uint32_t bit = 0; bit < 8 * sizeof key; bit++) {
        key[bit / 8] ^= (uint8_t)(1u << bit % 8);
        refused(sender, item);
        key[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    refused(&other, item);
}

void test_receipts(void) {
    check_group("receipts");
    for (uint32_t r = 0; r < RECEIPTS; r++) {
        const struct isopod_vector_receipts *vector = &isopod_vectors_receipts[r];
        const isopod_sender sender = {.device = vector->device, .key = key};
        uint8_t item[ISOPOD_RECEIPT_BYTES];
        isopod_receipt receipt = {0, 0, 0};
        check_case("receipt", r);
        fixture_bytes(key, (uint8_t)vector->device_key_start, sizeof key);
        fixture_from_hex(item, vector->hex);
        CHECK(isopod_receipt_open(&receipt, &sender, item) == ISOPOD_OK);
        CHECK(receipt.sequence == vector->sequence && receipt.epoch == vector->epoch);
        CHECK(receipt.outcome == vector->outcome);
        check_others(&sender, item);
    }
}
