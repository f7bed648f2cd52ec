/* Squares and products of rows of readings (spec/columns.md). A row is computed line by line: its
 * readings, then their squares, or the products of each reading with itself and those behind it.
 * The values of a line are handed out one by one. */
#include "isopod/moments.h"

#include "../base/constant_time.h"
#include "../base/memory.h"
#include "../encode/decomposed.h"
#include "../encode/float32.h"

#define MOST_FRACTION 30
#define MOST_COLUMNS 32768u   /* places of the largest ring */
#define TOO_LARGE 0x7fffffffu /* beyond the bound of every frame that begin accepts */

static uint32_t fraction_of(const isopod_moments *moments) {
    return (uint32_t)-moments->input.readings.log2_unit;
}

/* a * b / 2^fraction, rounded to nearest, ties up; it fits a word. It is written out, because
 * compilers for 32-bit machines call a helper to shift a double word. */
static inline int32_t product(int32_t a, int32_t b, uint32_t fraction) {
    uint64_t sum = (uint64_t)((int64_t)a * b) + ((1u << fraction) >> 1);
    uint32_t low = (uint32_t)sum, high = (uint32_t)(sum >> 32);
    return (int32_t)(low >> fraction | high << 1 << (31u - fraction));
}

static void multiply_squares(const isopod_moments *moments, int32_t *out) {
    const int32_t *kept = moments->input.memory, *end = kept + moments->count;
    uint32_t fraction = fraction_of(moments);
    for (; kept != end; kept++) {
        *out++ = product(*kept, *kept, fraction);
    }
}

/* The products of one reading with itself and those behind it. */
static void multiply_reading(const isopod_moments *moments, int32_t *out) {
    const int32_t *kept = moments->input.memory + (moments->factor - 1u);
    const int32_t *end = kept + moments->count;
    uint32_t fraction = fraction_of(moments);
    int32_t reading = *kept;
    while (kept != end) {
        *out++ = product(reading, *kept++, fraction);
    }
}

/* A reading as it is in memory: a float as its bits. */
static int32_t fetch(const isopod_value_source *readings, uint32_t number) {
    const void *data = readings->values.data;
    uint32_t value = 0;
    if (data == NULL) {
        readings->read(readings->state, number, &value);
        data = &value;
        number = 0;
    }
    return readings->values.type == ISOPOD_VALUES_INT16 ? ((const int16_t *)data)[number]
                                                        : ((const int32_t *)data)[number];
}

static int32_t with_sign(uint32_t magnitude, uint32_t sign) {
    return (int32_t)((magnitude ^ sign) - sign);
}

/* Reads a row: bounded into the first half of the memory, and, as the first line, refusable into
 * the second. */
static void read_row(isopod_moments *moments) {
    const isopod_moments_input *input = &moments->input;
    uint32_t is_float = input->readings.values.type == ISOPOD_VALUES_FLOAT32;
    int32_t *kept = input->memory, *given = kept + input->columns;
    for (uint32_t i = 0; i < input->columns; i++) {
        int32_t word = fetch(&input->readings, moments->row * input->columns + i);
        uint32_t sign = isopod_ct_negative(word);
        uint32_t magnitude = is_float ? (uint32_t)word & 0x7fffffffu : isopod_magnitude(word);
        uint32_t over = isopod_ct_negative((int32_t)(moments->limit - magnitude));
        if (is_float) {
            magnitude = (uint32_t)isopod_float32_fixed(magnitude, (int32_t)fraction_of(moments));
        }
        kept[i] = with_sign(isopod_ct_select(over, moments->most, magnitude), sign);
        given[i] = with_sign(isopod_ct_select(over, TOO_LARGE, magnitude), sign);
    }
}

static uint32_t last_factor(const isopod_moments_input *input) {
    return input->kind == ISOPOD_MOMENTS_SQUARES ? 1 : input->columns;
}

/* Goes to the next line of a row. */
static void advance(isopod_moments *moments) {
    moments->first += moments->count;
    moments->factor++;
    if (moments->input.kind == ISOPOD_MOMENTS_PRODUCTS) {
        moments->count = moments->input.columns - (moments->factor - 1u);
    }
}

/* Goes to the line of any number; returns 0 if that is behind the columns of its row. */
static uint32_t seek(isopod_moments *moments, uint32_t number) {
    const isopod_moments_input *input = &moments->input;
    uint32_t row = number / moments->stride, column = number % moments->stride;
    if (column >= ISOPOD_MOMENTS_COLUMNS(input->columns, input->kind)) {
        return 0;
    }
    if (row != moments->row || column < input->columns) {
        moments->row = row;
        read_row(moments);
    }
    moments->first = number - column;
    moments->count = input->columns;
    for (moments->factor = 0; number - moments->first >= moments->count;) {
        advance(moments);
    }
    return 1;
}

/* Computes the line of a number, which mostly is the next one; returns its value. */
static ISOPOD_NOINLINE int32_t other_line(isopod_moments *moments, uint32_t number) {
    const isopod_moments_input *input = &moments->input;
    int32_t *line = input->memory + input->columns;
    if (number == moments->first + moments->count && moments->count != 0 &&
        moments->factor != last_factor(input)) {
        advance(moments);
    } else if (!seek(moments, number)) {
        return 0;
    }
    if (moments->factor != 0) {
        (input->kind == ISOPOD_MOMENTS_SQUARES ? multiply_squares : multiply_reading)(moments,
                                                                                      line);
    }
    return line[number - moments->first];
}

static void read_value(void *state, uint32_t number, void *value) {
    isopod_moments *moments = state;
    uint32_t at = number - moments->first;
    *(int32_t *)value = at < moments->count ? moments->line[at] : other_line(moments, number);
}

uint32_t isopod_moments_most_columns(uint32_t places, isopod_moments_kind kind) {
    uint32_t columns = 0;
    while (columns < MOST_COLUMNS && ISOPOD_MOMENTS_COLUMNS(columns + 1u, kind) <= places) {
        columns++;
    }
    return columns;
}

static uint32_t is_complex(const isopod_encryption_config *config) {
    return config->layout == ISOPOD_COMPLEX || config->layout == ISOPOD_COMPLEX_REPEATED;
}

static uint32_t places_of(const isopod_encryption_config *config) {
    uint32_t n = UINT32_C(1) << config->params->log2_ring_degree;
    uint32_t has_slots = config->layout == ISOPOD_SLOTS || config->layout == ISOPOD_SLOTS_REPEATED;
    return config->params->plain == NULL && has_slots ? n / 2u : n;
}

static isopod_status check_readings(const isopod_moments_input *input,
                                    const isopod_encryption_config *config) {
    const isopod_value_source *readings = &input->readings;
    uint32_t count = readings->values.count, columns = input->columns;
    uint32_t is_float = readings->values.type == ISOPOD_VALUES_FLOAT32;
    uint32_t most = isopod_moments_most_columns(places_of(config), input->kind);
    if (is_complex(config)) {
        return ISOPOD_ERROR_LAYOUT;
    }
    if (columns == 0 || columns > most || count == 0 || count % columns != 0 ||
        count / columns > places_of(config) ||
        (readings->values.data == NULL && readings->read == NULL)) {
        return ISOPOD_ERROR_COUNT;
    }
    if (readings->values.type != ISOPOD_VALUES_INT16 &&
        readings->values.type != ISOPOD_VALUES_INT32 &&
        (!is_float || config->params->plain != NULL)) {
        return ISOPOD_ERROR_VALUE_TYPE;
    }
    return ISOPOD_OK;
}

/* Sets the distance of rows: rounded coefficients have no numbers between them. */
static isopod_status set_stride(isopod_moments *moments, const isopod_encryption_config *config) {
    const isopod_moments_input *input = &moments->input;
    uint32_t columns = ISOPOD_MOMENTS_COLUMNS(input->columns, input->kind);
    uint32_t is_one = input->readings.values.count == input->columns;
    uint32_t declared = config->rounding != NULL ? config->rounding->columns : config->stride;
    moments->stride = declared != 0 ? declared : columns;
    if (moments->stride < columns || moments->stride > places_of(config) ||
        (config->rounding != NULL && moments->stride != columns) || (declared == 0 && !is_one)) {
        return ISOPOD_ERROR_STRIDE;
    }
    return ISOPOD_OK;
}

/* The largest root^2 <= square, below 2^30. */
static uint32_t root_of(uint32_t square) {
    uint32_t root = 0;
    for (uint32_t bit = 1u << 14; bit != 0; bit >>= 1) {
        root += (root + bit) * (root + bit) <= square ? bit : 0;
    }
    return root;
}

static isopod_status set_bound_of_integers(isopod_moments *moments,
                                           const isopod_encryption_config *config) {
    uint32_t bound = config->bound != 0 ? config->bound : config->params->plain->modulus / 2u;
    moments->most = moments->limit = root_of(bound);
    return moments->input.readings.log2_unit != 0 || bound > config->params->plain->modulus / 2u
               ? ISOPOD_ERROR_BOUND
               : ISOPOD_OK;
}

/* Rounding keeps products within the frame's bound, which is a whole number of units. */
static isopod_status set_bound(isopod_moments *moments, const isopod_encryption_config *config) {
    const isopod_value_source *readings = &moments->input.readings;
    int bound = config->log2_bound, fraction = -readings->log2_unit;
    int own = bound < 0 ? bound : bound / 2;
    if (fraction < 0 || fraction > MOST_FRACTION || bound + fraction > MOST_FRACTION ||
        own + fraction < 0) {
        return ISOPOD_ERROR_BOUND;
    }
    moments->most = 1u << (own + fraction);
    moments->limit = readings->values.type == ISOPOD_VALUES_FLOAT32 ? (uint32_t)(own + 127) << 23
                                                                    : moments->most;
    return ISOPOD_OK;
}

isopod_status isopod_moments_begin(isopod_moments *moments, isopod_value_source *source,
                                   const isopod_moments_input *input,
                                   const isopod_encryption_config *config) {
    *moments = (isopod_moments){
        .line = input->memory + input->columns, .input = *input, .row = UINT32_MAX};
    isopod_status status = check_readings(input, config);
    if (status == ISOPOD_OK) {
        status = set_stride(moments, config);
    }
    if (status == ISOPOD_OK) {
        status =
            (config->params->plain != NULL ? set_bound_of_integers : set_bound)(moments, config);
    }
    if (status != ISOPOD_OK) {
        isopod_wipe(moments, sizeof *moments);
        return status;
    }
    uint32_t rows = input->readings.values.count / input->columns;
    uint32_t columns = ISOPOD_MOMENTS_COLUMNS(input->columns, input->kind);
    *source = (isopod_value_source){
        .values = {NULL, (rows - 1u) * moments->stride + columns, ISOPOD_VALUES_INT32},
        .read = read_value,
        .state = moments,
        .log2_unit = input->readings.log2_unit};
    return ISOPOD_OK;
}

void isopod_moments_end(isopod_moments *moments) {
    isopod_wipe(moments->input.memory,
                sizeof(int32_t) * ISOPOD_MOMENTS_WORDS(moments->input.columns));
    isopod_wipe(moments, sizeof *moments);
}
