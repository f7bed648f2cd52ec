/* A program for a controller with 16-bit `int` and 16 KB of RAM. It encrypts a ramp of a hundred
 * numbers, bare and as a frame, and prints digests; compiled for the host it prints the same. On
 * the board it also prints the cycles of each (by timer 1), the depth of the stack, and the RAM of
 * library, values and frame, as lines of name and hexadecimal number.
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

/* Timer 1 counts cycles; its overflows cost 0.1 % of them. */
static volatile uint16_t overflows;

ISR(TIMER1_OVF_vect) {
    overflows++;
}

static uint32_t now(void) {
    cli();
    uint16_t low = TCNT1;
    uint32_t high = overflows;
    if ((TIFR1 & 1 << TOV1) != 0) {
        low = TCNT1;
        high++;
    }
    sei();
    return high << 16 | low;
}

static void start_clock(void) {
    TCCR1B = 1 << CS10;
    TIMSK1 = 1 << TOIE1;
    sei();
}

/* Between the objects and the stack. */
extern uint8_t __heap_start[];
enum { PAINT = 0xA5, PAINT_MARGIN = 32 };

static void paint_stack(void) {
    for (uint8_t *at = __heap_start; at < (uint8_t *)SP - PAINT_MARGIN; at++) {
        *at = PAINT;
    }
}

static uint32_t stack_used(void) {
    const uint8_t *at = __heap_start;
    while (*at == PAINT) {
        at++;
    }
    return (uint32_t)((const uint8_t *)RAMEND - at + 1);
}
#else
#include <stdio.h>

static void put(char character) {
    putchar(character);
}

static void end(void) {}
static uint32_t now(void) {
    return 0;
}
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

/* Repeats itself, so that both machines give the same bytes. Never use it in a product. */
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
static const isopod_encryptor encryptor = {{workspace, sizeof workspace}, &entropy, &sender};
static isopod_encryption context;
static isopod_frame frame;

#ifdef INTEGERS
static int32_t ramp[COUNT];
#else
static float ramp[COUNT];
#endif

static isopod_status begin(const isopod_key *key) {
    static isopod_encryption_config config = {
        .params = &PARAMS, .tables = &TABLES, .suite = &isopod_suite_chacha20, .chunks = CHUNKS};
    config.key = key;
#ifdef INTEGERS
    for (uint8_t i = 0; i < COUNT; i++) {
        ramp[i] = i % 3 - 1;
    }
    const isopod_values values = {ramp, COUNT, ISOPOD_VALUES_INT32};
    config.layout = ISOPOD_COEFFICIENTS;
    config.bound = 1;
    return isopod_bfv_begin(&context, &config, &encryptor, &values);
#else
    for (uint8_t i = 0; i < COUNT; i++) {
        ramp[i] = ((float)i - 60.0F) / 64.0F;
    }
    const isopod_values values = {ramp, COUNT, ISOPOD_VALUES_FLOAT32};
    config.log2_scale = 17;
    return isopod_ckks_begin(&context, &config, &encryptor, &values);
#endif
}

static void print_number(const char *name, uint32_t value) {
    print(name);
    print_hexadecimal(value);
    print("\n");
}

/* Prints the digest of one encryption, or the status that ended it, and the cycles of the
 * encryption without the digest. */
static uint32_t encrypt(const isopod_key *key, int is_framed) {
    uint32_t hash = 2166136261U;
    uint32_t started = now();
    uint32_t cycles = 0;
    isopod_status status = begin(key);
    if (status == ISOPOD_OK && is_framed) {
        status = isopod_frame_begin(&frame, &context);
    }
    while (status == ISOPOD_OK) {
        uint8_t buffer[64];
        isopod_piece piece = {0};
        status = is_framed ? isopod_frame_next(&frame, buffer, sizeof buffer, &piece)
                           : isopod_encryption_next(&context, buffer, sizeof buffer, &piece.length);
        cycles += now() - started;
        hash = digest(hash, buffer, piece.length);
        started = now();
    }
    print_hexadecimal(hash);
    print(status != ISOPOD_DONE ? " status " : is_framed ? " done\n" : " bare\n");
    print_number("ended ", (uint32_t) - (int32_t)status);
    return cycles;
}

#ifdef __AVR__
static void report(const isopod_key *key) {
    paint_stack();
    start_clock();
    print_number("cycles ", encrypt(key, 0));
    print_number("cycles_framed ", encrypt(key, 1));
    print_number("stack_bytes ", stack_used());
    print_number("ram_bytes ",
                 sizeof workspace + sizeof context + sizeof *key + sizeof entropy + sizeof sender);
    print_number("values_bytes ", sizeof ramp);
    print_number("frame_bytes ", sizeof frame);
}
#else
static void report(const isopod_key *key) {
    (void)encrypt(key, 0);
    (void)encrypt(key, 1);
}
#endif

int main(void) {
    isopod_key key;
    if (isopod_public_key_open(&key, &PARAMS, blob, sizeof blob) == ISOPOD_OK ||
        isopod_secret_key_open(&key, &PARAMS, blob, sizeof blob) == ISOPOD_OK) {
        report(&key);
    }
    end();
    return 0;
}
