/* The measured application: opens one key, encrypts one input twice with one scheme and kind of
 * key, first as bare residues (region 0), then as an authenticated frame (region 1), and prints
 * its measurements, one "name value" per line.
 *
 * Usage: app KEY_FILE CHUNKS
 * -DBENCH_PARAMS= -DBENCH_TABLES= -DBENCH_SUITE=   symbols of the library and the generated tables
 * -DBENCH_N= -DBENCH_PRIMES= -DBENCH_LOG2_SCALE= -DBENCH_KEY_BYTES= -DBENCH_WIRE_BYTES=
 * -DBENCH_KIND=1..4                or 33, 34: the file has a blob per prime, RAM holds one
 * -DBENCH_PLAIN_MODULUS=           0 in CKKS
 * -DBENCH_PRIMES64=                1 for 64-bit primes
 * -DBENCH_VALUES_INSIDE            the values lie in the workspace
 * -DBENCH_METHOD=                  rounded coefficients (isopod/rounded.h), by this method
 * -DBENCH_WORKSPACE= -DBENCH_DROPPED=   then its macro, and the dropped bits of c0 and c1
 *
 * -DBENCH_LINEAR_TAGS=1, 2         then frames with a linear tag, or also one of columns
 *
 * The input is n/2 floats in [-1, 1]: z = 1664525 z + 1013904223 mod 2^32 from 12345, each z as a
 * signed number / 2^31; in BFV n integers z * t / 2^33; of rounded coefficients rows of thirty
 * 16-bit numbers z / 2^16, in CKKS in units of 2^-15. Entropy is the same generator from 1:
 * counts and bytes repeat, and all targets must give the same bytes. */
#include <stddef.h>
#include <stdint.h>

#include "counter/markers.h"
#include "device/program.h"
#include "device/word_size.h"
#include "isopod/bfv.h"
#include "isopod/ckks.h"
#include "isopod/frame.h"
#include "isopod/key.h"
#include "isopod/rounded.h"
#include "isopod/split_key.h"
#include "stack/stack.h"

enum { PIECE_BYTES = 1024, FIRST_INPUT = 12345, FIRST_ENTROPY = 1 };

#ifdef BENCH_METHOD
enum { COLUMNS = 30 };
#define VALUES (BENCH_N / COLUMNS * COLUMNS)
typedef int16_t value;
#define TYPE ISOPOD_VALUES_INT16
#if BENCH_PLAIN_MODULUS
#define LOG2_UNIT 0
#define begin_encryption isopod_bfv_rounded_begin
#else
#define LOG2_UNIT (-15)
#define begin_encryption isopod_ckks_rounded_begin
#endif
#elif BENCH_PLAIN_MODULUS
#define MESSAGE_BYTES ISOPOD_BFV_MESSAGE_BYTES(BENCH_N, 0)
#define VALUES BENCH_N
typedef uint32_t value;
#define TYPE ISOPOD_VALUES_UINT32
#define begin_encryption isopod_bfv_begin
#else
#define MESSAGE_BYTES ISOPOD_CKKS_MESSAGE_BYTES(BENCH_N, BENCH_LOG2_SCALE > ISOPOD_MESSAGE32_BITS)
#define VALUES (BENCH_N / 2)
typedef float value;
#define TYPE ISOPOD_VALUES_FLOAT32
#define begin_encryption isopod_ckks_begin
#endif

#ifdef BENCH_METHOD
typedef isopod_rounded encryption;
typedef isopod_value_source encryption_values;
#define next_bytes isopod_rounded_next
#define begin_frame isopod_rounded_frame_begin
#if BENCH_KIND == 4
#define WORKSPACE(chunks) BENCH_WORKSPACE(BENCH_N, BENCH_PRIMES, 0)
#define open_key open_secret
#else
#define WORKSPACE(chunks) BENCH_WORKSPACE(BENCH_N, BENCH_PRIMES)
#define open_key open_public
#endif
#ifdef BENCH_LINEAR_TAGS
static isopod_linear_key linear_key; /* as in flash, where the device key is, too */
#define LINEAR_KEY (&linear_key)
#else
#define LINEAR_KEY NULL
#endif
static const isopod_rounding rounding = {
    .method = &BENCH_METHOD, .columns = COLUMNS, .dropped = {BENCH_DROPPED}};
#else
typedef isopod_encryption encryption;
typedef isopod_values encryption_values;
#define next_bytes isopod_encryption_next
#define begin_frame isopod_frame_begin
#if BENCH_KIND == 4
#define WORKSPACE(chunks) SECRET_NTT_WORKSPACE(BENCH_N, chunks, MESSAGE_BYTES)
#define open_key open_secret
#elif BENCH_KIND == 3
#define WORKSPACE(chunks) SECRET_TERNARY_WORKSPACE(BENCH_N, chunks, MESSAGE_BYTES)
#define open_key open_secret
#else
#define WORKSPACE(chunks) PUBLIC_WORKSPACE(BENCH_N, chunks, MESSAGE_BYTES)
#define open_key open_public
#endif
#endif

#define EXTERNAL __attribute__((section(".bss.external")))

extern const isopod_params BENCH_PARAMS;
extern const isopod_tables BENCH_TABLES;

EXTERNAL static key_word key_blob[BENCH_KEY_BYTES / sizeof(key_word)];
EXTERNAL static uint8_t wire[BENCH_WIRE_BYTES];
static _Alignas(8) uint8_t workspace[WORKSPACE(1)];
#ifdef BENCH_VALUES_INSIDE
#define input                                                                                      \
    ((value *)(void *)(workspace + ISOPOD_CKKS_VALUES_OFFSET(BENCH_N, BENCH_LOG2_SCALE >           \
                                                                          ISOPOD_MESSAGE32_BITS)))
#else
EXTERNAL static value input[VALUES];
#endif

#if BENCH_KIND >= 33
#define BLOB_BYTES (BENCH_KEY_BYTES / BENCH_PRIMES)
static key_word held[BLOB_BYTES / sizeof(key_word)];
static isopod_split_key split;
#define KEY (&split.key)
#define KEY_RAM_BYTES (sizeof split + sizeof held)
#else
static isopod_key key;
#define KEY (&key)
#define KEY_RAM_BYTES sizeof key
#endif
static encryption context;
static isopod_frame frame;
static isopod_sender sender = {
    .device = 1, .epoch = 1, .key = (const uint8_t *)"a device key of 32 bytes, public"};

static uint32_t entropy_state = FIRST_ENTROPY;
static isopod_entropy entropy = {.fill = repeatable_entropy, .state = &entropy_state};

#if BENCH_KIND >= 33
/* Reads a prime's blob from memory that is not counted, as from a card. */
static int load(void *state, uint8_t prime, void *blob, size_t bytes) {
    const key_word *from = (const key_word *)state + prime * (bytes / sizeof(key_word));
    for (size_t i = 0; i < bytes / sizeof(key_word); i++) {
        ((key_word *)blob)[i] = from[i];
    }
    return 0;
}

static isopod_status open_bench_key(void) {
    const isopod_key_loader loader = {load, key_blob, (uint32_t *)(void *)held, sizeof held};
    return open_split(&split, &BENCH_PARAMS, &loader);
}
#else
static isopod_status open_bench_key(void) {
    return open_key(&key, &BENCH_PARAMS, key_blob, sizeof key_blob);
}
#endif

static void fill_input(void) {
    uint32_t z = FIRST_INPUT;
    for (size_t i = 0; i < VALUES; i++) {
#ifdef BENCH_METHOD
        input[i] = (int16_t)(generate(&z) >> 16);
#elif BENCH_PLAIN_MODULUS
        input[i] = (uint32_t)((uint64_t)generate(&z) * BENCH_PLAIN_MODULUS >> 33);
#else
        input[i] = (float)(int32_t)generate(&z) * 0x1p-31F;
#endif
    }
}

static size_t smaller(size_t left, size_t right) {
    return left < right ? left : right;
}

static size_t encrypt(const isopod_encryption_config *config, const isopod_encryptor *encryptor,
                      const encryption_values *values) {
    size_t total = 0;
    size_t length = 0;
    isopod_status status = begin_encryption(&context, config, encryptor, values);
    while (status == ISOPOD_OK) {
        total += length;
        status =
            next_bytes(&context, wire + total, smaller(PIECE_BYTES, sizeof wire - total), &length);
    }
    return status == ISOPOD_DONE ? total : 0;
}

static size_t encrypt_framed(const isopod_encryption_config *config,
                             const isopod_encryptor *encryptor, const encryption_values *values) {
    size_t total = 0;
    isopod_piece piece = {0};
    isopod_status status = begin_encryption(&context, config, encryptor, values);
    if (status == ISOPOD_OK) {
        status = begin_frame(&frame, &context);
    }
    while (status == ISOPOD_OK) {
        total += piece.length;
        status = isopod_frame_next(&frame, wire + total, smaller(PIECE_BYTES, sizeof wire - total),
                                   &piece);
    }
    return status == ISOPOD_DONE ? total : 0;
}

static void measure(const isopod_encryption_config *config, const isopod_encryptor *encryptor) {
    const isopod_values array = {.data = input, .count = VALUES, .type = TYPE};
#ifdef BENCH_METHOD
    const isopod_value_source values = {.values = array, .log2_unit = LOG2_UNIT};
#else
    const isopod_values values = array;
#endif
    fill_input();
    isopod_region_begin();
    const size_t bare = encrypt(config, encryptor, &values);
    isopod_region_end();
    const uint64_t bare_digest = digest_of(wire, bare);
    fill_input();
    isopod_region_begin();
    const size_t framed = encrypt_framed(config, encryptor, &values);
    isopod_region_end();
    print("stack_bytes", isopod_stack_used());
    print("residue_bytes", bare);
    print("residue_digest", bare_digest);
    print("wire_bytes", framed);
    print("wire_digest", digest_of(wire, framed));
    print("ram_bytes", encryptor->workspace.bytes + sizeof context + KEY_RAM_BYTES +
                           sizeof *encryptor + sizeof entropy + sizeof sender);
    print("frame_bytes", sizeof frame);
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fail("usage: app KEY_FILE CHUNKS");
    }
    const uint8_t chunks = (uint8_t)(argv[2][0] - '0');
    const isopod_encryption_config config = {
        .params = &BENCH_PARAMS,
        .tables = &BENCH_TABLES,
        .suite = &BENCH_SUITE,
        .key = KEY,
        .chunks = chunks,
        .log2_scale = BENCH_LOG2_SCALE,
        .log2_bound = 0,
#if BENCH_LOG2_SCALE > 30 && !defined BENCH_METHOD
        .encoder = &isopod_encoder_slots64,
#endif
        .accept_label = BENCH_PARAMS.label,
#ifdef BENCH_METHOD
        .layout = ISOPOD_COEFFICIENTS_ROUNDED,
        .stride = COLUMNS,
        .rounding = &rounding,
        .linear_key = LINEAR_KEY,
#endif
    };
    const isopod_encryptor encryptor = {{workspace, WORKSPACE(chunks)}, &entropy, &sender};
    load_file(argv[1], key_blob, sizeof key_blob);
#ifdef BENCH_LINEAR_TAGS
    const isopod_linear_secrets secrets = {.group = "of a group", .device = "of a device"};
    (BENCH_LINEAR_TAGS == 2 ? isopod_linear_key_open_columns : isopod_linear_key_open)(&linear_key,
                                                                                       &secrets);
#endif
    isopod_stack_paint();
    if (open_bench_key() != ISOPOD_OK) {
        fail("the library refuses the key");
    }
    measure(&config, &encryptor);
    return 0;
}
