/* Reset of a Cortex-M55: the core takes the stack pointer and reset_handler from its vectors. */
#include <stdint.h>

#include "../freestanding/start.h"

extern uint32_t stack_top[];

/* Coprocessor access control register (Armv8-M ARM, D1.2.18): full access to CP10 and CP11, the
 * floating point unit and Helium. */
#define CPACR (*(volatile uint32_t *)0xE000ED88U)
#define CPACR_FPU_FULL_ACCESS (0xFU << 20)

_Noreturn void reset_handler(void);

_Noreturn void reset_handler(void) {
    CPACR |= CPACR_FPU_FULL_ACCESS;
    __asm__ volatile("dsb\n\tisb" ::: "memory");
    isopod_start();
}

typedef struct {
    uint32_t *initial_stack;
    void (*handlers[15])(void);
} vector_table;

__attribute__((section(".reset_vectors"), used)) static const vector_table vectors = {
    stack_top,
    {reset_handler, isopod_fault, isopod_fault, isopod_fault, isopod_fault, isopod_fault,
     isopod_fault, isopod_fault, isopod_fault, isopod_fault, isopod_fault, isopod_fault,
     isopod_fault, isopod_fault, isopod_fault},
};
