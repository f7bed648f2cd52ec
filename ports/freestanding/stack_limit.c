#include "../stack/stack.h"

/* From sections.ld. */
extern uint32_t stack_limit[];

uint32_t *isopod_stack_limit(void) {
    return stack_limit;
}
