/* semihosting_trap over the host device of rtl/soc/isopod_soc.sv, which responds at once. */
#include <stdint.h>

#define HOST ((volatile uint32_t *)0x10000000u)

enum { OPERATION, ARGUMENT, RESULT };

intptr_t semihosting_trap(uintptr_t operation, const void *argument);

intptr_t semihosting_trap(uintptr_t operation, const void *argument) {
    /* The argument's target must be in memory before the host reads it. */
    __asm__ volatile("" ::: "memory");
    HOST[OPERATION] = operation;
    HOST[ARGUMENT] = (uintptr_t)argument;
    __asm__ volatile("" ::: "memory");
    return (intptr_t)HOST[RESULT];
}
