/* Regions on a Cortex-M of silicon: the cycle counter of its debug unit (DWT) instead of a plugin
 * of QEMU. Regions follow each other and do not nest. */
#ifndef ISOPOD_BOARD_CYCLES_H
#define ISOPOD_BOARD_CYCLES_H

#include <stdint.h>

enum { BOARD_REGIONS = 16 };

static struct { uint32_t cycles[BOARD_REGIONS], count; } board_regions;

static inline volatile uint32_t *board_register(uintptr_t address) {
    return (volatile uint32_t *)address;
}

static inline uint32_t board_cycles_now(void) {
    return *board_register(0xE0001004U); /* DWT_CYCCNT */
}

static inline void isopod_region_begin(void) {
    *board_register(0xE000EDFCU) |= UINT32_C(1) << 24; /* DEMCR.TRCENA */
    *board_register(0xE0001000U) |= 1U;                /* DWT_CTRL.CYCCNTENA */
    __asm__ volatile("dsb\n\tisb" ::: "memory");
    board_regions.cycles[board_regions.count] = board_cycles_now();
}

static inline void isopod_region_end(void) {
    const uint32_t end = board_cycles_now();
    uint32_t *region = &board_regions.cycles[board_regions.count++];
    *region = end - *region;
}

#endif
