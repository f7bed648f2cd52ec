/* The boards' interface, implemented by the process itself. */
#include "semihosting/semihosting.h"

#include <stdio.h>
#include <stdlib.h>

enum { HANDLES = 16 };

static FILE *files[HANDLES];

static const char *mode_of(semihosting_mode mode) {
    return mode == SEMIHOSTING_READ ? "rb" : mode == SEMIHOSTING_WRITE ? "wb" : "ab";
}

static FILE *file_of(int handle) {
    return handle >= 0 && handle < HANDLES ? files[handle] : NULL;
}

int semihosting_open(const char *path, semihosting_mode mode) {
    for (int handle = 0; handle < HANDLES; handle++) {
        if (files[handle] == NULL) {
            files[handle] = fopen(path, mode_of(mode));
            return files[handle] != NULL ? handle : -1;
        }
    }
    return -1;
}

size_t semihosting_read(int handle, void *out, size_t length) {
    FILE *file = file_of(handle);
    return file != NULL ? fread(out, 1, length, file) : 0;
}

size_t semihosting_write(int handle, const void *in, size_t length) {
    FILE *file = file_of(handle);
    return file != NULL ? fwrite(in, 1, length, file) : 0;
}

int semihosting_close(int handle) {
    FILE *file = file_of(handle);
    if (file == NULL) {
        return -1;
    }
    files[handle] = NULL;
    return fclose(file) == 0 ? 0 : -1;
}

_Noreturn void semihosting_exit(int status) {
    exit(status);
}

void semihosting_print(const char *text) {
    fputs(text, stderr);
}
