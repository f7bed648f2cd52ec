/* Entropy from the RNG of an STM32 through ST's HAL. `state` is the RNG_HandleTypeDef that
 * HAL_RNG_Init has initialised. Some HALs look at neither error flag, so both are read before and
 * after every word. Zeros are what a generator gives that does not run: they are drawn again, a few
 * times. Include the HAL of your series first. */
#ifndef ISOPOD_PORT_ENTROPY_STM32_HAL_H
#define ISOPOD_PORT_ENTROPY_STM32_HAL_H

#include <stddef.h>
#include <stdint.h>

#ifndef HAL_RNG_MODULE_ENABLED
#error "Include the HAL of your STM32, with HAL_RNG_MODULE_ENABLED, before this file"
#endif

static inline int isopod_stm32_rng_has_error(const RNG_HandleTypeDef *rng) {
    return (rng->Instance->SR & (RNG_SR_CECS | RNG_SR_SECS | RNG_SR_CEIS | RNG_SR_SEIS)) != 0;
}

/* The next word, or 0. */
static inline uint32_t isopod_stm32_rng_word(RNG_HandleTypeDef *rng) {
    uint32_t word = 0;
    for (uint8_t attempt = 0; attempt < 4 && word == 0; attempt++) {
        if (isopod_stm32_rng_has_error(rng) || HAL_RNG_GenerateRandomNumber(rng, &word) != HAL_OK ||
            isopod_stm32_rng_has_error(rng)) {
            return 0;
        }
    }
    return word;
}

static inline int isopod_entropy_stm32_hal(void *state, uint8_t *out, size_t length) {
    for (size_t i = 0; i < length; i += 4) {
        const uint32_t word = isopod_stm32_rng_word((RNG_HandleTypeDef *)state);
        if (word == 0) {
            return -1;
        }
        for (size_t j = i; j < length && j < i + 4; j++) {
            out[j] = (uint8_t)(word >> 8 * (j - i));
        }
    }
    return 0;
}

#endif
