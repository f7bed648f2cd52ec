/* The RNG of ST's HAL, as far as stm32_hal.h names it. Faults: "clock" and "seed" set a flag that
 * this HAL does not look at, "late seed" after the second word; "timeout" is an error of the HAL;
 * with "zero" the generator does not run, with "one zero" a word happens to be 0. */
#ifndef STM32_HAL_H
#define STM32_HAL_H

#include "memory.h"

#define HAL_RNG_MODULE_ENABLED
#define RNG_SR_CECS 2u
#define RNG_SR_SECS 4u
#define RNG_SR_CEIS 32u
#define RNG_SR_SEIS 64u

typedef enum { HAL_OK, HAL_ERROR, HAL_BUSY, HAL_TIMEOUT } HAL_StatusTypeDef;
typedef struct {
    volatile uint32_t SR;
} RNG_TypeDef;
typedef struct {
    RNG_TypeDef *Instance;
} RNG_HandleTypeDef;

static inline HAL_StatusTypeDef HAL_RNG_GenerateRandomNumber(RNG_HandleTypeDef *rng,
                                                             uint32_t *word) {
    static uint32_t words;
    words++;
    if (memory_has("late seed") && words == 2) {
        rng->Instance->SR |= RNG_SR_SEIS;
    }
    *word = memory_has("zero") || (memory_has("one zero") && words == 2)
                ? 0
                : 0x03020100u + words * 0x10101010u;
    return memory_has("timeout") ? HAL_ERROR : HAL_OK;
}

static RNG_TypeDef registers;
static RNG_HandleTypeDef generator = {&registers};

/* The handle, with the fault that the test chose. */
static inline void *board_state(void) {
    registers.SR = memory_has("clock") ? RNG_SR_CECS : memory_has("seed") ? RNG_SR_SECS : 1u;
    return &generator;
}

#endif
