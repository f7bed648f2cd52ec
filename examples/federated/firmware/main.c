/* A client of federated learning on a microcontroller: trains the network of network.py on its own
 * images, one at a time, and encrypts what changed under the public key in flash, as rounded
 * coefficients of one frame.
 *
 * Usage: firmware WEIGHTS IMAGES FRAME ROUND
 * WEIGHTS holds 2035 little-endian float32, IMAGES 65 bytes each: pixels from 0 to 16, and the
 * label.
 * isopod_keys.h and isopod_public_key.h (isopod keygen) and the tables (spec.gen) are generated. */
#include <stddef.h>
#include <stdint.h>

#include "isopod/ckks.h"
#include "isopod/frame.h"
#include "isopod/key.h"
#include "isopod/rounded.h"
#include "isopod_keys.h"
#include "isopod_public_key.h"
#include "semihosting/entropy.h"
#include "semihosting/semihosting.h"
#include "stack/stack.h"

enum {
    INPUTS = 64,
    HIDDEN = 27,
    CLASSES = 10,
    COUNT = HIDDEN * (INPUTS + 1) + CLASSES * (HIDDEN + 1),
    RING_DEGREE = 2048,
    PRIMES = 1,
    LOG2_SCALE = 22,
    LOG2_BOUND = 1,
    PIECE_BYTES = 1024,
    WORKSPACE_BYTES = ISOPOD_ROUNDED_PUBLIC_SMALL_WORKSPACE(RING_DEGREE, PRIMES)
};

static const float rate = 0.03f;
static const float brightest = 16.0f;

extern const isopod_ckks_tables isopod_tables_ckks_2048x1_air;

/* All RAM of the program except the stack. */
typedef struct {
    float hidden[HIDDEN][INPUTS + 1];
    float output[CLASSES][HIDDEN + 1];
} network;

static union {
    network layers;
    float weights[COUNT];
} trained;
static _Alignas(8) uint8_t workspace[WORKSPACE_BYTES];
static uint8_t piece_buffer[PIECE_BYTES];
static isopod_key key;
static isopod_rounded rounded;
static isopod_frame frame;
static isopod_entropy entropy = {.fill = isopod_entropy_semihosting};

/* A product counts its restarts in non-volatile memory; this one starts once a round. */
static isopod_sender sender = {
    .device = ISOPOD_DEVICE, .epoch = 1, .key = (const uint8_t *)isopod_frame_key};
static const isopod_encryptor encryptor = {{workspace, sizeof workspace}, &entropy, &sender};

/* Low bits of c0 and c1 that are noise in any case, whatever the scale. */
static const isopod_rounding rounding = {
    .method = &isopod_rounded_public_small, .columns = COUNT, .dropped = {7, 2}};

static const isopod_ckks_config config = {
    .params = &isopod_ckks_2048x1_air,
    .tables = &isopod_tables_ckks_2048x1_air,
    .suite = &isopod_suite_chacha20,
    .key = &key,
    .log2_scale = LOG2_SCALE,
    .log2_bound = LOG2_BOUND,
    .accept_label = ISOPOD_LABEL_128,
    .layout = ISOPOD_COEFFICIENTS_ROUNDED,
    .stride = COUNT,
    .rounding = &rounding,
};

static void print(const char *name, uint64_t value) {
    semihosting_print(name);
    semihosting_print(" ");
    semihosting_print_decimal(value);
    semihosting_print("\n");
}

static _Noreturn void fail(const char *what) {
    semihosting_print("firmware: ");
    semihosting_print(what);
    semihosting_print("\n");
    semihosting_exit(1);
}

static int open_file(const char *path, semihosting_mode mode) {
    const int file = semihosting_open(path, mode);
    if (file < 0) {
        fail("a file does not open");
    }
    return file;
}

/* A number of up to nine digits. It names the frame: no other text may pass for a number. */
static uint32_t number_of(const char *text) {
    uint32_t number = 0;
    size_t digits = 0;
    for (; digits < 10 && text[digits] >= '0' && text[digits] <= '9'; digits++) {
        number = number * 10 + (uint32_t)(text[digits] - '0');
    }
    if (digits == 0 || digits > 9 || text[digits] != '\0') {
        fail("ROUND is not a number of up to nine digits");
    }
    return number;
}

/* Values of the hidden layer, and the constant one behind them. */
static void run_hidden(const float *inputs, float *active) {
    for (size_t neuron = 0; neuron < HIDDEN; neuron++) {
        float sum = 0.0f;
        for (size_t at = 0; at <= INPUTS; at++) {
            sum += trained.layers.hidden[neuron][at] * inputs[at];
        }
        active[neuron] = sum > 0.0f ? sum : 0.0f;
    }
    active[HIDDEN] = 1.0f;
}

/* Difference of each output from what the label wants. */
static void run_output(const float *active, uint8_t label, float *wrong) {
    for (size_t neuron = 0; neuron < CLASSES; neuron++) {
        float sum = neuron == label ? -1.0f : 0.0f;
        for (size_t at = 0; at <= HIDDEN; at++) {
            sum += trained.layers.output[neuron][at] * active[at];
        }
        wrong[neuron] = sum;
    }
}

/* One step down the gradient of the squared error; the hidden layer first, by the output as it was.
 */
static void step(const float *inputs, const float *active, const float *wrong) {
    for (size_t neuron = 0; neuron < HIDDEN; neuron++) {
        float back = 0.0f;
        for (size_t at = 0; at < CLASSES; at++) {
            back += wrong[at] * trained.layers.output[at][neuron];
        }
        for (size_t at = 0; active[neuron] > 0.0f && at <= INPUTS; at++) {
            trained.layers.hidden[neuron][at] -= rate * back * inputs[at];
        }
    }
    for (size_t neuron = 0; neuron < CLASSES; neuron++) {
        for (size_t at = 0; at <= HIDDEN; at++) {
            trained.layers.output[neuron][at] -= rate * wrong[neuron] * active[at];
        }
    }
}

/* Sees each image of the file once. Returns their number. */
static uint32_t train(int file) {
    uint8_t image[INPUTS + 1];
    float inputs[INPUTS + 1], active[HIDDEN + 1], wrong[CLASSES];
    uint32_t images = 0;
    inputs[INPUTS] = 1.0f;
    while (semihosting_read(file, image, sizeof image) == sizeof image) {
        for (size_t at = 0; at < INPUTS; at++) {
            inputs[at] = (float)image[at] / brightest;
        }
        run_hidden(inputs, active);
        run_output(active, image[INPUTS], wrong);
        step(inputs, active, wrong);
        images++;
    }
    return images;
}

/* Leaves in place of the weights what changed since the beginning of the round. */
static void subtract(const char *path) {
    const int file = open_file(path, SEMIHOSTING_READ);
    for (size_t at = 0; at < COUNT; at++) {
        float before;
        if (semihosting_read(file, &before, sizeof before) != sizeof before) {
            fail("WEIGHTS is too short");
        }
        trained.weights[at] -= before;
    }
    semihosting_close(file);
}

/* Writes the encrypted update. Returns its bytes. */
static size_t send(int file) {
    const isopod_value_source source = {
        .values = {.data = trained.weights, .count = COUNT, .type = ISOPOD_VALUES_FLOAT32}};
    size_t total = 0;
    isopod_status status = isopod_ckks_rounded_begin(&rounded, &config, &encryptor, &source);
    if (status == ISOPOD_OK) {
        status = isopod_rounded_frame_begin(&frame, &rounded);
    }
    while (status == ISOPOD_OK) {
        isopod_piece piece;
        status = isopod_frame_next(&frame, piece_buffer, sizeof piece_buffer, &piece);
        if (status == ISOPOD_OK &&
            semihosting_write(file, piece_buffer, piece.length) != piece.length) {
            fail("FRAME cannot be written");
        }
        total += status == ISOPOD_OK ? piece.length : 0;
    }
    if (status != ISOPOD_DONE) {
        fail("the update cannot be encrypted");
    }
    return total;
}

int main(int argc, char **argv) {
    if (argc != 5) {
        fail("usage: firmware WEIGHTS IMAGES FRAME ROUND");
    }
    isopod_stack_paint();
    if (isopod_public_key_open(&key, config.params, isopod_public_key, sizeof isopod_public_key) !=
        ISOPOD_OK) {
        fail("the public key in flash is refused");
    }
    sender.sequence = number_of(argv[4]);
    const int weights = open_file(argv[1], SEMIHOSTING_READ);
    if (semihosting_read(weights, trained.weights, sizeof trained) != sizeof trained) {
        fail("WEIGHTS is too short");
    }
    semihosting_close(weights);
    const int images = open_file(argv[2], SEMIHOSTING_READ);
    print("images", train(images));
    semihosting_close(images);
    subtract(argv[1]);
    const int out = open_file(argv[3], SEMIHOSTING_WRITE);
    print("frame_bytes", send(out));
    semihosting_close(out);
    print("library_ram_bytes", sizeof workspace + sizeof rounded + sizeof frame + sizeof key +
                                   sizeof entropy + sizeof sender);
    print("buffer_bytes", sizeof trained + sizeof piece_buffer);
    print("stack_bytes", isopod_stack_used());
    return 0;
}
