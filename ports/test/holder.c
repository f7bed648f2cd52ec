/* A holder's board under emulation: opens a share, reads a sealed result, and contributes.
 * Usage: holder SHARE_FILE RESULT_FILE NUMBERS COUNT_FILE OUT_FILE
 * NUMBERS are those of the holders who answer, with commas between: 1,3. COUNT_FILE stands for two
 * pages of flash and keeps the count; the first run makes it.
 * -DHOLDER_PARAMS= -DHOLDER_TABLES=   symbols of the library and of the generated tables
 * -DHOLDER_N=                         ring degree */
#include <stddef.h>
#include <stdint.h>

#include "isopod/holder.h"
#include "semihosting/entropy.h"
#include "semihosting/semihosting.h"

#define PAGE 1024u

enum { SHARE_BYTES = 256 * 1024, RESULT_BYTES = 256 * 1024, OUT_BYTES = 64 * 1024 };

#define EXTERNAL __attribute__((section(".bss.external")))

extern const isopod_params HOLDER_PARAMS;
extern const isopod_tables HOLDER_TABLES;

/* Contents of a board's flash. */
EXTERNAL static _Alignas(8) uint32_t share[SHARE_BYTES / 4];
EXTERNAL static uint8_t item[RESULT_BYTES];
EXTERNAL static uint8_t pages[2][PAGE];
/* The contribution. */
EXTERNAL static uint8_t sent[OUT_BYTES];
static size_t sent_bytes;

static _Alignas(8) uint8_t memory[ISOPOD_HOLDER_WORKSPACE(HOLDER_N)];
static const isopod_workspace workspace = {memory, sizeof memory};

static _Noreturn void fail(const char *what) {
    semihosting_print(what);
    semihosting_print("\n");
    semihosting_exit(1);
}

static size_t load(const char *path, void *out, size_t most) {
    const int file = semihosting_open(path, SEMIHOSTING_READ);
    if (file < 0) {
        return 0;
    }
    const size_t bytes = semihosting_read(file, out, most);
    semihosting_close(file);
    return bytes;
}

static int store(const char *path, const void *bytes, size_t length) {
    const int file = semihosting_open(path, SEMIHOSTING_WRITE);
    const int failed = file < 0 || semihosting_write(file, bytes, length) != length;
    semihosting_close(file);
    return failed;
}

static int read_page(void *state, uint8_t page, uint32_t offset, uint8_t *out, size_t length) {
    (void)state;
    for (size_t i = 0; i < length; i++) {
        out[i] = pages[page][offset + i];
    }
    return 0;
}

static int write_page(void *state, uint8_t page, uint32_t offset, const uint8_t *bytes,
                      size_t length) {
    for (size_t i = 0; i < length; i++) {
        pages[page][offset + i] &= bytes[i];
    }
    return store(state, pages, sizeof pages);
}

static int erase_page(void *state, uint8_t page) {
    for (size_t i = 0; i < PAGE; i++) {
        pages[page][i] = 0xff;
    }
    return store(state, pages, sizeof pages);
}

static int send(void *state, const uint8_t *bytes, size_t length) {
    (void)state;
    for (size_t i = 0; i < length; i++) {
        if (sent_bytes == sizeof sent) {
            return -1;
        }
        sent[sent_bytes++] = bytes[i];
    }
    return 0;
}

/* Reads NUMBERS; returns how many there are. */
static uint8_t read_numbers(uint8_t numbers[ISOPOD_HOLDERS], const char *text) {
    uint8_t count = 1;
    for (; *text != '\0' && count <= ISOPOD_HOLDERS; text++) {
        if (*text == ',') {
            count++;
        } else {
            numbers[count - 1u] = (uint8_t)(10u * numbers[count - 1u] + (uint8_t)(*text - '0'));
        }
    }
    return count;
}

/* The status and its number, for whoever runs the board. */
static void report(isopod_status status) {
    semihosting_print("status -");
    semihosting_print_decimal((uint64_t) - (int64_t)status);
    semihosting_print("\n");
    if (status != ISOPOD_OK) {
        semihosting_exit(2);
    }
}

int main(int argc, char **argv) {
    static isopod_holder holder;
    static isopod_result result;
    static isopod_entropy entropy = {isopod_entropy_semihosting, NULL, {0}, 0};
    if (argc != 6) {
        fail("usage: holder SHARE_FILE RESULT_FILE NUMBERS COUNT_FILE OUT_FILE");
    }
    uint8_t numbers[ISOPOD_HOLDERS + 1u] = {0};
    const isopod_answering answering = {numbers, read_numbers(numbers, argv[3])};
    const isopod_flash count = {read_page, write_page, erase_page, argv[4], PAGE, 16};
    const isopod_holder_board board = {&entropy, &count, send, NULL};
    const size_t share_bytes = load(argv[1], share, sizeof share);
    const size_t item_bytes = load(argv[2], item, sizeof item);
    if (load(argv[4], pages, sizeof pages) == 0) {
        (void)erase_page(argv[4], 0);
        (void)erase_page(argv[4], 1);
    }
    isopod_status status =
        isopod_holder_open(&holder, &HOLDER_PARAMS, &HOLDER_TABLES, share, share_bytes);
    if (status == ISOPOD_OK) {
        status = isopod_holder_read(&result, &holder, item, item_bytes);
    }
    if (status == ISOPOD_OK) {
        status = isopod_holder_contribute(&holder, &result, &answering, &board, &workspace);
    }
    report(status);
    if (store(argv[5], sent, sent_bytes) != 0) {
        fail("the contribution cannot be written");
    }
    return 0;
}
