/* The services that a debugger or an emulator gives a board: files, console, command line, exit.
 * Boards reach them by a trap instruction (trap.S); the linux port answers with its own process. */
#ifndef ISOPOD_SEMIHOSTING_H
#define ISOPOD_SEMIHOSTING_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    SEMIHOSTING_READ = 1,
    SEMIHOSTING_WRITE = 5,
    SEMIHOSTING_APPEND = 9,
} semihosting_mode;

/* A handle >= 0, or -1 if the host cannot open the path. Files are binary; WRITE truncates. */
int semihosting_open(const char *path, semihosting_mode mode);

/* Bytes transferred, possibly fewer than length; 0 at the end of the file and on any error. */
size_t semihosting_read(int handle, void *out, size_t length);
size_t semihosting_write(int handle, const void *in, size_t length);

/* 0, or -1 if the handle is not open. */
int semihosting_close(int handle);

/* Ends the program; status 0..255 becomes the exit status of the emulator. */
__attribute__((noreturn)) void semihosting_exit(int status);

/* Zero-terminated text, and an unsigned number in decimal, to the console of the host. */
void semihosting_print(const char *text);
void semihosting_print_decimal(uint64_t number);

/* Fills out with the zero-terminated command line; -1 if it does not fit or the host has none. */
int semihosting_command_line(char *out, size_t capacity);

/* Cuts line at its spaces, in place. Returns the number of words, -1 if that is beyond limit. */
int semihosting_split(char *line, char **words, int limit);

#ifdef __cplusplus
}
#endif

#endif
