/* The measured decryption: opens a secret key in NTT form and decrypts one sealed result to float32
 * or int32 values, first its bare residues (region 0), then the authenticated item (region 1), and
 * prints its measurements, one "name value" per line.
 *
 * Usage: app KEY_FILE RESULT_FILE
 * -DBENCH_PARAMS= -DBENCH_TABLES=   symbols of the library and of the generated tables
 * -DBENCH_DECODER=               symbol of the decoder
 * -DBENCH_PRIMES64=0|1                set of 64-bit primes
 * -DBENCH_N= -DBENCH_PLAIN_MODULUS= -DBENCH_PRIMES= -DBENCH_KEY_BYTES= -DBENCH_RESULT_BYTES= */
#include <stddef.h>
#include <stdint.h>

#include "counter/markers.h"
#include "isopod/key.h"
#include "isopod/result.h"
#include "semihosting/semihosting.h"
#include "stack/stack.h"

enum { PIECE_BYTES = 1024 };

#define EXTERNAL __attribute__((section(".bss.external")))

extern const isopod_params BENCH_PARAMS;
extern const isopod_tables BENCH_TABLES;

EXTERNAL static _Alignas(8) uint32_t key_blob[BENCH_KEY_BYTES / 4];
EXTERNAL static uint8_t item[BENCH_RESULT_BYTES];
#if BENCH_PLAIN_MODULUS
enum { VALUES = BENCH_N, TYPE = ISOPOD_VALUES_INT32 };
#else
enum { VALUES = BENCH_N / 2, TYPE = ISOPOD_VALUES_FLOAT32 };
#endif
static uint32_t output[VALUES];
#if BENCH_PRIMES64
#define WORKSPACE_BYTES ISOPOD64_DECRYPT_WORKSPACE(BENCH_N, BENCH_PRIMES, 0)
#else
#define WORKSPACE_BYTES ISOPOD_DECRYPT_WORKSPACE(BENCH_N, BENCH_PRIMES, 0)
#endif
static _Alignas(8) uint8_t workspace[WORKSPACE_BYTES];
static const isopod_workspace memory = {workspace, sizeof workspace};

static isopod_key key;
static isopod_decrypt context;
static isopod_result result;
static const uint8_t *const link_key = (const uint8_t *)"a link key of 32 bytes, which is";

static _Noreturn void fail(const char *what) {
    semihosting_print(what);
    semihosting_print("\n");
    semihosting_exit(1);
}

static void print(const char *name, uint64_t value) {
    semihosting_print(name);
    semihosting_print(" ");
    semihosting_print_decimal(value);
    semihosting_print("\n");
}

/* FNV-1a of the values. */
static uint64_t digest(void) {
    uint64_t hash = 0xCBF29CE484222325U;
    const uint8_t *bytes = (const uint8_t *)output;
    for (size_t i = 0; i < sizeof output; i++) {
        hash = (hash ^ bytes[i]) * 0x100000001B3U;
    }
    return hash;
}

static void load(const char *path, void *out, size_t bytes) {
    const int file = semihosting_open(path, SEMIHOSTING_READ);
    if (file < 0 || semihosting_read(file, out, bytes) != bytes) {
        fail("a file is missing or short");
    }
    semihosting_close(file);
}

static isopod_status feed(const uint8_t *bytes, size_t length) {
    isopod_status status = ISOPOD_OK;
    for (size_t at = 0; at < length && status == ISOPOD_OK; at += PIECE_BYTES) {
        size_t left = length - at;
        status = isopod_decrypt_unauthenticated_feed(&context, bytes + at,
                                                     left < PIECE_BYTES ? left : PIECE_BYTES);
    }
    return status;
}

static isopod_status decrypt_bare(const isopod_decrypt_config *config, const isopod_decoded *out) {
    isopod_status status =
        isopod_decrypt_unauthenticated_begin(&context, config, &memory, &result.claim);
    if (status == ISOPOD_OK) {
        status = feed(result.c0, result.c0_bytes);
    }
    if (status == ISOPOD_OK) {
        status = feed(result.c1, result.c1_bytes);
    }
    return status == ISOPOD_OK ? isopod_decrypt_unauthenticated_finish(&context, out) : status;
}

static isopod_status decrypt_sealed(const isopod_decrypt_config *config,
                                    const isopod_decoded *out) {
    isopod_status status = isopod_result_open(&result, &BENCH_PARAMS, link_key, item, sizeof item);
    return status == ISOPOD_OK ? isopod_decrypt_result(&context, config, &memory, &result, out)
                               : status;
}

static void measure(const isopod_decrypt_config *config, const isopod_decoded *out) {
    isopod_region_begin();
    const isopod_status bare = decrypt_bare(config, out);
    isopod_region_end();
    const uint64_t bare_digest = digest();
    isopod_region_begin();
    const isopod_status sealed = decrypt_sealed(config, out);
    isopod_region_end();
    if (bare != ISOPOD_OK || sealed != ISOPOD_OK) {
        fail("the library refuses the result");
    }
    print("stack_bytes", isopod_stack_used());
    print("bare_digest", bare_digest);
    print("sealed_digest", digest());
    print("ram_bytes", sizeof workspace + sizeof output + sizeof context + sizeof key);
    print("result_bytes", sizeof result);
}

static isopod_status open_key(void) {
#if BENCH_PRIMES64
    return isopod64_decryption_key_open(&key, &BENCH_PARAMS, (const void *)key_blob,
                                        sizeof key_blob);
#else
    return isopod_decryption_key_open(&key, &BENCH_PARAMS, key_blob, sizeof key_blob);
#endif
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fail("usage: app KEY_FILE RESULT_FILE");
    }
    const isopod_decrypt_config config = {
        .params = &BENCH_PARAMS,
        .tables = &BENCH_TABLES,
        .key = &key,
        .decoder = &BENCH_DECODER,
        .log2_bound = 0,
    };
    const isopod_decoded out = {output, VALUES, (isopod_value_type)TYPE};
    load(argv[1], key_blob, sizeof key_blob);
    load(argv[2], item, sizeof item);
    isopod_stack_paint();
    if (open_key() != ISOPOD_OK ||
        isopod_result_open(&result, &BENCH_PARAMS, link_key, item, sizeof item) != ISOPOD_OK) {
        fail("the library refuses the key or the result");
    }
    measure(&config, &out);
    return 0;
}
