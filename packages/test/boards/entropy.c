/* Calls an entropy source of device/port/entropy as a process: prints the bytes that it fills, two
 * hexadecimal digits each. The exit status is 1 where the source fails, 2 where it writes beyond
 * its bytes.
 *
 * -DSOURCE=    the file of the source, in quotes
 * -DFILL=      its function; -DSAMPLE: it gives one byte at a time
 * -DVENDOR=    the vendor's header before it, if it needs one
 * -DSTATE=     what the function is given */
#include <stdint.h>
#include <stdio.h>

#ifdef VENDOR
#include VENDOR
#endif
#include SOURCE

enum { BYTES = 30 };

#ifdef RADIO
static int radio_calls;

/* Off, on, or on at first. */
static int is_radio_on(void) {
    return radio_calls++ < RADIO;
}

static isopod_esp_idf_radio radio = {is_radio_on};
#endif

static int fill(uint8_t *out) {
#ifdef SAMPLE
    for (int i = 0; i < BYTES; i++) {
        if (FILL(STATE, out + i) != 0) {
            return -1;
        }
    }
    return 0;
#else
    return FILL(STATE, out, BYTES);
#endif
}

int main(void) {
    uint8_t bytes[BYTES + 2] = {0xa5};
    bytes[BYTES + 1] = 0x5a;
    if (fill(bytes + 1) != 0) {
        return 1;
    }
    for (int i = 1; i <= BYTES; i++) {
        printf("%02x", bytes[i]);
    }
    return bytes[0] == 0xa5 && bytes[BYTES + 1] == 0x5a ? 0 : 2;
}
