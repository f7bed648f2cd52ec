/* Links, byte streams, counters in flash, health tests and receipts: any state that their calls
 * leave, any bytes. */
// sources: link start wire/receipt.c tag/tag.c tag/poly1305.c random/sender.c
// stubs: primitives.c tag_stub.c
// options: -eva-slevel 40 -eva-auto-loop-unroll 40 -eva-split-return auto
#include "arbitrary.h"
#include "isopod/counter.h"
#include "isopod/health.h"
#include "isopod/link.h"
#include "isopod/receipt.h"
#include "link/packet.h"

static uint8_t memory[256], bytes[64];

static void links(void) {
    isopod_link link;
    const uint8_t *packet;
    size_t room;
    if (isopod_link_begin(&link, memory, 40, 10, ANY16) != ISOPOD_OK) {
        return;
    }
    for (int i = 0; i < 100; i++) {
        (void)isopod_link_room(&link, &room);
        (void)isopod_link_give(&link, SIZE_TO(SIZE_MAX), MAYBE);
        (void)isopod_link_next(&link, &packet);
        isopod_link_acknowledge(&link, bytes, SIZE_TO(sizeof bytes));
        isopod_link_repeat(&link);
        isopod_link_resend(&link);
        (void)isopod_link_is_done(&link);
    }
    (void)isopod_link_begin(&link, memory, SIZE_TO(sizeof memory), ANY16, ANY16);
}

static void serial(void) {
    static uint8_t out[ISOPOD_SERIAL_BYTES(40)], packet[24];
    isopod_serial serial = {packet, sizeof packet};
    //@ loop unroll 41;
    for (size_t length = 0; length <= 40; length++) {
        (void)isopod_serial_write(out, bytes, length);
        (void)isopod_crc32c(ANY32, bytes, length);
    }
    ARBITRARY(packet);
    for (;;) {
        serial.length = SIZE_TO(sizeof packet);
        serial.left = ANY8;
        serial.code = ANY8;
        serial.is_broken = ANY8;
        (void)isopod_serial_read(&serial, ANY8);
        if (MAYBE) {
            break;
        }
    }
}

static int read(void *state, uint8_t page, uint32_t offset, uint8_t *out, size_t length) {
    arbitrary(out, length);
    return SIGNED(-1, 1);
}

static int write(void *state, uint8_t page, uint32_t offset, const uint8_t *in, size_t length) {
    return SIGNED(-1, 1);
}

static int erase(void *state, uint8_t page) {
    return SIGNED(-1, 1);
}

static void counters(void) {
    isopod_flash flash = {read, write, erase, NULL, ANY32, ANY16};
    isopod_sender sender;
    uint64_t first;
    ARBITRARY(sender);
    (void)isopod_counter_next(&flash, ANY32, &first);
    (void)isopod_sender_start(&sender, &flash);
}

static int sample(void *state, uint8_t *out) {
    *out = ANY8;
    return SIGNED(-1, 1);
}

static void health(void) {
    isopod_health health;
    ARBITRARY(health);
    health.sample = sample;
    health.state = NULL;
    health.is_started = 0;
    health.place = (uint16_t)BETWEEN(0, 511);
    (void)isopod_health_fill(&health, bytes, SIZE_TO(sizeof bytes));
}

static void receipts(void) {
    static uint8_t key[32], item[ISOPOD_RECEIPT_BYTES];
    isopod_sender sender;
    isopod_receipt receipt;
    ARBITRARY(key);
    ARBITRARY(item);
    ARBITRARY(sender);
    sender.key = key;
    (void)isopod_receipt_open(&receipt, &sender, item);
}

int main(void) {
    ARBITRARY(memory);
    ARBITRARY(bytes);
    links();
    serial();
    counters();
    health();
    receipts();
    return 0;
}
