/* The RNG of Nordic's nrfx, as far as nrf_rng.h names it. With the fault "silent" no byte comes. */
#ifndef NRF_RNG_STAND_IN_H
#define NRF_RNG_STAND_IN_H

#include <stdbool.h>

#include "memory.h"

typedef struct {
    bool is_corrected, is_running, has_byte;
    uint32_t turns;
    uint8_t bytes;
} NRF_RNG_Type;
typedef enum { NRF_RNG_TASK_START, NRF_RNG_TASK_STOP } nrf_rng_task_t;
typedef enum { NRF_RNG_EVENT_VALRDY } nrf_rng_event_t;

static NRF_RNG_Type nrf_rng;
#define NRF_RNG (&nrf_rng)

static inline void nrf_rng_error_correction_enable(NRF_RNG_Type *rng) {
    rng->is_corrected = true;
}

static inline void nrf_rng_task_trigger(NRF_RNG_Type *rng, nrf_rng_task_t task) {
    rng->is_running = task == NRF_RNG_TASK_START;
}

static inline void nrf_rng_event_clear(NRF_RNG_Type *rng, nrf_rng_event_t event) {
    (void)event;
    rng->has_byte = false;
}

/* A byte takes some turns. */
static inline bool nrf_rng_event_check(NRF_RNG_Type *rng, nrf_rng_event_t event) {
    (void)event;
    rng->has_byte |= rng->is_running && ++rng->turns % 50 == 0 && !memory_has("silent");
    return rng->has_byte;
}

static inline uint8_t nrf_rng_random_value_get(NRF_RNG_Type *rng) {
    return rng->is_corrected ? (uint8_t)(0x10 + rng->bytes++) : 0;
}

static inline void *board_state(void) {
    return NULL;
}

#endif
