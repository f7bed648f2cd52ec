/* The measured TFHE application: opens one key, encrypts one message twice, first as bare bodies
 * (region 0), then as an authenticated frame (region 1), and prints its measurements, one
 * "name value" per line.
 *
 * Usage: app KEY_FILE
 * -DBENCH_PARAMS= -DBENCH_TABLES= -DBENCH_SUITE=   symbols of the library and the generated table
 * -DBENCH_OPEN= -DBENCH_WORKSPACE=   function that opens the key, macro of the workspace
 * -DBENCH_SIZE= -DBENCH_WORD=        arguments of that macro
 * -DBENCH_PREPARED_DEGREE=           0 if the key is not prepared
 * -DBENCH_U8= -DBENCH_BOOL=          values of each type -DBENCH_KEY_BYTES= -DBENCH_WIRE_BYTES=
 *
 * Values are the top bits of z = 1664525 z + 1013904223 mod 2^32 from 12345. Entropy is the same
 * generator from 1: counts and bytes repeat, and all targets must give the same bytes. */
#include <stddef.h>
#include <stdint.h>

#include "counter/markers.h"
#include "device/program.h"
#include "isopod/tfhe.h"
#include "isopod/tfhe_frame.h"
#include "stack/stack.h"

enum { PIECE_BYTES = 1024, FIRST_INPUT = 12345, FIRST_ENTROPY = 1 };

#define EXTERNAL __attribute__((section(".bss.external")))

EXTERNAL static uint32_t key_blob[BENCH_KEY_BYTES / 4];
EXTERNAL static uint8_t wire[BENCH_WIRE_BYTES];
EXTERNAL static uint8_t bytes[BENCH_U8 + 1];
EXTERNAL static uint8_t bools[BENCH_BOOL + 1];
static _Alignas(8) uint8_t workspace[BENCH_WORKSPACE(BENCH_SIZE, BENCH_WORD)];

#if BENCH_PREPARED_DEGREE
static _Alignas(8) uint8_t prepared[ISOPOD_TFHE_PREPARED_BYTES(BENCH_PREPARED_DEGREE)];
#endif

extern const isopod_tfhe_tables BENCH_TABLES;

static isopod_tfhe_key key;
static isopod_tfhe context;
static isopod_tfhe_frame frame;
static isopod_sender sender = {
    .device = 1, .epoch = 1, .key = (const uint8_t *)"a device key of 32 bytes, public"};

static uint32_t entropy_state = FIRST_ENTROPY;
static isopod_entropy entropy = {.fill = repeatable_entropy, .state = &entropy_state};
static const isopod_encryptor encryptor = {{workspace, sizeof workspace}, &entropy, &sender};

static isopod_tfhe_run runs[2];

static isopod_tfhe_values fill_values(void) {
    uint32_t z = FIRST_INPUT;
    uint8_t count = 0;
    for (int i = 0; i < BENCH_U8; i++) {
        bytes[i] = (uint8_t)(generate(&z) >> 24);
    }
    for (int i = 0; i < BENCH_BOOL; i++) {
        bools[i] = (uint8_t)(generate(&z) >> 31);
    }
    if (BENCH_U8 > 0) {
        runs[count++] = (isopod_tfhe_run){bytes, BENCH_U8, ISOPOD_TFHE_U8};
    }
    if (BENCH_BOOL > 0) {
        runs[count++] = (isopod_tfhe_run){bools, BENCH_BOOL, ISOPOD_TFHE_BOOL};
    }
    return (isopod_tfhe_values){runs, count};
}

static size_t smaller(size_t left, size_t right) {
    return left < right ? left : right;
}

static size_t encrypt(const isopod_tfhe_config *config, const isopod_tfhe_values *values) {
    size_t total = 0;
    size_t length = 0;
    isopod_status status = isopod_tfhe_begin(&context, config, &encryptor, values);
    while (status == ISOPOD_OK) {
        total += length;
        status = isopod_tfhe_next(&context, wire + total, smaller(PIECE_BYTES, sizeof wire - total),
                                  &length);
    }
    return status == ISOPOD_DONE ? total : 0;
}

static size_t encrypt_framed(const isopod_tfhe_config *config, const isopod_tfhe_values *values) {
    size_t total = 0;
    size_t length = 0;
    isopod_status status = isopod_tfhe_begin(&context, config, &encryptor, values);
    if (status == ISOPOD_OK) {
        status = isopod_tfhe_frame_begin(&frame, &context);
    }
    while (status == ISOPOD_OK) {
        total += length;
        status = isopod_tfhe_frame_next(&frame, wire + total,
                                        smaller(PIECE_BYTES, sizeof wire - total), &length);
    }
    return status == ISOPOD_DONE ? total : 0;
}

static void measure(const isopod_tfhe_config *config) {
    const isopod_tfhe_values values = fill_values();
    isopod_region_begin();
    const size_t bare = encrypt(config, &values);
    isopod_region_end();
    const uint64_t bare_digest = digest_of(wire, bare);
    isopod_region_begin();
    const size_t framed = encrypt_framed(config, &values);
    isopod_region_end();
    print("stack_bytes", isopod_stack_used());
    print("residue_bytes", bare);
    print("residue_digest", bare_digest);
    print("wire_bytes", framed);
    print("wire_digest", digest_of(wire, framed));
    print("ram_bytes", sizeof workspace + sizeof context + sizeof key + sizeof entropy +
                           sizeof sender + ISOPOD_TFHE_PREPARED_BYTES(BENCH_PREPARED_DEGREE));
    print("frame_bytes", sizeof frame);
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fail("usage: app KEY_FILE");
    }
    const isopod_tfhe_config config = {
        .params = &BENCH_PARAMS,
        .tables = &BENCH_TABLES,
        .suite = &BENCH_SUITE,
        .key = &key,
        .accept_label = BENCH_PARAMS.label,
    };
    load_file(argv[1], key_blob, sizeof key_blob);
    isopod_stack_paint();
    if (BENCH_OPEN(&key, &BENCH_PARAMS, key_blob, sizeof key_blob) != ISOPOD_OK) {
        fail("the library refuses the key");
    }
#if BENCH_PREPARED_DEGREE
    if (isopod_tfhe_key_prepare(&key, &BENCH_TABLES, prepared, sizeof prepared) != ISOPOD_OK) {
        fail("the library does not prepare the key");
    }
#endif
    measure(&config);
    return 0;
}
