/* The measured products: a frame of rows of readings and products that come ready (region 0), then
 * the same frame from the readings alone (region 1); prints its measurements, one "name value" per
 * line.
 *
 * Usage: app KEY_FILE
 * -DBENCH_PARAMS= -DBENCH_TABLES= -DBENCH_SUITE=   symbols of the library and the generated tables
 * -DBENCH_N= -DBENCH_LOG2_SCALE= -DBENCH_KEY_BYTES= -DBENCH_WIRE_BYTES= -DBENCH_COLUMNS=
 *
 * Readings are 16-bit numbers z / 2^16 of app.c in units of 2^-15, under a secret key. */
#include <stddef.h>
#include <stdint.h>

#include "counter/markers.h"
#include "device/program.h"
#include "isopod/ckks.h"
#include "isopod/moments.h"
#include "isopod/rounded.h"
#include "stack/stack.h"

enum { PIECE_BYTES = 1024, LOG2_UNIT = -15 };

#define DERIVED ISOPOD_MOMENTS_COLUMNS(BENCH_COLUMNS, ISOPOD_MOMENTS_PRODUCTS)
#define ROWS (BENCH_N / DERIVED)
#define EXTERNAL __attribute__((section(".bss.external")))

extern const isopod_params BENCH_PARAMS;
extern const isopod_tables BENCH_TABLES;

EXTERNAL static uint32_t key_blob[BENCH_KEY_BYTES / 4];
EXTERNAL static uint8_t wire[BENCH_WIRE_BYTES];
EXTERNAL static int16_t readings[ROWS * BENCH_COLUMNS];
EXTERNAL static int32_t ready[ROWS * DERIVED];
static _Alignas(8) uint8_t workspace[ISOPOD_ROUNDED_SECRET_WORKSPACE(BENCH_N, 1, 0)];
static int32_t memory[ISOPOD_MOMENTS_WORDS(BENCH_COLUMNS)];
static isopod_key key;
static isopod_moments moments;
static isopod_rounded context;
static isopod_sender sender = {
    .device = 1, .epoch = 1, .key = (const uint8_t *)"a device key of 32 bytes, public"};
static uint32_t entropy_state;
static isopod_entropy entropy;
static const isopod_encryptor encryptor = {{workspace, sizeof workspace}, &entropy, &sender};
static const isopod_rounding rounding = {
    .method = &isopod_rounded_secret, .columns = DERIVED, .dropped = {7, 0}};
static const isopod_encryption_config config = {.params = &BENCH_PARAMS,
                                                .tables = &BENCH_TABLES,
                                                .suite = &BENCH_SUITE,
                                                .key = &key,
                                                .log2_scale = BENCH_LOG2_SCALE,
                                                .layout = ISOPOD_COEFFICIENTS_ROUNDED,
                                                .hedge_without_values = 1,
                                                .rounding = &rounding};

static size_t smaller(size_t left, size_t right) {
    return left < right ? left : right;
}

/* Both frames take one entropy and sequence, so that their bytes agree. */
static size_t encrypt(const isopod_value_source *source) {
    size_t total = 0, length = 0;
    entropy_state = 1;
    entropy = (isopod_entropy){.fill = repeatable_entropy, .state = &entropy_state};
    sender.sequence = 0;
    isopod_status status = isopod_ckks_rounded_begin(&context, &config, &encryptor, source);
    while (status == ISOPOD_OK) {
        total += length;
        status = isopod_rounded_next(&context, wire + total,
                                     smaller(PIECE_BYTES, sizeof wire - total), &length);
    }
    return status == ISOPOD_DONE ? total : 0;
}

static isopod_value_source begin_moments(void) {
    const isopod_moments_input input = {
        .readings = {.values = {readings, ROWS * BENCH_COLUMNS, ISOPOD_VALUES_INT16},
                     .log2_unit = LOG2_UNIT},
        .columns = BENCH_COLUMNS,
        .kind = ISOPOD_MOMENTS_PRODUCTS,
        .memory = memory};
    isopod_value_source source;
    if (isopod_moments_begin(&moments, &source, &input, &config) != ISOPOD_OK) {
        fail("the library refuses the readings");
    }
    return source;
}

/* Fills the readings, and the numbers that come ready. */
static void fill_input(void) {
    uint32_t z = 12345;
    for (size_t i = 0; i < ROWS * BENCH_COLUMNS; i++) {
        readings[i] = (int16_t)(generate(&z) >> 16);
    }
    const isopod_value_source source = begin_moments();
    source.read_many(source.state, 0, source.values.count, ready);
    isopod_moments_end(&moments);
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fail("usage: app KEY_FILE");
    }
    load_file(argv[1], key_blob, sizeof key_blob);
    fill_input();
    isopod_stack_paint();
    if (isopod_secret_key_open(&key, &BENCH_PARAMS, key_blob, sizeof key_blob) != ISOPOD_OK) {
        fail("the library refuses the key");
    }
    isopod_value_source source = begin_moments();
    source.values.data = ready;
    isopod_region_begin();
    const size_t bare = encrypt(&source);
    isopod_region_end();
    const uint64_t digest = digest_of(wire, bare);
    isopod_region_begin();
    source = begin_moments();
    const size_t derived = encrypt(&source);
    isopod_moments_end(&moments);
    isopod_region_end();
    if (bare != derived || digest != digest_of(wire, derived)) {
        fail("products that come ready give other bytes");
    }
    print("stack_bytes", isopod_stack_used());
    print("residue_bytes", bare);
    print("residue_digest", digest);
    print("products", (uint64_t)ROWS * (DERIVED - BENCH_COLUMNS));
    print("ram_bytes", sizeof workspace + sizeof context + sizeof key + sizeof encryptor +
                           sizeof entropy + sizeof sender + sizeof memory + sizeof moments);
    return 0;
}
