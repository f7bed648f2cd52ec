/* Operation numbers and argument blocks: Arm, "Semihosting for AArch32 and AArch64" (IHI 0100);
 * the RISC-V specification of semihosting adopts them. */
#include "semihosting.h"

enum {
    SYS_OPEN = 0x01,
    SYS_CLOSE = 0x02,
    SYS_WRITE0 = 0x04,
    SYS_WRITE = 0x05,
    SYS_READ = 0x06,
    SYS_GET_CMDLINE = 0x15,
    SYS_EXIT_EXTENDED = 0x20,
};

static const uintptr_t APPLICATION_EXIT = 0x20026;

intptr_t semihosting_trap(uintptr_t operation, const void *argument);

static size_t length_of(const char *text) {
    size_t length = 0;
    while (text[length] != '\0') {
        length++;
    }
    return length;
}

int semihosting_open(const char *path, semihosting_mode mode) {
    const uintptr_t block[3] = {(uintptr_t)path, (uintptr_t)mode, length_of(path)};
    return (int)semihosting_trap(SYS_OPEN, block);
}

/* The host returns the number of bytes it did not transfer. */
static size_t transfer(uintptr_t operation, int handle, uintptr_t address, size_t length) {
    const uintptr_t block[3] = {(uintptr_t)handle, address, length};
    const uintptr_t missing = (uintptr_t)semihosting_trap(operation, block);
    return missing <= length ? length - missing : 0;
}

size_t semihosting_read(int handle, void *out, size_t length) {
    return transfer(SYS_READ, handle, (uintptr_t)out, length);
}

size_t semihosting_write(int handle, const void *in, size_t length) {
    return transfer(SYS_WRITE, handle, (uintptr_t)in, length);
}

int semihosting_close(int handle) {
    const uintptr_t block[1] = {(uintptr_t)handle};
    return (int)semihosting_trap(SYS_CLOSE, block);
}

_Noreturn void semihosting_exit(int status) {
    const uintptr_t block[2] = {APPLICATION_EXIT, (uintptr_t)status};
    for (;;) {
        semihosting_trap(SYS_EXIT_EXTENDED, block);
    }
}

void semihosting_print(const char *text) {
    semihosting_trap(SYS_WRITE0, text);
}

int semihosting_command_line(char *out, size_t capacity) {
    uintptr_t block[2] = {(uintptr_t)out, capacity};
    return (int)semihosting_trap(SYS_GET_CMDLINE, block);
}
