/* Entropy from Zephyr's cryptographic generator, which asks the driver of the hardware's generator
 * or PSA. It fails closed: without a driver there is no sys_csrand_get. Zephyr's test generators
 * are refused here, because Kconfig can choose one for a whole board. */
#ifndef ISOPOD_PORT_ENTROPY_ZEPHYR_H
#define ISOPOD_PORT_ENTROPY_ZEPHYR_H

#include <stddef.h>
#include <stdint.h>
#include <zephyr/random/random.h>

#if defined(CONFIG_TEST_CSPRNG_GENERATOR) || defined(CONFIG_FAKE_ENTROPY_NATIVE_SIM) ||            \
    defined(CONFIG_FAKE_ENTROPY_NATIVE_POSIX)
#error "Zephyr is configured for test numbers, which are not random"
#endif

static inline int isopod_entropy_zephyr(void *state, uint8_t *out, size_t length) {
    (void)state;
    return sys_csrand_get(out, length);
}

#endif
