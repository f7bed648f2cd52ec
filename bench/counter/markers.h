/* Marks of the beginning and end of measured regions, which may nest and follow each other; a
 * counter numbers them from 0 in the order of their beginnings.
 *
 * Boards: one instruction each that compilers never emit, seen by the QEMU plugin of this folder
 * and counted in no region. x86-64: callgrind client requests, run with --collect-atstart=no;
 * regions there must not nest. Each region ends in a dump of its own (callgrind.out.<pid>.<1..>).
 * Robust against inlining and tail calls, where --toggle-collect=<function> is not; the requests
 * themselves cost a few counted instructions, which an empty region shows. On silicon, with
 * ISOPOD_BOARD_CYCLES, the cycle counter of the board. */
#ifndef ISOPOD_MARKERS_H
#define ISOPOD_MARKERS_H

#if defined(ISOPOD_BOARD_CYCLES)

#include "board_cycles.h"

#elif defined(__arm__)

static inline void isopod_region_begin(void) {
    __asm__ volatile("mov r10, r10" ::: "memory");
}

static inline void isopod_region_end(void) {
    __asm__ volatile("mov r11, r11" ::: "memory");
}

#elif defined(__aarch64__)

static inline void isopod_region_begin(void) {
    __asm__ volatile("mov x10, x10" ::: "memory");
}

static inline void isopod_region_end(void) {
    __asm__ volatile("mov x11, x11" ::: "memory");
}

#elif defined(__riscv)

static inline void isopod_region_begin(void) {
    __asm__ volatile("addi x0, x0, 1" ::: "memory");
}

static inline void isopod_region_end(void) {
    __asm__ volatile("addi x0, x0, 2" ::: "memory");
}

#elif defined(__x86_64__)

#include <valgrind/callgrind.h>

static inline void isopod_region_begin(void) {
    CALLGRIND_ZERO_STATS;
    CALLGRIND_TOGGLE_COLLECT;
}

static inline void isopod_region_end(void) {
    CALLGRIND_TOGGLE_COLLECT;
    CALLGRIND_DUMP_STATS;
}

#else
#error "no region markers for this architecture"
#endif

#endif
