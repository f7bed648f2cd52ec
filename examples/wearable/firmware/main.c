/* A wristband: makes sixteen features of each window of its movement, encrypts them under the
 * public key in flash, 128 windows to a ciphertext, and writes the frames to a file.
 *
 * Usage: firmware WINDOWS FRAMES
 * WINDOWS holds windows of SAMPLES rows of CHANNELS little-endian float32; FRAMES is overwritten
 * with a sequence of parts. isopod_keys.h and isopod_public_key.h (isopod keygen), model_columns.h
 * (demo.py) and the tables (spec.gen tables) are generated. */
#include <stddef.h>
#include <stdint.h>

#include "counter/markers.h"
#include "features.h"
#include "isopod/ckks.h"
#include "isopod/frame.h"
#include "isopod/key.h"
#include "isopod/rounded.h"
#include "isopod_keys.h"
#include "model_columns.h"
#include "semihosting/entropy.h"
#include "semihosting/semihosting.h"
#include "stack/stack.h"

enum {
    RING_DEGREE = 2048,
    PRIMES = 1,
    ROWS_PER_FRAME = RING_DEGREE / FEATURES,
    /* Scale and bound together are at most 18 bits: what the server's bootstrapping takes. */
    LOG2_SCALE = 16,
    LOG2_BOUND = 2,
    PIECE_BYTES = 1024,
    WORKSPACE_BYTES = ISOPOD_ROUNDED_PUBLIC_SMALL_WORKSPACE(RING_DEGREE, PRIMES)
};

extern const isopod_ckks_tables isopod_tables_ckks_2048x1_air;

/* All RAM of the program except the stack. */
static _Alignas(8) uint8_t workspace[WORKSPACE_BYTES];
static float window[SAMPLES][CHANNELS];
static float readings[ROWS_PER_FRAME][FEATURES];
static uint8_t piece_buffer[PIECE_BYTES];
static isopod_key key;
static isopod_rounded rounded;
static isopod_frame frame;
static isopod_entropy entropy = {.fill = isopod_entropy_semihosting};

/* A product counts its restarts in non-volatile memory; this one starts once per key. */
static isopod_sender sender = {
    .device = ISOPOD_DEVICE, .epoch = 1, .key = (const uint8_t *)isopod_frame_key};
static const isopod_encryptor encryptor = {{workspace, sizeof workspace}, &entropy, &sender};

/* Low bits of c0 and c1 that are not sent: readings are then off by 0.1 deviations at most. */
static const isopod_rounding rounding = {
    .method = &isopod_rounded_public_small, .columns = FEATURES, .dropped = {11, 6}};

static const isopod_ckks_config config = {
    .params = &isopod_ckks_2048x1_air,
    .tables = &isopod_tables_ckks_2048x1_air,
    .suite = &isopod_suite_chacha20,
    .key = &key,
    .log2_scale = LOG2_SCALE,
    .log2_bound = LOG2_BOUND,
    .accept_label = ISOPOD_LABEL_128,
    .layout = ISOPOD_COEFFICIENTS_ROUNDED,
    .stride = FEATURES,
    .rounding = &rounding,
    .packing = model_packing,
};

static void print(const char *name, uint64_t value) {
    semihosting_print(name);
    semihosting_print(" ");
    semihosting_print_decimal(value);
    semihosting_print("\n");
}

static _Noreturn void fail(const char *what, isopod_status status) {
    semihosting_print("firmware: ");
    semihosting_print(what);
    if (status < 0) {
        semihosting_print("; isopod_status -");
        semihosting_print_decimal((uint64_t)-status);
    }
    semihosting_print("\n");
    semihosting_exit(1);
}

static int open_file(const char *path, semihosting_mode mode) {
    const int file = semihosting_open(path, mode);
    if (file < 0) {
        fail("a file does not open", ISOPOD_OK);
    }
    return file;
}

/* Standardises a feature, and keeps it within the bound. */
static float standardised(float value, int feature) {
    const float most = (float)(1 << LOG2_BOUND) - 0.01F;
    const float scaled = (value - model_mean[feature]) / model_scale[feature];
    return scaled > most ? most : scaled < -most ? -most : scaled;
}

/* Reads windows and makes features of them. Returns the number of windows. */
static uint32_t read_rows(int file) {
    uint32_t rows = 0;
    while (rows < ROWS_PER_FRAME) {
        const size_t length = semihosting_read(file, window, sizeof window);
        if (length == 0) {
            break;
        }
        if (length != sizeof window) {
            fail("WINDOWS ends within a window", ISOPOD_OK);
        }
        float *row = readings[rows];
        features(window, row);
        for (int feature = 0; feature < FEATURES; feature++) {
            row[feature] = standardised(row[feature], feature);
        }
        rows++;
    }
    return rows;
}

static void write_piece(int file, size_t length) {
    if (semihosting_write(file, piece_buffer, length) != length) {
        fail("FRAMES cannot be written", ISOPOD_OK);
    }
}

/* Sends one frame. Returns its bytes. */
static size_t send(int file, uint32_t rows) {
    const isopod_value_source source = {
        .values = {.data = readings, .count = rows * FEATURES, .type = ISOPOD_VALUES_FLOAT32}};
    size_t total = 0;
    isopod_status status = isopod_ckks_rounded_begin(&rounded, &config, &encryptor, &source);
    if (status == ISOPOD_OK) {
        status = isopod_rounded_frame_begin(&frame, &rounded);
    }
    while (status == ISOPOD_OK) {
        isopod_piece piece;
        status = isopod_frame_next(&frame, piece_buffer, sizeof piece_buffer, &piece);
        if (status == ISOPOD_OK) {
            write_piece(file, piece.length);
            total += piece.length;
        }
    }
    if (status != ISOPOD_DONE) {
        fail("the readings cannot be encrypted", status);
    }
    return total;
}

/* Each frame is one measured region: the library's work and the hand-over of its pieces. */
static void send_all(int source, int target) {
    for (uint32_t rows = read_rows(source); rows > 0; rows = read_rows(source)) {
        isopod_region_begin();
        const size_t bytes = send(target, rows);
        isopod_region_end();
        print("frame_rows", rows);
        print("frame_bytes", bytes);
    }
}

static void report_memory(void) {
    const size_t library = sizeof workspace + sizeof rounded + sizeof frame + sizeof key +
                           sizeof entropy + sizeof sender;
    print("library_ram_bytes", library);
    print("buffer_bytes", sizeof window + sizeof readings + sizeof piece_buffer);
    print("stack_bytes", isopod_stack_used());
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fail("usage: firmware WINDOWS FRAMES", ISOPOD_OK);
    }
    isopod_stack_paint();
    const isopod_status status =
        isopod_public_key_open(&key, config.params, isopod_public_key, sizeof isopod_public_key);
    if (status != ISOPOD_OK) {
        fail("the public key in flash is refused", status);
    }
    const int source = open_file(argv[1], SEMIHOSTING_READ);
    const int target = open_file(argv[2], SEMIHOSTING_WRITE);
    send_all(source, target);
    semihosting_close(source);
    semihosting_close(target);
    report_memory();
    return 0;
}
