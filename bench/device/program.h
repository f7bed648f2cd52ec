/* Shared parts of programs measured on boards: repeatable input and entropy, output, a digest of
 * the bytes written, and files. */
#ifndef ISOPOD_BENCH_PROGRAM_H
#define ISOPOD_BENCH_PROGRAM_H

#include <stddef.h>
#include <stdint.h>

#include "semihosting/semihosting.h"

static inline uint32_t generate(uint32_t *z) {
    *z = *z * 1664525U + 1013904223U;
    return *z;
}

/* An isopod_entropy_fill; its state is a uint32_t. */
static inline int repeatable_entropy(void *state, uint8_t *out, size_t length) {
    for (size_t i = 0; i < length; i++) {
        out[i] = (uint8_t)(generate(state) >> 24);
    }
    return 0;
}

static inline _Noreturn void fail(const char *what) {
    semihosting_print(what);
    semihosting_print("\n");
    semihosting_exit(1);
}

static inline void print(const char *name, uint64_t value) {
    semihosting_print(name);
    semihosting_print(" ");
    semihosting_print_decimal(value);
    semihosting_print("\n");
}

/* FNV-1a */
static inline uint64_t digest_of(const uint8_t *bytes, size_t length) {
    uint64_t hash = 0xCBF29CE484222325U;
    for (size_t i = 0; i < length; i++) {
        hash = (hash ^ bytes[i]) * 0x100000001B3U;
    }
    return hash;
}

/* Reads the first bytes of a file; fails if it is shorter. */
static inline void load_file(const char *path, void *out, size_t length) {
    const int file = semihosting_open(path, SEMIHOSTING_READ);
    if (file < 0 || semihosting_read(file, out, length) != length) {
        fail("the key file is missing or short");
    }
    semihosting_close(file);
}

#endif
