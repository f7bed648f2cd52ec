/* Measures stack depth: paints the unused part and finds the lowest word that a run changed. */
#ifndef ISOPOD_STACK_H
#define ISOPOD_STACK_H

#include <stddef.h>
#include <stdint.h>

/* The lowest address that the stack may reach; each port defines it. Word aligned. */
uint32_t *isopod_stack_limit(void);

/* Fills the stack from its limit up to the caller's frame and keeps the caller's stack pointer. */
void isopod_stack_paint(void);

/* Bytes used below the painter's caller since the paint: frames, saved registers and arguments on
 * the stack. Resolution: one word on the boards; on the linux port the least value is 256. */
size_t isopod_stack_used(void);

#endif
