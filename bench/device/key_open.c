/* The measured application: opens a sealed public key (isopod/sealed_key.h; region 0), then checks
 * it in full (region 1), and prints its measurements, one "name value" per line.
 *
 * Usage: app KEY_FILE
 * -DBENCH_PARAMS=      the set, a symbol of the library
 * -DBENCH_KEY_BYTES=   of the key without its seal */
#include <stddef.h>
#include <stdint.h>

#include "counter/markers.h"
#include "device/program.h"
#include "isopod/sealed_key.h"
#include "stack/stack.h"

#define EXTERNAL __attribute__((section(".bss.external")))

extern const isopod_params BENCH_PARAMS;

EXTERNAL static uint32_t sealed[(BENCH_KEY_BYTES + ISOPOD_KEY_SEAL_BYTES) / sizeof(uint32_t)];
static isopod_key key;

int main(int argc, char **argv) {
    if (argc != 2) {
        fail("usage: app KEY_FILE");
    }
    load_file(argv[1], sealed, sizeof sealed);
    isopod_stack_paint();
    isopod_region_begin();
    const isopod_status status =
        isopod_sealed_public_key_open(&key, &BENCH_PARAMS, sealed, sizeof sealed);
    isopod_region_end();
    print("stack_bytes", isopod_stack_used());
    isopod_region_begin();
    const isopod_status full = isopod_public_key_open(&key, &BENCH_PARAMS, sealed, BENCH_KEY_BYTES);
    isopod_region_end();
    if (status != ISOPOD_OK || full != ISOPOD_OK) {
        fail("the library refuses the key");
    }
    print("ram_bytes", sizeof key);
    return 0;
}
