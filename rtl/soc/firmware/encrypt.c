/* One encryption through the library, measured on the core: encrypt KEY_FILE
 *
 * The program is the same for software and for the engine: the backend that it is linked with
 * decides. Prints one "name value" per line: cycles of the first encryption (`first`: with the
 * engine it also loads key and descriptors), of the second (`whole`), of its begin, and of its
 * second prime (`prime`, 0 if there is one prime only); bytes and their digest, which must not
 * depend on who computed them. BENCH_FRAMED: whole frames, whose parts begin at multiples of 8.
 * Input, entropy and definitions are those of bench/device/app.c. */
#include <stddef.h>
#include <stdint.h>

#include "../../../bench/device/program.h"
#include "../../../bench/device/word_size.h"
#include "cycles.h"
#include "isopod/ckks.h"
#include "isopod/encoder.h"
#include "isopod/frame.h"
#include "isopod/key.h"
#include "isopod/rounded.h"

enum { FIRST_INPUT = 12345, FIRST_ENTROPY = 1 };

/* BENCH_LAYOUT: 1 and 3 are repeated, 2 and 3 complex, 5 rounded coefficients. */
#define IS_COMPLEX (BENCH_LAYOUT == 2 || BENCH_LAYOUT == 3)
#define IS_ROUNDED (BENCH_LAYOUT == 5)
#define COUNT (IS_ROUNDED ? BENCH_N - 8u : BENCH_LAYOUT % 2 != 0 ? 64u : BENCH_N / 2u)
#if IS_COMPLEX
#define MESSAGE_BYTES ISOPOD_CKKS_FULL_MESSAGE_BYTES(BENCH_N, 0)
#define ENCODER &isopod_encoder_complex32_nearest
#else
#define MESSAGE_BYTES ISOPOD_CKKS_MESSAGE_BYTES(BENCH_N, 0)
#define ENCODER &isopod_encoder_slots32_nearest
#endif
#if IS_ROUNDED && BENCH_KIND >= 3
#define WORKSPACE ISOPOD_ROUNDED_SECRET_WORKSPACE(BENCH_N, 1, BENCH_KIND == 3)
#define METHOD &isopod_rounded_secret
#define open_key open_secret
#elif IS_ROUNDED
#define WORKSPACE ISOPOD_ROUNDED_PUBLIC_WORKSPACE(BENCH_N, 1)
#define METHOD &isopod_rounded_public
#define open_key open_public
#elif BENCH_KIND == 4
#define WORKSPACE SECRET_NTT_WORKSPACE(BENCH_N, 1, MESSAGE_BYTES)
#define open_key open_secret
#elif BENCH_KIND == 3
#define WORKSPACE SECRET_TERNARY_WORKSPACE(BENCH_N, 1, MESSAGE_BYTES)
#define open_key open_secret
#else
#define WORKSPACE PUBLIC_WORKSPACE(BENCH_N, 1, MESSAGE_BYTES)
#define open_key open_public
#endif

/* Header, tag and alignment of a part. */
#define PART_BYTES (ISOPOD_PART_HEADER_MOST + 17u + 8u)

#define EXTERNAL __attribute__((section(".bss.external"), aligned(8)))

extern const isopod_ckks_params BENCH_PARAMS;
extern const isopod_ckks_tables BENCH_TABLES;

EXTERNAL static key_word key_blob[BENCH_KEY_BYTES / sizeof(key_word)];
EXTERNAL static uint8_t wire[BENCH_WIRE_BYTES + BENCH_FRAMED * BENCH_PRIMES * PART_BYTES];
EXTERNAL static float input[COUNT * (IS_COMPLEX ? 2u : 1u)];
EXTERNAL static uint8_t workspace[WORKSPACE];

static isopod_key key;
#if IS_ROUNDED
static isopod_rounded context;
static const isopod_rounding rounding = {.method = METHOD, .dropped = {7, BENCH_KIND < 3 ? 3 : 0}};
#define ROUNDING &rounding
#define next_bare isopod_rounded_next
#define frame_begin isopod_rounded_frame_begin
#else
static isopod_encryption context;
#define ROUNDING NULL
#define next_bare isopod_encryption_next
#define frame_begin isopod_frame_begin
#endif

typedef struct {
    uint32_t whole;
    uint32_t begin;
    uint32_t prime;
    size_t bytes;
} measurement;

static uint32_t entropy_state = FIRST_ENTROPY;
static isopod_entropy entropy = {.fill = repeatable_entropy, .state = &entropy_state};
static isopod_sender sender = {
    .device = 1, .epoch = 1, .key = (const uint8_t *)"a device key of 32 bytes, public"};
static const isopod_encryptor encryptor = {{workspace, sizeof workspace}, &entropy, &sender};

static void load_key(const char *path) {
    load_file(path, key_blob, sizeof key_blob);
    if (open_key(&key, &BENCH_PARAMS, key_blob, sizeof key_blob) != ISOPOD_OK) {
        fail("the library refuses the key");
    }
}

static void fill_input(void) {
    uint32_t z = FIRST_INPUT;
    for (size_t i = 0; i < sizeof input / sizeof *input; i++) {
        input[i] = (float)(int32_t)generate(&z) * 0x1p-31F;
    }
}

static isopod_status begin(const isopod_encryption_config *config, const isopod_values *values) {
#if IS_ROUNDED
    const isopod_value_source source = {.values = *values};
    return isopod_ckks_rounded_begin(&context, config, &encryptor, &source);
#else
    return isopod_ckks_begin(&context, config, &encryptor, values);
#endif
}

#if BENCH_FRAMED
static isopod_frame frame;

static isopod_status open_frame(void) {
    return frame_begin(&frame, &context);
}

/* Behind the end of a part, `length` includes the bytes up to a multiple of 8. */
static isopod_status next(uint8_t *out, size_t capacity, size_t *length) {
    isopod_piece piece;
    isopod_status status = isopod_frame_next(&frame, out, capacity, &piece);
    *length = piece.length;
    if (piece.part_complete) {
        *length += (8u - ((size_t)(out - wire) + piece.length) % 8u) % 8u;
    }
    return status;
}
#else
static isopod_status open_frame(void) {
    return ISOPOD_OK;
}

static isopod_status next(uint8_t *out, size_t capacity, size_t *length) {
    return next_bare(&context, out, capacity, length);
}
#endif

static measurement encrypt(const isopod_encryption_config *config, const isopod_values *values) {
    measurement taken = {0, 0, 0, 0};
    uint32_t ends[16] = {0}, primes = 0;
    size_t length = 0, last = 0;
    const uint32_t start = cycles_now();
    isopod_status status = begin(config, values);
    taken.begin = cycles_now() - start;
    if (status == ISOPOD_OK) {
        status = open_frame();
    }
    while (status == ISOPOD_OK) {
        taken.bytes += length;
        status = next(wire + taken.bytes, sizeof wire - taken.bytes, &length);
        if (taken.bytes - last >= BENCH_PRIME_BYTES) {
            ends[primes++ & 15u] = cycles_now();
            last = taken.bytes;
        }
    }
    taken.whole = cycles_now() - start;
    taken.prime = primes > 1 ? ends[1] - ends[0] : 0;
    if (status != ISOPOD_DONE) {
        fail("the encryption ended with an error");
    }
    return taken;
}

int main(int argc, char **argv) {
    const isopod_encryption_config config = {
        .params = &BENCH_PARAMS,
        .tables = &BENCH_TABLES,
        .suite = &BENCH_SUITE,
        .key = &key,
        .hedge_without_values = 1, /* hashing them takes longer than the engine */
        .chunks = !IS_ROUNDED,
        .log2_scale = BENCH_LOG2_SCALE,
        .log2_bound = 0,
        .layout = BENCH_LAYOUT,
        .encoder = IS_ROUNDED ? NULL : ENCODER,
        .rounding = ROUNDING,
        .accept_label = BENCH_PARAMS.label,
    };
    const isopod_values values = {input, COUNT, ISOPOD_VALUES_FLOAT32};
    if (argc != 2) {
        fail("usage: encrypt KEY_FILE");
    }
    load_key(argv[1]);
    fill_input();
    const measurement first = encrypt(&config, &values);
    const measurement second = encrypt(&config, &values);
    print("first", first.whole);
    print("whole", second.whole);
    print("begin", second.begin);
    print("prime", second.prime);
    print("bytes", second.bytes);
    print("digest", digest_of(wire, second.bytes));
    return 0;
}
