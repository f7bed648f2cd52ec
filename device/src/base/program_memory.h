/* Reading constants that firmware keeps in program memory: on an 8-bit AVR, where it has addresses
 * of its own, through its instruction for that; elsewhere as memory. */
#ifndef ISOPOD_SRC_PROGRAM_MEMORY_H
#define ISOPOD_SRC_PROGRAM_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "isopod/program_memory.h"

#include "memory.h"

static inline uint8_t isopod_program_byte(const uint8_t *at) {
#if ISOPOD_HAS_PROGRAM_MEMORY
    uint8_t value;
    __asm__("lpm %0, %a1" : "=r"(value) : "z"(at));
    return value;
#else
    return *at;
#endif
}

static inline void isopod_program_copy(uint8_t *out, const uint8_t *at, size_t length) {
    while (length-- > 0) {
        *out++ = isopod_program_byte(at++);
    }
}

static inline uint32_t isopod_program_load32(const uint8_t *at) {
#if ISOPOD_HAS_PROGRAM_MEMORY
    uint32_t word;
    __asm__("lpm %A0, %a1+\n\tlpm %B0, %a1+\n\tlpm %C0, %a1+\n\tlpm %D0, %a1"
            : "=&r"(word), "+z"(at));
    return word;
#else
    return isopod_load32(at);
#endif
}

/* The value of a constant, or of a member of one, of any type. */
#if ISOPOD_HAS_PROGRAM_MEMORY
#define ISOPOD_PROGRAM_READ(constant)                                                              \
    __extension__({                                                                                \
        __typeof__((void)0, (constant)) value;                                                     \
        isopod_program_copy((uint8_t *)&value, (const uint8_t *)&(constant), sizeof value);        \
        value;                                                                                     \
    })
#else
#define ISOPOD_PROGRAM_READ(constant) (constant)
#endif

#endif
