/* Entropy from the kernel: waits until its generator is seeded, then never fails. Needs Linux 3.17
 * and a C library. */
#ifndef ISOPOD_PORT_ENTROPY_LINUX_H
#define ISOPOD_PORT_ENTROPY_LINUX_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/random.h>
#include <sys/types.h>

static inline int isopod_entropy_linux(void *state, uint8_t *out, size_t length) {
    (void)state;
    while (length > 0) {
        ssize_t got = getrandom(out, length, 0);
        if (got <= 0 && !(got < 0 && errno == EINTR)) {
            return -1;
        }
        out += got > 0 ? got : 0;
        length -= got > 0 ? (size_t)got : 0;
    }
    return 0;
}

#endif
