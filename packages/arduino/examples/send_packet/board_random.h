/* The generator of the board. An ATmega has none; it has the jitter of its watchdog, tested and
 * condensed by isopod/health.h. How random that jitter is depends on the board: the example
 * print_noise prints samples for an assessment by SP 800-90B. Its result, rounded down, is
 * ENTROPY_BITS. As delivered it is 0, and the generator refuses; nothing weaker takes its place. */
#include <isopod/health.h>

#include "avr_watchdog.h"

const uint8_t ENTROPY_BITS = 0;

static isopod_health noise = {isopod_avr_watchdog_sample, NULL, ENTROPY_BITS};

static int board_random(void *, uint8_t *out, size_t length) {
    return isopod_health_fill(&noise, out, length);
}
