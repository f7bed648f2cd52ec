/* Non-volatile memory of the simulated boards: the file `memory`, which is absent while nothing was
 * written, and a fault of the test's choice, from the environment. */
#ifndef MEMORY_H
#define MEMORY_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MEMORY_BYTES = 8192, MEMORY_ABSENT = -1 };

/* True for the fault that the test chose. */
static inline int memory_has(const char *fault) {
    const char *chosen = getenv("FAULT");
    return chosen != NULL && strcmp(chosen, fault) == 0;
}

/* Bytes that the memory holds, or MEMORY_ABSENT. */
static inline int memory_read(uint8_t out[MEMORY_BYTES]) {
    FILE *file = fopen("memory", "rb");
    if (file == NULL) {
        return MEMORY_ABSENT;
    }
    const int length = (int)fread(out, 1, MEMORY_BYTES, file);
    fclose(file);
    return length;
}

/* Succeeds without effect where the fault is "lost". */
static inline void memory_write(const void *bytes, size_t length) {
    FILE *file = memory_has("lost") ? NULL : fopen("memory", "wb");
    if (file != NULL) {
        fwrite(bytes, 1, length, file);
        fclose(file);
    }
}

/* True for a fault of reading: of every read, or of those after the first. */
static inline int memory_refuses_to_read(void) {
    static int reads;
    reads++;
    return memory_has("read") || (reads > 1 && memory_has("read back"));
}

static inline int memory_random(void *out, size_t length) {
    FILE *file = fopen("/dev/urandom", "rb");
    const size_t filled = file != NULL ? fread(out, 1, length, file) : 0;
    if (file != NULL) {
        fclose(file);
    }
    return filled == length ? 0 : -1;
}

#endif
