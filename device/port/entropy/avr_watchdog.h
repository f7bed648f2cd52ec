/* Raw noise of an 8-bit AVR, which has no random generator: the watchdog has an RC oscillator of
 * its own, and timer 1 sees its jitter against the processor's clock. A sample is the low byte of
 * the timer at one interrupt of the watchdog, every 16 ms. It is noise, not yet random bytes: give
 * isopod_health (isopod/health.h) this function and what an assessment of your board found
 * (SP 800-90B, section 3). Takes the watchdog, its interrupt, and timer 1 with its outputs. Include
 * it in one file only. */
#ifndef ISOPOD_PORT_ENTROPY_AVR_WATCHDOG_H
#define ISOPOD_PORT_ENTROPY_AVR_WATCHDOG_H

#include <avr/interrupt.h>
#include <avr/io.h>
#include <stdint.h>

/* Turns of the wait for an interrupt: at 20 MHz more than ten times its period. */
#define ISOPOD_AVR_WATCHDOG_TURNS UINT32_C(600000)

static volatile uint8_t isopod_avr_watchdog_time, isopod_avr_watchdog_has_time;

ISR(WDT_vect) {
    isopod_avr_watchdog_time = TCNT1L;
    isopod_avr_watchdog_has_time = 1;
}

/* Interrupts in place of resets, every 16 ms; timer 1 counts every cycle. */
static inline void isopod_avr_watchdog_start(void) {
    TCCR1A = 0;
    TCCR1B = 1 << CS10;
    cli();
    WDTCSR = 1 << WDCE | 1 << WDE;
    WDTCSR = 1 << WDIE;
    sei();
}

/* The `sample` of an isopod_health. Fails where interrupts are off or the watchdog stands still. */
static inline int isopod_avr_watchdog_sample(void *state, uint8_t *sample) {
    (void)state;
    if ((SREG & 1 << SREG_I) == 0) {
        return -1;
    }
    if ((WDTCSR & 1 << WDIE) == 0 || TCCR1B != 1 << CS10) {
        isopod_avr_watchdog_start();
    }
    isopod_avr_watchdog_has_time = 0;
    for (uint32_t turn = 0; turn < ISOPOD_AVR_WATCHDOG_TURNS; turn++) {
        if (isopod_avr_watchdog_has_time) {
            *sample = isopod_avr_watchdog_time;
            return 0;
        }
    }
    return -1;
}

#endif
