/* Cycles of a Cortex-M4; encodings: Armv7-M Architecture Reference Manual, chapter A5. */
#include "cost.h"

enum { ALU = 1, STORE = 1, LOAD = 2, LOAD_AFTER_MEMORY = 1, PAIR = 3, BRANCH = 3 };
enum { DIVIDE = 8, FLOAT_MULTIPLY_ADD = 3, FLOAT_DIVIDE = 14 };

static uint32_t load(bool *after_memory) {
    const uint32_t cycles = *after_memory ? LOAD_AFTER_MEMORY : LOAD;
    *after_memory = true;
    return cycles;
}

static uint32_t store(bool *after_memory) {
    *after_memory = true;
    return STORE;
}

static uint32_t single(bool is_load, bool *after_memory) {
    return is_load ? load(after_memory) : store(after_memory);
}

/* Every other instruction ends a run of loads and stores. */
static uint32_t other(uint32_t cycles, bool *after_memory) {
    *after_memory = false;
    return cycles;
}

static uint32_t multiple(uint32_t register_list) {
    return 1 + (uint32_t)__builtin_popcount(register_list);
}

static bool is_narrow_branch(uint32_t half) {
    const bool conditional = (half & 0xf000) == 0xd000 && (half & 0x0e00) != 0x0e00;
    const bool plain = (half & 0xf800) == 0xe000;
    const bool exchange = (half & 0xff00) == 0x4700;
    const bool compare_and_branch = (half & 0xf500) == 0xb100;
    const bool writes_pc = (half & 0xfd87) == 0x4487; /* add or mov to r15 */
    return conditional || plain || exchange || compare_and_branch || writes_pc;
}

static uint32_t narrow(uint32_t half, bool *after_memory) {
    if ((half & 0xf800) == 0x4800) { /* from the literal pool */
        return load(after_memory);
    }
    if ((half & 0xf000) == 0x5000) { /* register offset: the first three of eight store */
        return single((half & 0x0e00) >= 0x0600, after_memory);
    }
    if (half >= 0x6000 && half < 0xa000) { /* immediate offset */
        return single((half & 0x0800) != 0, after_memory);
    }
    if ((half & 0xf600) == 0xb400) { /* push, pop: lr or pc is bit 8 */
        return other(multiple(half & 0x1ff), after_memory);
    }
    if ((half & 0xf000) == 0xc000) {
        return other(multiple(half & 0xff), after_memory);
    }
    return other(is_narrow_branch(half) ? BRANCH : ALU, after_memory);
}

/* ldrd, strd, exclusives and table branches; ldm, stm. */
static uint32_t wide_multiple(uint32_t first, uint32_t second, bool *after_memory) {
    if ((first & 0x0040) == 0) {
        return other(multiple(second), after_memory);
    }
    if ((first & 0xfff0) == 0xe8d0 && (second & 0x00e0) == 0) { /* tbb, tbh */
        return other(BRANCH, after_memory);
    }
    if ((first & 0x0120) == 0) { /* exclusives */
        return single((first & 0x0010) != 0, after_memory);
    }
    return other(PAIR, after_memory);
}

static uint32_t float_memory(uint32_t first, uint32_t second, bool *after_memory) {
    const bool one_register = (first & 0x0120) == 0x0100;
    const bool single_precision = (second & 0x0f00) == 0x0a00;
    if ((first & 0x01a0) == 0) { /* between two core registers and the extension */
        return other(ALU, after_memory);
    }
    if (one_register && single_precision) {
        return single((first & 0x0010) != 0, after_memory);
    }
    return other(one_register ? (uint32_t)PAIR : 1 + (second & 0xff), after_memory);
}

static uint32_t float_arithmetic(uint32_t first, uint32_t second) {
    const uint32_t operation = first & 0x00b0;
    const bool square_root =
        operation == 0x00b0 && (first & 0x000f) == 1 && (second & 0xc0) == 0xc0;
    if ((second & 0x0010) != 0) { /* transfer of one register */
        return ALU;
    }
    if (operation == 0x0080 || square_root) {
        return FLOAT_DIVIDE;
    }
    const bool fused = operation == 0x0090 || operation == 0x00a0;
    return operation <= 0x0010 || fused ? FLOAT_MULTIPLY_ADD : ALU;
}

static bool is_wide_branch(uint32_t first, uint32_t second) {
    const bool system = (first & 0x0380) == 0x0380 && (second & 0x5000) == 0;
    return (first & 0xf800) == 0xf000 && (second & 0x8000) != 0 && !system;
}

static uint32_t wide(uint32_t first, uint32_t second, bool *after_memory) {
    const bool divides = (first & 0xffd0) == 0xfb90 && (second & 0x00f0) == 0x00f0;
    if ((first & 0xfe00) == 0xe800) {
        return wide_multiple(first, second, after_memory);
    }
    if ((first & 0xfe00) == 0xec00) {
        return float_memory(first, second, after_memory);
    }
    if ((first & 0xff00) == 0xee00) {
        return other(float_arithmetic(first, second), after_memory);
    }
    if ((first & 0xfe00) == 0xf800) {
        return single((first & 0x0010) != 0, after_memory);
    }
    if (divides) {
        return other(DIVIDE, after_memory);
    }
    return other(is_wide_branch(first, second) ? BRANCH : ALU, after_memory);
}

uint32_t cost_cortex_m4(uint32_t code, bool *after_memory) {
    const uint32_t first = code & 0xffff;
    return first < 0xe800 ? narrow(first, after_memory) : wide(first, code >> 16, after_memory);
}
