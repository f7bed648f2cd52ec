/* isopod_entropy_fill: the `fill` of isopod_entropy for the platform that the compiler targets,
 * where the compiler or the build system says it. There is no weak default. Firmware for other
 * platforms includes one of the files beside this one (psa.h, stm32_hal.h, nrf_rng.h,
 * avr_watchdog.h), or fills the callback from its own hardware generator. */
#ifndef ISOPOD_PORT_ENTROPY_H
#define ISOPOD_PORT_ENTROPY_H

#if defined(__ZEPHYR__)
#include "zephyr.h"
#define isopod_entropy_fill isopod_entropy_zephyr
#elif defined(ESP_PLATFORM)
#include "esp_idf.h"
#define isopod_entropy_fill isopod_entropy_esp_idf /* without radio */
#elif defined(__linux__)
#include "linux.h"
#define isopod_entropy_fill isopod_entropy_linux
#else
#error "No entropy source for this platform: give isopod_entropy.fill your hardware's generator"
#endif

#endif
