/* Entropy that is taken once; a second demand fails, and with it the call that made it. */
#include "entropy.h"

static int fill(void *state, uint8_t *out, size_t length) {
    given_bytes *const given = state;
    if (!given->is_fresh || length != sizeof given->bytes) {
        return -1;
    }
    given->is_fresh = 0;
    for (size_t i = 0; i < length; i++) {
        out[i] = given->bytes[i];
        given->bytes[i] = 0;
    }
    return 0;
}

void entropy_give(given_bytes *given, isopod_entropy *entropy, uint8_t *from) {
    for (size_t i = 0; i < sizeof given->bytes; i++) {
        given->bytes[i] = from[i];
        from[i] = 0;
    }
    given->is_fresh = 1;
    entropy->fill = fill;
    entropy->state = given;
}
