/* Memory without a C library: little-endian loads and stores, copying, wiping. */
#ifndef ISOPOD_MEMORY_H
#define ISOPOD_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "constant_time.h"

/* Words in memory that also holds words of another width. Without this type, the compiler could
 * assume that both widths lie in different memory, and reorder accesses. */
#if defined(__GNUC__)
typedef uint32_t __attribute__((may_alias)) isopod_alias32;
#else
typedef uint32_t isopod_alias32;
#endif

/*@ requires \valid_read(in + (0 .. 3)); assigns \nothing;
    ensures \result == in[0] + in[1] * 0x100 + in[2] * 0x10000 + in[3] * 0x1000000; */
static inline uint32_t isopod_load32(const uint8_t *in) {
    return (uint32_t)in[0] | (uint32_t)in[1] << 8 | (uint32_t)in[2] << 16 | (uint32_t)in[3] << 24;
}

/*@ requires \valid(out + (0 .. 3)); assigns out[0 .. 3];
    ensures out[0] + out[1] * 0x100 + out[2] * 0x10000 + out[3] * 0x1000000 == value; */
static inline void isopod_store32(uint8_t *out, uint32_t value) {
    out[0] = (uint8_t)value;
    out[1] = (uint8_t)(value >> 8);
    out[2] = (uint8_t)(value >> 16);
    out[3] = (uint8_t)(value >> 24);
}

/*@ requires \valid_read(in + (0 .. 7));
    assigns \nothing; */
static inline uint64_t isopod_load64(const uint8_t *in) {
    return (uint64_t)isopod_load32(in) | (uint64_t)isopod_load32(in + 4) << 32;
}

/*@ requires \valid(out + (0 .. 7));
    assigns out[0 .. 7]; */
static inline void isopod_store64(uint8_t *out, uint64_t value) {
    isopod_store32(out, (uint32_t)value);
    isopod_store32(out + 4, (uint32_t)(value >> 32));
}

void isopod_copy(uint8_t *restrict out, const uint8_t *restrict in, size_t length);

/*@ requires \valid_read(a + (0 .. length - 1)) && \valid_read(b + (0 .. length - 1));
    assigns \nothing;
    ensures \result == 0 || \result == 1; */
static inline uint32_t isopod_equal(const uint8_t *a, const uint8_t *b, size_t length) {
    uint32_t difference = 0;
    /*@ loop invariant 0 <= i <= length;
        loop assigns i, difference;
        loop variant length - i; */
    for (size_t i = 0; i < length; i++) {
        difference |= (uint32_t)(a[i] ^ b[i]);
    }
    ISOPOD_DECLASSIFY(difference);
    return difference == 0;
}

/* Overwrites secrets with zeros; compilers cannot remove the call. */
void isopod_wipe(void *memory, size_t length);

/* Attributes of functions that run once per encryption, key or piece; `cold` compiles them for
 * size, so never of a kernel. ISOPOD_FRAME_APART: the frame must not add to the caller's, because
 * the stack is short or is wiped afterwards; ISOPOD_NOINLINE: the same for a kernel. */
#if defined(__GNUC__) || defined(__clang__)
#define ISOPOD_NOINLINE __attribute__((noinline))
#define ISOPOD_SMALL __attribute__((cold))
#define ISOPOD_FRAME_APART __attribute__((noinline, cold))
#else
#define ISOPOD_NOINLINE
#define ISOPOD_SMALL
#define ISOPOD_FRAME_APART
#endif

/* Overwrites the stack below the caller, where finished calls may have left secrets. */
void isopod_wipe_stack(void);

/* Overwrites less of the stack: the depth of stream blocks and of authentication. */
void isopod_wipe_shallow_stack(void);

/* Overwrites more of the stack: the depth of kernels on 64-bit words and of replacements in SEAL's
 * mask. */
void isopod_wipe_deep_stack(void);

#endif
