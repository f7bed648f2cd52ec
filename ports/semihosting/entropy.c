#include "entropy.h"

#include "semihosting.h"

static int read_all(int handle, uint8_t *out, size_t length) {
    size_t filled = 0;
    while (filled < length) {
        const size_t got = semihosting_read(handle, out + filled, length - filled);
        if (got == 0) {
            return -1;
        }
        filled += got;
    }
    return 0;
}

int isopod_entropy_semihosting(void *state, uint8_t *out, size_t length) {
    const char *path = state != NULL ? (const char *)state : "/dev/urandom";
    const int handle = semihosting_open(path, SEMIHOSTING_READ);
    int status = handle < 0 ? -1 : read_all(handle, out, length);
    if (handle >= 0 && semihosting_close(handle) != 0) {
        status = -1;
    }
    if (status != 0) {
        for (size_t i = 0; i < length; i++) {
            out[i] = 0;
        }
    }
    return status;
}
