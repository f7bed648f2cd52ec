/* The measured packet of pads: one inside of sixteen sequences (region 0), and one that crosses to
 * the next ones (region 1); prints its measurements, one "name value" per line.
 *
 * -DBENCH_READINGS=
 *
 * Numbers of 16 bits, a device of 2 bytes and a tag of 8. Memory in all is what the caller keeps,
 * and the stack below it. */
#include <stddef.h>
#include <stdint.h>

#include "counter/markers.h"
#include "device/program.h"
#include "isopod/pad.h"
#include "stack/stack.h"

#define EXTERNAL __attribute__((section(".bss.external")))
#define CROSSING 15u

EXTERNAL static int16_t readings[BENCH_READINGS];
EXTERNAL static uint8_t out[ISOPOD_PACKET_BYTES];
EXTERNAL static isopod_pad_keys keys;
static isopod_pad_context context;
static isopod_sender sender = {
    .device = 1, .epoch = 1, .key = (const uint8_t *)"a device key of 32 bytes, public"};
static const isopod_pad_encryptor encryptor = {.sender = &sender};
static const isopod_pad_config config = {.key_id = (const uint8_t *)"key of 16 bytes.",
                                         .bound = 2048,
                                         .columns = BENCH_READINGS,
                                         .width = 2,
                                         .device_bytes = 2};

/* The packet of a sequence, whose node was made before. */
static size_t encrypt(uint64_t sequence) {
    const isopod_values values = {readings, BENCH_READINGS, ISOPOD_VALUES_INT16};
    size_t length = 0;
    sender.sequence = sequence;
    isopod_region_begin();
    isopod_status status =
        isopod_pad_encrypt(&context, &encryptor, &values, out, sizeof out, &length);
    isopod_region_end();
    return status == ISOPOD_OK ? length : 0;
}

int main(void) {
    const isopod_values values = {readings, BENCH_READINGS, ISOPOD_VALUES_INT16};
    uint32_t z = 12345;
    size_t length;
    for (size_t i = 0; i < BENCH_READINGS; i++) {
        readings[i] = (int16_t)((int32_t)(generate(&z) >> 20) - 2048);
    }
    if (isopod_pad_derive(&keys, &config, &sender,
                          (const uint8_t *)"a pad key of 32 bytes, in public") != ISOPOD_OK ||
        isopod_pad_open(&context, &config, &sender, &keys) != ISOPOD_OK ||
        isopod_pad_encrypt(&context, &encryptor, &values, out, sizeof out, &length) != ISOPOD_OK) {
        fail("the library refuses the context or the packet");
    }
    isopod_stack_paint();
    length = encrypt(1);
    const uint64_t digest = digest_of(out, length);
    if (encrypt(CROSSING) != length || digest == digest_of(out, length)) {
        fail("the second packet has another length, or the bytes of the first");
    }
    print("stack_bytes", isopod_stack_used());
    print("wire_bytes", length);
    print("digest", digest);
    print("ram_bytes", sizeof context + sizeof encryptor + sizeof sender);
    return 0;
}
