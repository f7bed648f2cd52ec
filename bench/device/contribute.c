/* The measured contribution of a holder: to a result that was read (region 0), and with the reading
 * of the result (region 1); prints its measurements, one "name value" per line.
 *
 * Usage: app SHARE_FILE RESULT_FILE
 * -DBENCH_PARAMS= -DBENCH_TABLES=   symbols of the library and of the generated tables
 * -DBENCH_N= -DBENCH_SHARE_BYTES= -DBENCH_RESULT_BYTES= */
#include <stddef.h>
#include <stdint.h>

#include "counter/markers.h"
#include "device/program.h"
#include "isopod/holder.h"
#include "stack/stack.h"

#define EXTERNAL __attribute__((section(".bss.external")))
#define PAGE 64u

extern const isopod_params BENCH_PARAMS;
extern const isopod_tables BENCH_TABLES;

EXTERNAL static _Alignas(8) uint32_t share[BENCH_SHARE_BYTES / 4];
EXTERNAL static uint8_t item[BENCH_RESULT_BYTES];
EXTERNAL static uint8_t out[BENCH_RESULT_BYTES];
EXTERNAL static uint8_t pages[2][PAGE];
static size_t out_bytes;

static _Alignas(8) uint8_t memory[ISOPOD_HOLDER_WORKSPACE(BENCH_N)];
static const isopod_workspace workspace = {memory, sizeof memory};
static isopod_holder holder;
static isopod_result result;
static uint32_t z = 12345;
static isopod_entropy entropy = {repeatable_entropy, &z, {0}, 0};

static int read_page(void *state, uint8_t page, uint32_t offset, uint8_t *to, size_t length) {
    (void)state;
    for (size_t i = 0; i < length; i++) {
        to[i] = pages[page][offset + i];
    }
    return 0;
}

static int write_page(void *state, uint8_t page, uint32_t offset, const uint8_t *bytes,
                      size_t length) {
    (void)state;
    for (size_t i = 0; i < length; i++) {
        pages[page][offset + i] &= bytes[i];
    }
    return 0;
}

static int erase_page(void *state, uint8_t page) {
    (void)state;
    for (size_t i = 0; i < PAGE; i++) {
        pages[page][i] = 0xff;
    }
    return 0;
}

static int send(void *state, const uint8_t *bytes, size_t length) {
    (void)state;
    for (size_t i = 0; i < length; i++) {
        out[out_bytes++] = bytes[i];
    }
    return 0;
}

static isopod_status contribute(void) {
    static const uint8_t numbers[] = {1, 3};
    static const isopod_answering answering = {numbers, sizeof numbers};
    static const isopod_flash count = {read_page, write_page, erase_page, NULL, PAGE, 16};
    static const isopod_holder_board board = {&entropy, &count, send, NULL};
    out_bytes = 0;
    return isopod_holder_contribute(&holder, &result, &answering, &board, &workspace);
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fail("usage: app SHARE_FILE RESULT_FILE");
    }
    load_file(argv[1], share, sizeof share);
    load_file(argv[2], item, sizeof item);
    (void)erase_page(NULL, 0);
    (void)erase_page(NULL, 1);
    isopod_stack_paint();
    if (isopod_holder_open(&holder, &BENCH_PARAMS, &BENCH_TABLES, share, sizeof share) !=
            ISOPOD_OK ||
        isopod_holder_read(&result, &holder, item, sizeof item) != ISOPOD_OK) {
        fail("the library refuses the share or the result");
    }
    isopod_region_begin();
    isopod_status status = contribute();
    isopod_region_end();
    const uint64_t digest = digest_of(out, out_bytes);
    isopod_region_begin();
    isopod_status again = isopod_holder_read(&result, &holder, item, sizeof item);
    again = again == ISOPOD_OK ? contribute() : again;
    isopod_region_end();
    if (status != ISOPOD_OK || again != ISOPOD_OK || digest == digest_of(out, out_bytes)) {
        fail("the library refuses the result, or contributes the same twice");
    }
    print("stack_bytes", isopod_stack_used());
    print("digest", digest);
    print("wire_bytes", out_bytes);
    print("ram_bytes", sizeof memory + sizeof holder + sizeof result + sizeof entropy);
    return 0;
}
