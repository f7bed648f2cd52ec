/* Cycles of a CV32E40P executing RV32IM without compressed instructions. */
#include "cost.h"

enum { ALU = 1, LOAD = 2, BRANCH = 3, MULTIPLY_HIGH = 5, DIVIDE = 35 };

static uint32_t multiply(uint32_t function) {
    if (function >= 4) {
        return DIVIDE;
    }
    return function == 0 ? ALU : MULTIPLY_HIGH;
}

uint32_t cost_cv32e40p(uint32_t code, bool *after_memory) {
    *after_memory = false;
    switch (code & 0x7f) {
    case 0x03:
        return LOAD;
    case 0x63: /* branches */
    case 0x67: /* jalr */
    case 0x6f: /* jal */
        return BRANCH;
    case 0x33:
        return code >> 25 == 1 ? multiply(code >> 12 & 7) : ALU;
    default:
        return ALU;
    }
}
