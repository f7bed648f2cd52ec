/* The engine by its registers: drive KEY_FILE measure|errors
 *
 * measure: an encryption and a transform with samples and residues moved by the engine's transfers,
 * and by the core; both ways must give the same bytes, the transform those of the library. Prints
 * "name value" lines. errors: bad input of every kind is refused with its error, and the encryption
 * after it gives the same bytes as before. Prints "N passed, N failed". */
#include <stddef.h>
#include <stdint.h>

#if BENCH_PRIMES64
#define ISOPOD_WORD_BITS 64
#endif
#include "../../../bench/device/word_size.h"
#include "../../../device/src/backend/accel/driver.h"
#include "../../../device/src/keys/blob.h"
#include "../../../device/src/ring/ntt.h"
#include "../../../device/src/ring/packing.h"
#include "../../../device/src/ring/pointwise.h"
#include "cycles.h"
#include "isopod/ckks.h"
#include "isopod/key.h"
#include "isopod/wire.h"
#include "semihosting/semihosting.h"

#define EXTERNAL __attribute__((section(".bss.external"), aligned(8)))
#define BEATS (BENCH_PRIME_BYTES / 8u)

enum { SECRET = 1, PUBLIC = 2, FORWARD = 3, NO_OPCODE = 15, FLOATS = 2, NOWHERE = 0x0f000000 };
enum { OPCODE = 1, DEGREE, PRIMES, MODULUS, OVERFLOW, KEY, ORDER, BUS, ABORT, FORMAT };

extern const isopod_ckks_params BENCH_PARAMS;
extern const isopod_ckks_tables BENCH_TABLES;

EXTERNAL static key_word key_blob[BENCH_KEY_BYTES / sizeof(key_word)];
EXTERNAL static uint8_t by_transfer[BENCH_WIRE_BYTES], by_core[BENCH_WIRE_BYTES];
EXTERNAL static float input[BENCH_N / 2], kept[BENCH_N / 2];
EXTERNAL static uint8_t
    workspace[PUBLIC_WORKSPACE(BENCH_N, 1, ISOPOD_CKKS_MESSAGE_BYTES(BENCH_N, 0))];
EXTERNAL static isopod_word words[BENCH_N];

static isopod_key key;
static uint32_t passed, failed;

static int entropy_of(void *state, uint8_t *out, size_t length) {
    for (size_t i = 0; i < length; i++) {
        out[i] = (uint8_t)(i + *(uint8_t *)state);
    }
    ++*(uint8_t *)state;
    return 0;
}

static void print(const char *name, uint64_t value) {
    semihosting_print(name);
    semihosting_print(" ");
    semihosting_print_decimal(value);
    semihosting_print("\n");
}

static void check(int holds, const char *what) {
    passed += holds != 0;
    failed += holds == 0;
    if (!holds) {
        semihosting_print("FAILED ");
        semihosting_print(what);
        print(", status", isopod_accel_read(ISOPOD_STATUS));
    }
}

/* Wakes the core; the interrupt is not taken, because interrupts stay masked. */
static void enable_interrupt(void) {
    __asm__ volatile(
        ".option push\n.option arch, +zicsr\ncsrs mie, %0\n.option pop" ::"r"(1u << 16));
}

static uint32_t same(size_t bytes) {
    uint32_t difference = 0;
    for (size_t i = 0; i < bytes; i++) {
        difference |= (uint32_t)(by_transfer[i] ^ by_core[i]);
    }
    return difference == 0;
}

static void load(const char *path) {
    const int file = semihosting_open(path, SEMIHOSTING_READ);
    check(file >= 0 && semihosting_read(file, key_blob, sizeof key_blob) == sizeof key_blob, "key");
    semihosting_close(file);
#if BENCH_KIND >= 3
    check(open_secret(&key, &BENCH_PARAMS, key_blob, sizeof key_blob) == 0, "open");
#else
    check(open_public(&key, &BENCH_PARAMS, key_blob, sizeof key_blob) == 0, "open");
#endif
    uint32_t z = 12345;
    for (size_t i = 0; i < BENCH_N / 2; i++) {
        z = z * 1664525U + 1013904223U;
        input[i] = (float)(int32_t)z * 0x1p-31F;
    }
}

/* The library writes key and descriptors when it begins. */
static void load_engine(void) {
    static uint8_t first = 1;
    static isopod_entropy entropy = {.fill = entropy_of, .state = &first};
    static isopod_sender sender = {
        .device = 1, .epoch = 1, .key = (const uint8_t *)"a device key of 32 bytes, public"};
    const isopod_encryption_config config = {.params = &BENCH_PARAMS,
                                             .tables = &BENCH_TABLES,
                                             .suite = &BENCH_SUITE,
                                             .key = &key,
                                             .hedge_without_values =
                                                 1, /* hashing them takes longer than the engine */
                                             .chunks = 1,
                                             .log2_scale = BENCH_LOG2_SCALE,
                                             .log2_bound = 0,
                                             .encoder = &isopod_encoder_slots32_nearest,
                                             .accept_label = BENCH_PARAMS.label};
    const isopod_encryptor encryptor = {{workspace, sizeof workspace}, &entropy, &sender};
    const isopod_values values = {input, BENCH_N / 2, ISOPOD_VALUES_FLOAT32};
    isopod_encryption context;
    check(isopod_ckks_begin(&context, &config, &encryptor, &values) == ISOPOD_OK, "begin");
    check(isopod_accel_read(ISOPOD_OWNER) == (uint32_t)(uintptr_t)&context, "the engine takes it");
    isopod_encryption_abort(&context);
    check((isopod_accel_read(ISOPOD_STATUS) & ISOPOD_STATUS_BUSY_MASK) == 0, "given up");
}

/* ---- operations ---- */

static isopod_accel_operation encryption(void) {
    const uint32_t publics = BENCH_KIND < 3;
    const isopod_accel_operation operation = {(publics ? PUBLIC : SECRET) | BENCH_LOG_N << 4 |
                                                  BENCH_PRIMES << 8 | 1u << 13 | FLOATS << 15 |
                                                  (uint32_t)(BENCH_KIND == 4) << 17,
                                              BENCH_N / 2 | (30u - BENCH_LOG2_SCALE) << 16,
                                              input,
                                              BENCH_N / 2,
                                              isopod_blob_residues(&BENCH_PARAMS, key.blob),
                                              publics ? 2u * BENCH_PRIMES * BENCH_N : 0};
    return operation;
}

static isopod_accel_operation transform(void) {
    const isopod_accel_operation operation = {
        FORWARD | BENCH_LOG_N << 4 | 1u << 8, 0, words, sizeof words / 4, NULL, 0};
    return operation;
}

static void seeds(void) {
    uint32_t mask[8], noise[8];
    for (uint32_t i = 0; i < 8; i++) {
        mask[i] = 0x03020100u + 0x04040404u * i;
        noise[i] = mask[i] + 0x40404040u;
    }
    isopod_accel_seeds(mask, BENCH_KIND < 3 ? noise : NULL);
}

/* Loads the same secret, and counts from the first root again: encryptions can be compared. */
static void load_slot(void) {
#if BENCH_KIND >= 3
    static const isopod_accel_word secret[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    check(isopod_accel_load_slot(secret, key.blob, key.blob[ISOPOD_KEY_WORD_PAYLOAD_BYTES] / 4) !=
              0,
          "the slot holds the key");
#endif
}

static uint32_t holds_key(void) {
    return BENCH_KIND < 3 || (isopod_accel_read(ISOPOD_STATUS) & ISOPOD_STATUS_KEY_VALID_MASK) != 0;
}

/* Everything by transfers; cycles from the first register to the last byte. */
static uint32_t transferred(const isopod_accel_operation *operation, uint32_t beats) {
    const uint32_t start = cycles_now();
    isopod_accel_start(operation, 1);
    if (isopod_accel_wait_samples() != 0) {
        return 0;
    }
    seeds();
    const uint32_t failure = isopod_accel_take(by_transfer, beats);
    return failure == 0 ? cycles_now() - start : 0;
}

static uint32_t status(void) {
    return isopod_accel_read(ISOPOD_STATUS);
}

/* Sixteen halves or whole words of the public key at a time, whatever has come out in between. */
static void write_public(const uint32_t **next, const uint32_t *end) {
    for (uint32_t i = 0; i < 16 && *next != end; i++) {
        isopod_accel_write(ISOPOD_PUBLIC_DATA, *(*next)++);
    }
}

static void exchange(const isopod_accel_operation *operation, uint32_t beats) {
    const uint32_t *next = operation->public_words;
    const uint32_t *end = next + operation->public_count * (sizeof(key_word) / 4);
    uint32_t *out = (uint32_t *)(void *)by_core;
    while (beats != 0) {
        const uint32_t now = next == end ? ISOPOD_STATUS_OUT_WAITING_MASK : status();
        if ((now & ISOPOD_STATUS_OUT_WAITING_MASK) != 0) {
            *out++ = isopod_accel_read(ISOPOD_OUT_LOW);
            *out++ = isopod_accel_read(ISOPOD_OUT_HIGH);
            beats--;
        } else if ((now & ISOPOD_STATUS_PUBLIC_ROOM_MASK) != 0) {
            write_public(&next, end);
        }
    }
}

/* The core moves every word. */
static uint32_t carried(const isopod_accel_operation *operation, uint32_t beats) {
    isopod_accel_operation without = *operation;
    const uint32_t *samples = operation->samples;
    const uint32_t start = cycles_now();
    without.sample_words = without.public_count = 0;
    isopod_accel_start(&without, 1);
    for (uint32_t i = 0; i < operation->sample_words; i++) {
        isopod_accel_write(ISOPOD_SAMPLE_DATA, samples[i]);
    }
    seeds();
    exchange(operation, beats);
    return cycles_now() - start;
}

/* ---- measure ---- */

static uint32_t transform_in_software(void) {
    const isopod_ntt ntt = isopod_ntt_of(&BENCH_PARAMS, &BENCH_TABLES, 0);
    const uint32_t start = cycles_now();
    isopod_ntt_layers(words, &ntt);
    const uint32_t taken = cycles_now() - start;
    isopod_canonical_all(words, BENCH_N, ntt.prime);
    (void)isopod_pack_in_place((isopod_residue *)words, BENCH_N, ntt.prime->bits);
    return taken;
}

static void measure_transform(void) {
    const isopod_word_prime *prime = isopod_word_prime_of(&BENCH_PARAMS, 0);
    const uint32_t beats = BENCH_N / 64u * prime->bits;
    isopod_residue z = 1;
    for (size_t i = 0; i < BENCH_N; i++) {
        z = z * 1664525U + 1013904223U;
        words[i] = (isopod_word)(z % prime->modulus);
    }
    const isopod_accel_operation operation = transform();
    (void)transferred(&operation, beats);
    print("ntt_transferred", transferred(&operation, beats));
    print("ntt_carried", carried(&operation, beats));
    check(same((size_t)8 * beats), "a transform, carried");
    print("ntt_software", transform_in_software());
    for (size_t i = 0; i < (size_t)2 * beats; i++) {
        ((uint32_t *)(void *)by_core)[i] = ((const isopod_accel_word *)words)[i];
    }
    check(same((size_t)8 * beats), "a transform of the library");
}

/* The first encryption leaves twiddles and NTT(s) in the engine, as far as it keeps them. */
static void warm_up(const isopod_accel_operation *operation) {
    load_slot();
    check(transferred(operation, (BENCH_WIRE_BYTES - 8) / 8) != 0, "the first encryption");
}

static void measure(void) {
    const isopod_accel_operation operation = encryption();
    warm_up(&operation);
    print("carried", carried(&operation, (BENCH_WIRE_BYTES - 8) / 8));
    warm_up(&operation);
    print("transferred", transferred(&operation, (BENCH_WIRE_BYTES - 8) / 8));
    print("engine", isopod_accel_read(ISOPOD_CYCLES));
    check(same(BENCH_WIRE_BYTES - 8), "an encryption, carried");
    measure_transform();
    print("failed", failed);
}

/* ---- errors ---- */

/* After a clear the engine is as it was. */
static void expect_good(const char *after) {
    const isopod_accel_operation operation = encryption();
    isopod_accel_recover();
    load_slot();
    for (size_t i = 0; i < BENCH_WIRE_BYTES; i++) {
        by_transfer[i] = 0xee;
    }
    check(transferred(&operation, (BENCH_WIRE_BYTES - 8) / 8) != 0 && same(BENCH_WIRE_BYTES - 8),
          after);
}

static void expect_error(uint32_t error, const char *what) {
    while ((status() & ISOPOD_STATUS_BUSY_MASK) != 0) {
    }
    check(ISOPOD_ACCEL_FIELD(status(), ISOPOD_STATUS_ERROR) == error, what);
    check((status() & ISOPOD_STATUS_OUT_WAITING_MASK) == 0, "no output");
    check(holds_key(), "the key stays");
    expect_good(what);
}

static void refuse_command(uint32_t change, uint32_t error, const char *what) {
    isopod_accel_operation operation = encryption();
    operation.command ^= change;
    isopod_accel_start(&operation, 1);
    expect_error(error, what);
}

static void refuse_commands(void) {
    refuse_command((encryption().command & 15u) ^ NO_OPCODE, OPCODE, "opcode");
    refuse_command((BENCH_LOG_N ^ 9u) << 4, DEGREE, "degree");
    refuse_command(BENCH_PRIMES << 8, PRIMES, "no primes");
    refuse_command(3u << 13, FORMAT, "suite");
    refuse_command(1u << 15, FORMAT, "form of samples");
    isopod_accel_operation operation = encryption();
    operation.encoding += 1;
    isopod_accel_start(&operation, 1);
    while ((status() & ISOPOD_STATUS_BUSY_MASK) != 0) {
    }
    isopod_accel_start(&operation, 1);
    check(isopod_accel_wait_samples() == FORMAT, "an error that was not cleared");
    expect_error(FORMAT, "count");
}

static void write_modulus(uint64_t modulus) {
    isopod_accel_write(ISOPOD_PRIME, (uint32_t)modulus);
    if (BENCH_PRIMES64) {
        isopod_accel_write(ISOPOD_PRIME, (uint32_t)(modulus >> 32));
    }
}

static void refuse_input(void) {
    float *const last = &input[BENCH_N / 2 - 1];
    const float right = *last;
    isopod_accel_operation operation = encryption();
    *last = 1.5F;
    isopod_accel_start(&operation, 1);
    check(isopod_accel_wait_samples() == OVERFLOW, "the driver says overflow");
    *last = right;
    expect_error(OVERFLOW, "overflow");
    write_modulus(12345);
    check(BENCH_KIND < 3 || !holds_key(), "a descriptor ends the key");
    load_slot();
    isopod_accel_start(&operation, 1);
    (void)isopod_accel_wait_samples();
    while ((status() & ISOPOD_STATUS_BUSY_MASK) != 0) {
    }
    check(ISOPOD_ACCEL_FIELD(status(), ISOPOD_STATUS_ERROR) == MODULUS, "modulus");
    isopod_accel_recover();
    write_modulus(isopod_word_prime_of(&BENCH_PARAMS, 0)->modulus);
    expect_good("modulus");
}

/* Cycles of an encryption, from its start to its end. */
static uint32_t cycles_of_engine(void) {
    const isopod_accel_operation operation = encryption();
    load_slot();
    check(transferred(&operation, (BENCH_WIRE_BYTES - 8) / 8) != 0, "an encryption");
    return isopod_accel_read(ISOPOD_CYCLES);
}

static void compare_times(void) {
    const uint32_t taken = cycles_of_engine();
    for (size_t i = 0; i < BENCH_N / 2; i++) {
        kept[i] = input[i];
        input[i] = 0;
    }
    check(cycles_of_engine() == taken, "time does not depend on values");
    for (size_t i = 0; i < BENCH_N / 2; i++) {
        input[i] = kept[i];
    }
}

static void fail_bus(void) {
    isopod_accel_operation operation = encryption();
    operation.samples = (const void *)NOWHERE;
    isopod_accel_start(&operation, 1);
    expect_error(BUS, "samples from nowhere");
    operation = encryption();
    isopod_accel_start(&operation, 1);
    check(isopod_accel_wait_samples() == 0, "samples");
    seeds();
    check(isopod_accel_take((uint8_t *)NOWHERE, BEATS) != 0, "the driver says that it failed");
    check((status() & ISOPOD_STATUS_BUS_ERROR_MASK) != 0, "bus error");
    isopod_accel_recover();
    check((status() & ISOPOD_STATUS_BUS_ERROR_MASK) == 0, "cleared");
    expect_good("residues to nowhere");
}

static void disturb(void) {
    isopod_accel_operation operation = encryption();
    isopod_accel_start(&operation, 1);
    check((status() & ISOPOD_STATUS_SEEDS_DUE_MASK) != 0, "seeds are due");
    isopod_accel_write(ISOPOD_CONTROL, ISOPOD_CONTROL_START_MASK);
    check((status() & ISOPOD_STATUS_REFUSED_MASK) != 0, "a second start is refused");
    isopod_accel_write(ISOPOD_CONTROL, ISOPOD_CONTROL_ABORT_MASK);
    expect_error(ABORT, "abort while samples are read");
    isopod_accel_start(&operation, 1);
    check(isopod_accel_wait_samples() == 0, "samples");
    seeds();
    isopod_accel_write(ISOPOD_OUT_ADDRESS, (uint32_t)(uintptr_t)by_transfer);
    isopod_accel_write(ISOPOD_OUT_BEATS, BEATS);
    while (isopod_accel_read(ISOPOD_OUT_LEFT) > BEATS / 2) {
    }
    isopod_accel_write(ISOPOD_CONTROL, ISOPOD_CONTROL_ABORT_MASK);
    expect_error(ABORT, "abort in the middle of the residues");
    isopod_accel_start(&operation, 1);
    write_modulus(isopod_word_prime_of(&BENCH_PARAMS, 0)->modulus);
    expect_error(ORDER, "a descriptor while busy");
}

static void refuse_access(uint32_t offset, int write, const char *what) {
    isopod_accel_recover();
    if (write) {
        isopod_accel_write(offset, 0);
    } else {
        (void)isopod_accel_read(offset);
    }
    check((status() & ISOPOD_STATUS_REFUSED_MASK) != 0, what);
}

static void refuse_accesses(void) {
    refuse_access(ISOPOD_ID, 1, "a write of ID");
    refuse_access(0x0fc, 0, "a read of nothing");
    refuse_access(ISOPOD_OUT_BEATS, 1, "a transfer of nothing");
    refuse_access(ISOPOD_OUT_LOW, 0, "output while idle");
    refuse_access(ISOPOD_SAMPLE_DATA, 1, "a sample while idle");
    refuse_access(ISOPOD_KEY_DATA, 0, "a read of the key");
    refuse_access(ISOPOD_KEY_DATA, 1, "a word of no key");
    refuse_access(ISOPOD_SPONGE_OUT, 0, "a state that is not there");
    isopod_accel_recover();
    check(isopod_accel_read(ISOPOD_NOISE_KEY) == 0, "the noise key reads as zero");
    *(volatile uint8_t *)(uintptr_t)(ISOPOD_ACCEL_BASE + ISOPOD_OWNER) = 1;
    check((status() & ISOPOD_STATUS_REFUSED_MASK) != 0, "a write of one byte");
}

static void zeroise(void) {
    isopod_accel_operation operation = encryption();
    operation.command = 5;
    operation.sample_words = operation.public_count = 0;
    isopod_accel_recover();
    isopod_accel_start(&operation, 1);
    while ((status() & ISOPOD_STATUS_BUSY_MASK) != 0) {
    }
    check(isopod_accel_read(ISOPOD_KEY_ID) == 0, "zeroise forgets whose key it was");
    operation = encryption();
    if (BENCH_KIND >= 3) {
        isopod_accel_start(&operation, 1);
        (void)isopod_accel_wait_samples();
        check(ISOPOD_ACCEL_FIELD(status(), ISOPOD_STATUS_ERROR) == KEY, "no key after zeroise");
        isopod_accel_recover();
    }
    load_engine();
    expect_good("zeroise");
}

int main(int argc, char **argv) {
    if (argc != 3) {
        semihosting_print("usage: drive KEY_FILE measure|errors\n");
        return 2;
    }
    enable_interrupt();
    load(argv[1]);
    load_engine();
    if (argv[2][0] == 'm') {
        measure();
        return failed != 0;
    }
    const isopod_accel_operation operation = encryption();
    load_slot();
    (void)carried(&operation, (BENCH_WIRE_BYTES - 8) / 8);
    expect_good("the first");
    refuse_commands();
    refuse_input();
    compare_times();
    fail_bus();
    disturb();
    refuse_accesses();
    zeroise();
    semihosting_print_decimal(passed);
    semihosting_print(" passed, ");
    semihosting_print_decimal(failed);
    semihosting_print(" failed, 0 skipped\n");
    return failed != 0;
}
