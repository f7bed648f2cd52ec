/* Squares and products of readings from an array or a callback: any readings, bounds and units that
 * the checks let pass; rows of four readings at fixed strides, numbers in pieces of fixed length.
 */
// sources: encrypt/moments.c base/parameter_sets.c
// stubs: primitives.c
// mains: integers floats
// options: -eva-slevel 200 -eva-slevel-merge-after-loop @all -eva-auto-loop-unroll 40
// options: -eva-split-return full
#undef ISOPOD_ALLOW_DEVICE_SECRET_KEY
#define ISOPOD_ALLOW_DEVICE_SECRET_KEY 1
#include "isopod/moments.h"
#include "set.h"

#define COLUMNS 4u
#define READINGS 20u

static int32_t readings[READINGS], memory[ISOPOD_MOMENTS_WORDS(COLUMNS)], given[20];
static isopod_encryption_config config;

static void read(void *state, uint32_t number, void *value) {
    arbitrary(value, 2);
}

static void read_word(void *state, uint32_t number, void *value) {
    arbitrary(value, 4);
}

/* Numbers from the first on, over the end of a row, and from another place. */
static void give(const isopod_moments_input *input) {
    isopod_moments moments;
    isopod_value_source source;
    if (isopod_moments_begin(&moments, &source, input, &config) == ISOPOD_OK) {
        source.read_many(source.state, 0, 7, given);
        source.read_many(source.state, 7, 20, given);
        source.read_many(source.state, 30, 10, given);
        isopod_moments_end(&moments);
    }
}

static void kinds(isopod_moments_input *input) {
    input->kind = ISOPOD_MOMENTS_SQUARES;
    config.stride = ISOPOD_MOMENTS_COLUMNS(COLUMNS, ISOPOD_MOMENTS_SQUARES);
    give(input);
    config.stride += 5;
    give(input);
    input->kind = ISOPOD_MOMENTS_PRODUCTS;
    config.stride = ISOPOD_MOMENTS_COLUMNS(COLUMNS, ISOPOD_MOMENTS_PRODUCTS);
    give(input);
    config.stride += 5;
    give(input);
}

/* From the array, then from a callback. */
static void sources(isopod_value_type type, int8_t log2_unit,
                    void (*one)(void *, uint32_t, void *)) {
    isopod_moments_input input = {
        {{readings, READINGS, type}, NULL, NULL, 0, NULL}, COLUMNS, ISOPOD_MOMENTS_SQUARES, memory};
    input.readings.log2_unit = log2_unit;
    ARBITRARY(readings);
    kinds(&input);
    input.readings.values.data = NULL;
    input.readings.read = one;
    kinds(&input);
}

void integers(void) {
    config.params = &BFV;
    config.bound = BETWEEN(0, 0x7fffffff);
    sources(ISOPOD_VALUES_INT32, 0, read_word);
    sources(ISOPOD_VALUES_INT16, 0, read);
}

void floats(void) {
    config.params = &CKKS;
    config.log2_bound = (int8_t)SIGNED(-128, -21);
    sources(ISOPOD_VALUES_FLOAT32, -10, read_word);
    config.log2_bound = (int8_t)SIGNED(21, 127);
    sources(ISOPOD_VALUES_FLOAT32, -10, read_word);
    config.log2_bound = (int8_t)SIGNED(-20, 20);
    sources(ISOPOD_VALUES_FLOAT32, -10, read_word);
    sources(ISOPOD_VALUES_INT16, -10, read);
}
