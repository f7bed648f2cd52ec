/* The measured key generation: the payload of a public key with both polynomials (region 0), then a
 * whole blob of the same pair with key_id and digest (region 1); prints its measurements, one
 * "name value" per line.
 *
 * Usage: app CHUNKS
 * -DBENCH_PARAMS= -DBENCH_TABLES=   symbols of the library and of the generated tables
 * -DBENCH_N= -DBENCH_KEY_BYTES=
 * -DBENCH_PRIMES64=0|1                  set of 64-bit primes */
#include <stddef.h>
#include <stdint.h>

#include "counter/markers.h"
#include "isopod/key_pair.h"
#include "semihosting/semihosting.h"
#include "stack/stack.h"

enum { PIECE_BYTES = 1024 };

#define EXTERNAL __attribute__((section(".bss.external")))

#if BENCH_PRIMES64
#define WORKSPACE_BYTES ISOPOD64_KEY_PAIR_WORKSPACE
#define begin_pair isopod64_key_pair_begin
#define begin_payload isopod64_key_pair_payload
#define next_piece isopod64_key_pair_next
#define close_pair isopod64_key_pair_close
#define identify isopod64_key_identify
#define write_header isopod64_key_header
#else
#define WORKSPACE_BYTES ISOPOD_KEY_PAIR_WORKSPACE
#define begin_pair isopod_key_pair_begin
#define begin_payload isopod_key_pair_payload
#define next_piece isopod_key_pair_next
#define close_pair isopod_key_pair_close
#define identify isopod_key_identify
#define write_header isopod_key_header
#endif

extern const isopod_ckks_params BENCH_PARAMS;
extern const isopod_ckks_tables BENCH_TABLES;

EXTERNAL static _Alignas(8) uint32_t blob[BENCH_KEY_BYTES / 4];
static _Alignas(8) uint8_t workspace[WORKSPACE_BYTES(BENCH_N, 1)];
static uint8_t buffer[PIECE_BYTES];
static isopod_key_pair pair;

static int repeatable_entropy(void *state, uint8_t *out, size_t length) {
    uint32_t *z = state;
    for (size_t i = 0; i < length; i++) {
        *z = *z * 1664525U + 1013904223U;
        out[i] = (uint8_t)(*z >> 24);
    }
    return 0;
}

static uint32_t entropy_state = 1;
static isopod_entropy entropy = {.fill = repeatable_entropy, .state = &entropy_state};

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

/* Takes the place of a write to flash. */
static void store(uint32_t offset, uint32_t length) {
    uint8_t *at = (uint8_t *)blob + ISOPOD_KEY_HEADER_BYTES + offset;
    for (uint32_t i = 0; i < length; i++) {
        at[i] = buffer[i];
    }
}

/* FNV-1a of the blob. */
static uint64_t digest(void) {
    uint64_t hash = 0xCBF29CE484222325U;
    for (size_t i = 0; i < sizeof blob; i++) {
        hash = (hash ^ ((const uint8_t *)blob)[i]) * 0x100000001B3U;
    }
    return hash;
}

static isopod_status generate(void (*keep)(uint32_t offset, uint32_t length)) {
    isopod_key_piece piece = {0, 0};
    isopod_status status = begin_payload(&pair, ISOPOD_KEY_PUBLIC);
    while (status == ISOPOD_OK) {
        status = next_piece(&pair, buffer, sizeof buffer, &piece);
        if (keep != NULL) {
            keep(piece.offset, piece.length);
        }
    }
    return status;
}

static isopod_status seal(void) {
    uint8_t key_id[ISOPOD_KEY_ID_BYTES];
    const void *payload = blob + ISOPOD_KEY_HEADER_BYTES / 4;
    isopod_status status = identify(key_id, &BENCH_PARAMS, ISOPOD_KEY_PUBLIC, payload);
    return status == ISOPOD_OK
               ? write_header((uint8_t *)blob, &BENCH_PARAMS, ISOPOD_KEY_PUBLIC, payload, key_id)
               : status;
}

int main(int argc, char **argv) {
    const isopod_key_pair_config config = {.params = &BENCH_PARAMS,
                                           .tables = &BENCH_TABLES,
                                           .chunks = (uint8_t)(argc == 2 ? argv[1][0] - '0' : 0)};
    const isopod_workspace memory = {workspace, sizeof workspace};
    isopod_stack_paint();
    isopod_region_begin();
    isopod_status begun = begin_pair(&pair, &config, &memory, &entropy);
    isopod_status generated = begun == ISOPOD_OK ? generate(NULL) : begun;
    isopod_region_end();
    isopod_region_begin();
    isopod_status stored = generate(store);
    isopod_status sealed = seal();
    isopod_region_end();
    if (generated != ISOPOD_DONE || stored != ISOPOD_DONE || sealed != ISOPOD_OK) {
        fail("the library makes no key");
    }
    print("stack_bytes", isopod_stack_used());
    print("digest", digest());
    print("ram_bytes", WORKSPACE_BYTES(BENCH_N, config.chunks) + sizeof pair + sizeof entropy);
    close_pair(&pair);
    return 0;
}
