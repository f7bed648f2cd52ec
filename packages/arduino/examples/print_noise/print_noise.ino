/* Prints the raw noise of the watchdog for an assessment by SP 800-90B: a sample of 8 bits on each
 * line, 62 a second. A million of them take four and a half hours. */
#include <isopod.h>

#include "avr_watchdog.h"

void setup() {
    Serial.begin(115200);
}

void loop() {
    uint8_t sample;
    if (isopod_avr_watchdog_sample(NULL, &sample) == 0) {
        Serial.println(sample);
    }
}
