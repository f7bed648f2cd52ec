/* Raw samples of the RNG of an nRF51, nRF52 or nRF5340 (network core) through Nordic's nrfx. It has
 * no tests of its own: give this function to isopod_health (isopod/health.h) together with the
 * min-entropy of a byte. Bias correction is on. The generator's time has no bound, so the wait ends
 * after as many turns as take far longer than a byte. It is for firmware without a stack that owns
 * the RNG (a SoftDevice does). */
#ifndef ISOPOD_PORT_ENTROPY_NRF_RNG_H
#define ISOPOD_PORT_ENTROPY_NRF_RNG_H

#include <hal/nrf_rng.h>
#include <stdint.h>

#define ISOPOD_NRF_RNG_TURNS UINT32_C(1000000)

static inline int isopod_nrf_rng_sample(void *state, uint8_t *sample) {
    (void)state;
    nrf_rng_error_correction_enable(NRF_RNG);
    nrf_rng_event_clear(NRF_RNG, NRF_RNG_EVENT_VALRDY);
    nrf_rng_task_trigger(NRF_RNG, NRF_RNG_TASK_START);
    for (uint32_t turn = 0; turn < ISOPOD_NRF_RNG_TURNS; turn++) {
        if (nrf_rng_event_check(NRF_RNG, NRF_RNG_EVENT_VALRDY)) {
            *sample = nrf_rng_random_value_get(NRF_RNG);
            nrf_rng_task_trigger(NRF_RNG, NRF_RNG_TASK_STOP);
            return 0;
        }
    }
    nrf_rng_task_trigger(NRF_RNG, NRF_RNG_TASK_STOP);
    return -1;
}

#endif
