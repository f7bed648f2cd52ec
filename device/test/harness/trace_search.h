/* Searching the stack and other memory for copies of secrets. */
#ifndef ISOPOD_TEST_TRACE_SEARCH_H
#define ISOPOD_TEST_TRACE_SEARCH_H

#include <stddef.h>
#include <stdint.h>

#include "check.h"

#if defined(__clang__)
#define UNSANITISED __attribute__((noinline, unused, no_sanitize("address", "memory", "undefined")))
#else
#define UNSANITISED __attribute__((noinline, unused, no_sanitize_address, no_sanitize_undefined))
#endif

/* Deeper than the library goes, at -O0 and under sanitisers too. */
#define DEPTH 24576u
#define WINDOW 8u
#define PAINT 0xc0defaceu

/* The stack grows downwards on every platform of these tests. */
static UNSANITISED void paint_below(void) {
    volatile uint32_t area[DEPTH / 4];
    for (uint32_t i = 0; i < DEPTH / 4; i++) {
        area[i] = PAINT;
    }
    (void)area[0];
}

typedef struct {
    const char *name;
    const uint8_t *bytes;
    uint32_t length;
} secret;

typedef struct {
    secret items[12];
    uint32_t count;
} secret_list;

static inline void add_secret(secret_list *list, const char *name, const void *bytes,
                              uint32_t length) {
    const secret secret = {name, bytes, length};
    list->items[list->count++] = secret;
}

static UNSANITISED uint32_t is_window(const volatile uint8_t *at, const uint8_t *window) {
    uint32_t difference = 0;
    for (uint32_t i = 0; i < WINDOW && difference == 0; i++) {
        difference |= (uint32_t)(at[i] ^ window[i]);
    }
    return difference == 0;
}

/* True for eight bytes of zeros or of paint, which most of the stack holds and no secret has. */
static UNSANITISED int is_blank(const volatile uint8_t *at) {
    const uint32_t low =
        (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
    const uint32_t high =
        (uint32_t)at[4] | (uint32_t)at[5] << 8 | (uint32_t)at[6] << 16 | (uint32_t)at[7] << 24;
    return low == high && (low == 0 || low == PAINT);
}

/* Number of places that hold any eight successive bytes of the secret. */
static UNSANITISED uint32_t copies(const volatile uint8_t *from, size_t length,
                                   const secret *secret) {
    uint32_t found = 0;
    for (size_t at = 0; at + WINDOW <= length; at += 4) {
        const uint32_t length_to_search = is_blank(from + at) ? 0 : secret->length;
        for (uint32_t w = 0; w + WINDOW <= length_to_search; w += 4) {
            found += is_window(from + at, secret->bytes + w);
        }
    }
    return found;
}

/* The stack below the caller's frame, from where the painted area began. */
static UNSANITISED uint32_t copies_below(const uint8_t *top, const secret *secret) {
    const uint8_t *bottom = (const uint8_t *)(((uintptr_t)top - DEPTH) & ~(uintptr_t)7);
    return copies(bottom, (size_t)(top - bottom), secret);
}

/* Words that are neither paint nor zero from `skipped` bytes below the caller's frame on; *depth is
 * how far down the deepest of them is. */
static UNSANITISED uint32_t left_below(const uint8_t *top, uint32_t skipped, uint32_t *depth) {
    const uint8_t *bottom = (const uint8_t *)(((uintptr_t)top - DEPTH) & ~(uintptr_t)7);
    const volatile uint32_t *at = (const volatile uint32_t *)(const void *)bottom;
    const volatile uint32_t *end =
        (const volatile uint32_t *)(const void *)(((uintptr_t)top - skipped) & ~(uintptr_t)3);
    uint32_t found = 0;
    *depth = 0;
    for (; at < end; at++) {
        if (*at != 0 && *at != PAINT) {
            *depth = found == 0 ? (uint32_t)(top - (const uint8_t *)(uintptr_t)at) : *depth;
            found++;
        }
    }
    return found;
}

/* The library's frames lie a gap below the searcher's, which would otherwise overwrite what it
 * looks for. */
#define GAP 1024u

/* Makes the gap's address known outside, so that it stays on the stack. */
static volatile uint8_t *volatile held_gap;

/* A function that is called with a gap in between. */
typedef void operation(void *with);

static UNSANITISED void run_deeper(operation *run, void *with) {
    volatile uint8_t gap[GAP];
    held_gap = gap;
    run(with);
    held_gap = NULL;
}

/* Runs the operation and searches for every secret in what it left on the stack. */
static UNSANITISED void run_and_search(operation *run, void *with, const secret_list *secrets,
                                       uint32_t step) {
    const uint8_t *top = __builtin_frame_address(0);
    paint_below();
    run_deeper(run, with);
    for (uint32_t i = 0; i < secrets->count; i++) {
        check_case(secrets->items[i].name, step);
        CHECK(copies_below(top - 64, &secrets->items[i]) == 0);
    }
}

/* Searches this memory for the first `count` secrets. */
static UNSANITISED void search_memory(const void *memory, size_t bytes, const secret_list *secrets,
                                      uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        check_case(secrets->items[i].name, 999);
        CHECK(copies(memory, bytes, &secrets->items[i]) == 0);
    }
}

static UNSANITISED void leave_trace(void *with) {
    volatile uint8_t left[64];
    const secret *secret = with;
    for (uint32_t i = 0; i < 64; i++) {
        left[i] = secret->bytes[i % 32];
    }
    (void)left[0];
}

/* Checks that the search finds a secret of at least 32 bytes. */
static UNSANITISED void check_search(const secret *secret) {
    uint8_t *top = __builtin_frame_address(0);
    check_case("the search itself", 0);
    CHECK(copies(secret->bytes, 32, secret) == 7);
    paint_below();
    run_deeper(leave_trace, (void *)(uintptr_t)secret);
    CHECK(copies_below(top - 64, secret) >= 8);
}

#endif
