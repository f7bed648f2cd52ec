/* The measured packet: one packet (region 0) and another one of the same context (region 1); prints
 * its measurements, one "name value" per line.
 *
 * Usage: app KEY_FILE
 * -DBENCH_PARAMS= -DBENCH_LOG2_SCALE= -DBENCH_KEY_BYTES= -DBENCH_READINGS= -DBENCH_DROPPED=
 *
 * Readings of 12 bits, less 2048, in 16-bit numbers under a ternary key. Memory in all is the
 * workspace, what the caller keeps, and the stack below it. */
#undef ISOPOD_ALLOW_DEVICE_SECRET_KEY
#define ISOPOD_ALLOW_DEVICE_SECRET_KEY 1
#include <stddef.h>
#include <stdint.h>

#include "counter/markers.h"
#include "device/program.h"
#include "isopod/packet.h"
#include "stack/stack.h"

#define EXTERNAL __attribute__((section(".bss.external")))

extern const isopod_params BENCH_PARAMS;

EXTERNAL static uint32_t key_blob[BENCH_KEY_BYTES / 4];
EXTERNAL static int16_t readings[BENCH_READINGS];
EXTERNAL static uint8_t out[ISOPOD_PACKET_BYTES];
static _Alignas(8) uint8_t workspace[ISOPOD_PACKET_STREAM_WORKSPACE(BENCH_READINGS)];
static isopod_key key;
static isopod_packet_context context;
static isopod_sender sender = {
    .device = 1, .epoch = 1, .key = (const uint8_t *)"a device key of 32 bytes, public"};
static uint32_t entropy_state;
static isopod_entropy entropy = {.fill = repeatable_entropy, .state = &entropy_state};
static const isopod_packet_encryptor encryptor = {
    .workspace = {workspace, sizeof workspace}, .entropy = &entropy, .sender = &sender};
static const isopod_packet_config config = {.params = &BENCH_PARAMS,
                                            .key = &key,
                                            .scheme = BENCH_LOG2_SCALE == 0 ? &isopod_packet_bfv
                                                                            : &isopod_packet_ckks,
                                            .method = &isopod_packet_stream,
                                            .columns = BENCH_READINGS,
                                            .log2_scale = BENCH_LOG2_SCALE,
                                            .log2_unit = BENCH_LOG2_SCALE == 0 ? 0 : -11,
                                            .dropped = BENCH_DROPPED,
                                            .device_bytes = 4};

static size_t encrypt(void) {
    const isopod_values values = {readings, BENCH_READINGS, ISOPOD_VALUES_INT16};
    size_t length = 0;
    isopod_region_begin();
    isopod_status status =
        isopod_packet_encrypt(&context, &encryptor, &values, out, sizeof out, &length);
    isopod_region_end();
    return status == ISOPOD_OK ? length : 0;
}

int main(int argc, char **argv) {
    uint32_t z = 12345;
    if (argc != 2) {
        fail("usage: app KEY_FILE");
    }
    load_file(argv[1], key_blob, sizeof key_blob);
    for (size_t i = 0; i < BENCH_READINGS; i++) {
        readings[i] = (int16_t)((int32_t)(generate(&z) >> 20) - 2048);
    }
    if (isopod_packet_key_open(&key, &BENCH_PARAMS, key_blob, sizeof key_blob) != ISOPOD_OK ||
        isopod_packet_open(&context, &config, &sender) != ISOPOD_OK) {
        fail("the library refuses the key or the context");
    }
    isopod_stack_paint();
    const size_t length = encrypt();
    const uint64_t digest = digest_of(out, length);
    if (encrypt() != length || digest == digest_of(out, length)) {
        fail("the second packet has another length, or the bytes of the first");
    }
    print("stack_bytes", isopod_stack_used());
    print("wire_bytes", length);
    print("digest", digest);
    print("ram_bytes", sizeof workspace + sizeof context + sizeof key + sizeof encryptor +
                           sizeof entropy + sizeof sender);
    return 0;
}
