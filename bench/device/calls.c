/* The measured calls of one frame by public key, each a region: the key is opened (0), the
 * encryption begins (1), and every piece of the frame is taken (2 and on). Prints its measurements,
 * one "name value" per line.
 *
 * Usage: app KEY_FILE
 * -DBENCH_PARAMS= -DBENCH_TABLES= -DBENCH_SUITE=   symbols of the library and the generated tables
 * -DBENCH_N= -DBENCH_LOG2_SCALE= -DBENCH_KEY_BYTES= -DBENCH_CHUNKS= -DBENCH_PIECE_BYTES=
 * -DBENCH_DROPPED=     rounded coefficients of rows of 30 readings, and the bits dropped; else
 * slots */
#include <stddef.h>
#include <stdint.h>

#include "counter/markers.h"
#include "device/program.h"
#include "isopod/ckks.h"
#include "isopod/frame.h"
#include "isopod/rounded.h"
#include "stack/stack.h"

#define EXTERNAL __attribute__((section(".bss.external")))

extern const isopod_params BENCH_PARAMS;
extern const isopod_tables BENCH_TABLES;

#ifdef BENCH_DROPPED
enum { COLUMNS = 30, VALUES = BENCH_N / COLUMNS * COLUMNS };
static _Alignas(8) uint8_t workspace[ISOPOD_ROUNDED_PUBLIC_SMALL_WORKSPACE(BENCH_N, 1)];
static isopod_rounded context;
static const isopod_rounding rounding = {
    .method = &isopod_rounded_public_small, .columns = COLUMNS, .dropped = {BENCH_DROPPED}};
#define SETTINGS .layout = ISOPOD_COEFFICIENTS_ROUNDED, .stride = COLUMNS, .rounding = &rounding
#define begin_frame isopod_rounded_frame_begin
#else
enum { VALUES = BENCH_N / 2 };
static _Alignas(8) uint8_t workspace[ISOPOD_CKKS_PUBLIC_WORKSPACE(BENCH_N, BENCH_CHUNKS, 0)];
static isopod_ckks context;
#define SETTINGS .chunks = BENCH_CHUNKS
#define begin_frame isopod_frame_begin
#endif

EXTERNAL static uint32_t key_blob[BENCH_KEY_BYTES / 4];
EXTERNAL static float input[VALUES];
static isopod_key key;
static isopod_frame frame;
static isopod_sender sender = {
    .device = 1, .epoch = 1, .key = (const uint8_t *)"a device key of 32 bytes, public"};
static uint32_t entropy_state;
static isopod_entropy entropy = {.fill = repeatable_entropy, .state = &entropy_state};
static const isopod_encryptor encryptor = {{workspace, sizeof workspace}, &entropy, &sender};
static const isopod_ckks_config config = {.params = &BENCH_PARAMS,
                                          .tables = &BENCH_TABLES,
                                          .suite = &BENCH_SUITE,
                                          .key = &key,
                                          .log2_scale = BENCH_LOG2_SCALE,
                                          SETTINGS};

static isopod_status begin(void) {
    const isopod_values values = {input, VALUES, ISOPOD_VALUES_FLOAT32};
#ifdef BENCH_DROPPED
    const isopod_value_source source = {.values = values};
    return isopod_ckks_rounded_begin(&context, &config, &encryptor, &source);
#else
    return isopod_ckks_begin(&context, &config, &encryptor, &values);
#endif
}

/* Bytes of the frame. */
static size_t take(void) {
    size_t total = 0;
    isopod_status status = begin_frame(&frame, &context);
    while (status == ISOPOD_OK) {
        uint8_t buffer[BENCH_PIECE_BYTES];
        isopod_piece piece = {0};
        isopod_region_begin();
        status = isopod_frame_next(&frame, buffer, sizeof buffer, &piece);
        isopod_region_end();
        total += piece.length;
    }
    return status == ISOPOD_DONE ? total : 0;
}

int main(int argc, char **argv) {
    uint32_t z = 12345;
    if (argc != 2) {
        fail("usage: app KEY_FILE");
    }
    load_file(argv[1], key_blob, sizeof key_blob);
    for (size_t i = 0; i < VALUES; i++) {
        input[i] = (float)(int32_t)generate(&z) * 0x1p-31F;
    }
    isopod_stack_paint();
    isopod_region_begin();
    isopod_status status = isopod_public_key_open(&key, &BENCH_PARAMS, key_blob, sizeof key_blob);
    isopod_region_end();
    isopod_region_begin();
    status = status == ISOPOD_OK ? begin() : status;
    isopod_region_end();
    const size_t total = status == ISOPOD_OK ? take() : 0;
    print("stack_bytes", isopod_stack_used());
    print("wire_bytes", total);
    print("ram_bytes", sizeof workspace + sizeof context + sizeof key + sizeof frame +
                           sizeof encryptor + sizeof entropy + sizeof sender);
    return total == 0;
}
