/* Clock cycles and retired instructions of the core since reset. */
#ifndef ISOPOD_SOC_CYCLES_H
#define ISOPOD_SOC_CYCLES_H

#include <stdint.h>

static inline uint32_t cycles_now(void) {
    uint32_t value;
    __asm__ volatile(".option push\n.option arch, +zicsr\ncsrr %0, mcycle\n.option pop"
                     : "=r"(value)
                     :
                     : "memory");
    return value;
}

#endif
