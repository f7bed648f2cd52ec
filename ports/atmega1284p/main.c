/* A program for a controller with 16-bit `int` and 16 KB of RAM: encrypts a ramp of a hundred
 * numbers and prints a digest of the frame. Compiled for the host it prints the same.
 *
 * -DSET=             the set: ckks_1024x1_sum, or with -DINTEGERS bfv_1024x1_count
 * blob.h             defines BLOB, the 32-bit words of a key; with random residues, useless as one
 */
#include <stdint.h>

#include "isopod/bfv.h"
#include "isopod/ckks.h"
#include "isopod/frame.h"

#include "blob.h"

#ifdef __AVR__
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>

static void put(char character) {
    UCSR0B = 1 << TXEN0;
    while ((UCSR0A & 1 << UDRE0) == 0) {
    }
    UDR0 = (uint8_t)character;
}

static void end(void) {
    cli();
    sleep_enable();
    sleep_cpu();
}
#else
#include <stdio.h>

static void put(char character) {
    putchar(character);
}

static void end(void) {}
#endif

#define NAME_OF(a, b) NAME_OF_(a, b)
#define NAME_OF_(a, b) a##b
#define PARAMS NAME_OF(isopod_, SET)
#define TABLES NAME_OF(isopod_tables_, SET)
enum { N = 1024, CHUNKS = 8, COUNT = 100 };

extern const isopod_tables TABLES;

static const uint32_t blob[] = {BLOB};
static _Alignas(8)
    uint8_t workspace[ISOPOD_SECRET_TERNARY_WORKSPACE(N, CHUNKS, ISOPOD_BFV_MESSAGE_BYTES(N, 1))];
_Static_assert(sizeof workspace >= ISOPOD_CKKS_PUBLIC_WORKSPACE(N, CHUNKS, 0),
               "one workspace serves all");

static void print(const char *text) {
    while (*text != 0) {
        put(*text++);
    }
}

static void print_hexadecimal(uint32_t value) {
    for (uint8_t i = 0; i < 8; i++, value <<= 4) {
        put("0123456789abcdef"[value >> 28]);
    }
}

/* Repeats itself, so that both machines give the same bytes: never for a product. */
static int repeatable(void *state, uint8_t *out, size_t length) {
    uint32_t *z = state;
    for (size_t i = 0; i < length; i++) {
        *z = *z * 1664525U + 1013904223U;
        out[i] = (uint8_t)(*z >> 24);
    }
    return 0;
}

/* FNV-1a */
static uint32_t digest(uint32_t hash, const uint8_t *bytes, size_t length) {
    for (size_t i = 0; i < length; i++) {
        hash = (hash ^ bytes[i]) * 16777619U;
    }
    return hash;
}

static uint32_t seed = 1;
static isopod_entropy entropy = {.fill = repeatable, .state = &seed};
static isopod_sender sender = {
    .device = 1, .epoch = 1, .key = (const uint8_t *)"a device key of 32 bytes, public"};
static isopod_encryption context;
static isopod_frame frame;

static isopod_status begin(const isopod_key *key) {
    static isopod_encryption_config config = {.params = &PARAMS,
                                              .tables = &TABLES,
                                              .suite = &isopod_suite_chacha20,
                                              .entropy = &entropy,
                                              .sender = &sender,
                                              .workspace = workspace,
                                              .workspace_bytes = sizeof workspace,
                                              .chunks = CHUNKS};
    config.key = key;
#ifdef INTEGERS
    static int32_t ramp[COUNT];
    for (uint8_t i = 0; i < COUNT; i++) {
        ramp[i] = i % 3 - 1;
    }
    const isopod_values values = {ramp, COUNT, ISOPOD_VALUES_INT32};
    config.layout = ISOPOD_COEFFICIENTS;
    config.bound = 1;
    return isopod_bfv_begin(&context, &config, &values);
#else
    static float ramp[COUNT];
    for (uint8_t i = 0; i < COUNT; i++) {
        ramp[i] = ((float)i - 60.0F) / 64.0F;
    }
    const isopod_values values = {ramp, COUNT, ISOPOD_VALUES_FLOAT32};
    config.log2_scale = 17;
    return isopod_ckks_begin(&context, &config, &values);
#endif
}

/* Prints the digest of a frame, or the status that ended it. */
static void encrypt(const isopod_key *key) {
    uint32_t hash = 2166136261U;
    isopod_status status = begin(key);
    if (status == ISOPOD_OK) {
        status = isopod_frame_begin(&frame, &context);
    }
    while (status == ISOPOD_OK) {
        uint8_t buffer[64];
        isopod_piece piece = {0};
        status = isopod_frame_next(&frame, buffer, sizeof buffer, &piece);
        hash = digest(hash, buffer, piece.length);
    }
    print_hexadecimal(hash);
    print(status == ISOPOD_DONE ? " done\n" : " status ");
    print_hexadecimal((uint32_t) - (int32_t)status);
    print("\n");
}

int main(void) {
    isopod_key key;
    if (isopod_public_key_open(&key, &PARAMS, blob, sizeof blob) == ISOPOD_OK ||
        isopod_secret_key_open(&key, &PARAMS, blob, sizeof blob) == ISOPOD_OK) {
        encrypt(&key);
    }
    end();
    return 0;
}
