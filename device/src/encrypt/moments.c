/* Squares and products of rows of readings (spec/columns.md). A row consists of lines: its
 * readings, then their squares, or the products of each reading with itself and those behind it,
 * then zeros where rows lie apart. */
#include "isopod/moments.h"

#include "../base/constant_time.h"
#include "../base/memory.h"
#include "../encode/decomposed.h"
#include "../encode/float32.h"
#include "value_source.h"

#define MOST_FRACTION 30
#define MOST_COLUMNS 32768u   /* places of the largest ring */
#define TOO_LARGE 0x7fffffffu /* beyond the bound of every frame that begin accepts */

/*@ requires \valid_read(moments) && moments->input.readings.log2_unit <= 0;
    assigns \nothing;
    ensures \result == -moments->input.readings.log2_unit; */
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

static int32_t with_sign(uint32_t magnitude, uint32_t sign) {
    return (int32_t)((magnitude ^ sign) - sign);
}

static int32_t ask_one(const isopod_value_source *readings, uint32_t number) {
    int16_t half = 0;
    int32_t word = 0;
    if (readings->values.type == ISOPOD_VALUES_INT16) {
        isopod_value_source_ask(readings, number, 1, sizeof half, &half);
        return half;
    }
    isopod_value_source_ask(readings, number, 1, sizeof word, &word);
    return word;
}

/* Reads a row as it is, floats as their bits, from an array or the callback. */
static void fetch_row(const isopod_value_source *readings, uint32_t first, int32_t *out,
                      const int32_t *end) {
    const isopod_values *values = &readings->values;
    if (values->data == NULL) {
        while (out != end) {
            *out++ = ask_one(readings, first++);
        }
    } else if (values->type == ISOPOD_VALUES_INT16) {
        for (const int16_t *from = (const int16_t *)values->data + first; out != end;) {
            *out++ = *from++;
        }
    } else {
        for (const int32_t *from = (const int32_t *)values->data + first; out != end;) {
            *out++ = *from++;
        }
    }
}

/* Keeps a reading within its bound, and gives it as one that is refused if it is beyond. */
static inline void bound(int32_t *kept, int32_t *given, uint32_t most, uint32_t magnitude,
                         uint32_t over) {
    uint32_t sign = isopod_ct_negative(*given);
    *kept = with_sign(isopod_ct_select(over, most, magnitude), sign);
    *given = with_sign(isopod_ct_select(over, TOO_LARGE, magnitude), sign);
}

static void bound_integers(const isopod_moments *moments, int32_t *kept, int32_t *given) {
    const uint32_t most = moments->most;
    const int32_t *const end = given;
    while (kept != end) {
        uint32_t magnitude = isopod_magnitude(*given);
        uint32_t over = isopod_ct_negative((int32_t)(most - magnitude));
        bound(kept++, given++, most, magnitude, over);
    }
}

static void bound_floats(const isopod_moments *moments, int32_t *kept, int32_t *given) {
    const int32_t *const end = given;
    while (kept != end) {
        uint32_t bits = (uint32_t)*given & 0x7fffffffu;
        uint32_t over = isopod_ct_negative((int32_t)(moments->limit - bits));
        int32_t magnitude = isopod_float32_fixed(bits, (int32_t)fraction_of(moments));
        bound(kept++, given++, moments->most, (uint32_t)magnitude, over);
    }
}

/* Reads a row: within the bound into the first half of the memory, and as it is given into the
 * second. */
static void read_row(isopod_moments *moments, uint32_t row) {
    const isopod_moments_input *input = &moments->input;
    int32_t *kept = input->memory, *given = kept + input->columns;
    moments->row = row;
    fetch_row(&input->readings, row * input->columns, given, given + input->columns);
    (input->readings.values.type == ISOPOD_VALUES_FLOAT32 ? bound_floats
                                                          : bound_integers)(moments, kept, given);
}

/*@ requires \valid_read(moments) && moments->input.columns <= 0x7fff;
    assigns \nothing;
    ensures moments->input.kind == ISOPOD_MOMENTS_SQUARES ==> \result == 2 * moments->input.columns;
 */
static uint32_t derived_columns(const isopod_moments *moments) {
    const isopod_moments_input *input = &moments->input;
    return ISOPOD_MOMENTS_COLUMNS(input->columns, input->kind);
}

#define GAP UINT32_MAX /* the line behind a row, up to the next one */

/* Begins the readings of a row. */
static void begin_row(isopod_moments *moments, uint32_t row) {
    if (row != moments->row) {
        read_row(moments, row);
    }
    moments->line = 0;
    moments->left = moments->input.columns;
    moments->from = moments->input.memory + moments->input.columns;
}

/* Begins the squares, or the products of the next reading; behind them the gap, then a row. */
static void next_line(isopod_moments *moments) {
    const isopod_moments_input *input = &moments->input;
    uint32_t line = moments->line, is_all = input->kind == ISOPOD_MOMENTS_PRODUCTS;
    if (line < (is_all ? input->columns : 1u)) {
        moments->from = input->memory + line;
        moments->left = input->columns - line;
        moments->line = line + 1u;
    } else if (line != GAP && moments->gap != 0) {
        moments->line = GAP;
        moments->left = moments->gap;
    } else {
        begin_row(moments, moments->row + 1u);
    }
}

/* Goes to any number. */
static void seek(isopod_moments *moments, uint32_t number) {
    uint32_t stride = derived_columns(moments) + moments->gap, column = number % stride;
    begin_row(moments, number / stride);
    for (; column >= moments->left; next_line(moments)) {
        column -= moments->left;
    }
    moments->left -= column;
    moments->from += moments->line != GAP ? column : 0;
}

/* Gives products, at most those of the row; returns their number. */
static uint32_t give_products(isopod_moments *moments, int32_t *out, uint32_t count) {
    const uint32_t fraction = fraction_of(moments);
    const int32_t *from = moments->from, *const memory = moments->input.memory;
    const int32_t *factor = memory + (moments->line - 1u);
    const int32_t *const end = memory + moments->input.columns;
    uint32_t wanted = count;
    for (;;) {
        const uint32_t left = (uint32_t)(end - from), now = left < wanted ? left : wanted;
        const int32_t reading = *factor, *const stop = from + now;
        while (from != stop) {
            *out++ = product(reading, *from++, fraction);
        }
        wanted -= now;
        if (wanted == 0 || factor + 1 == end) {
            break;
        }
        from = ++factor;
    }
    moments->line = (uint32_t)(factor - memory) + 1u;
    moments->left = (uint32_t)(end - from);
    moments->from = from;
    return count - wanted;
}

/* Gives readings, squares or zeros, at most those of the line; returns their number. */
static uint32_t give_line(isopod_moments *moments, int32_t *out, uint32_t count) {
    const uint32_t fraction = fraction_of(moments), line = moments->line;
    const uint32_t now = moments->left < count ? moments->left : count;
    moments->left -= now;
    if (line == GAP) {
        isopod_wipe(out, sizeof *out * now);
        return now;
    }
    const int32_t *from = moments->from, *const stop = from + now;
    moments->from = stop;
    while (line == 0 && from != stop) {
        *out++ = *from++;
    }
    for (; from != stop; from++) {
        *out++ = product(*from, *from, fraction);
    }
    return now;
}

static void read_values(void *state, uint32_t first, uint32_t count, void *values) {
    isopod_moments *moments = state;
    int32_t *out = values;
    if (first != moments->next) {
        seek(moments, first);
    }
    moments->next = first + count;
    while (count != 0) {
        if (moments->left == 0) {
            next_line(moments);
        }
        uint32_t is_line = moments->input.kind == ISOPOD_MOMENTS_SQUARES || moments->line == 0 ||
                           moments->line == GAP;
        uint32_t given = (is_line ? give_line : give_products)(moments, out, count);
        out += given;
        count -= given;
    }
}

uint32_t isopod_moments_most_columns(uint32_t places, isopod_moments_kind kind) {
    uint32_t columns = 0;
    while (columns < MOST_COLUMNS && ISOPOD_MOMENTS_COLUMNS(columns + 1u, kind) <= places) {
        columns++;
    }
    return columns;
}

/*@ requires \valid_read(config) && \valid_read(config->params);
    requires config->params->log2_ring_degree <= 31;
    assigns \nothing;
    ensures config->params->plain != \null ==> \result ==
            (1 << config->params->log2_ring_degree); */
static uint32_t places_of(const isopod_encryption_config *config) {
    uint32_t n = UINT32_C(1) << config->params->log2_ring_degree;
    uint32_t has_slots = config->layout == ISOPOD_SLOTS || config->layout == ISOPOD_SLOTS_REPEATED;
    return config->params->plain == NULL && has_slots ? n / 2u : n;
}

/*@ requires \valid_read(input);
    assigns \nothing;
    ensures \result != 0 ==> 0 < input->columns <= places && input->readings.values.count != 0; */
static uint32_t are_rows(const isopod_moments_input *input, uint32_t places) {
    const uint32_t count = input->readings.values.count, columns = input->columns;
    return columns != 0 && columns <= places && count != 0 && count % columns == 0 &&
           count / columns <= places && ISOPOD_MOMENTS_COLUMNS(columns, input->kind) <= places;
}

/*@ requires \valid_read(config) && \valid_read(config->params);
    assigns \nothing;
    ensures \result == 1 ==> type == ISOPOD_VALUES_INT16 || type == ISOPOD_VALUES_INT32 ||
            type == ISOPOD_VALUES_FLOAT32; */
static uint32_t is_known(isopod_value_type type, const isopod_encryption_config *config) {
    return type == ISOPOD_VALUES_INT16 || type == ISOPOD_VALUES_INT32 ||
           (type == ISOPOD_VALUES_FLOAT32 && config->params->plain == NULL);
}

static isopod_status check_readings(const isopod_moments_input *input,
                                    const isopod_encryption_config *config) {
    if (config->layout == ISOPOD_COMPLEX || config->layout == ISOPOD_COMPLEX_REPEATED) {
        return ISOPOD_ERROR_LAYOUT;
    }
    if (!are_rows(input, places_of(config)) || !isopod_value_source_is_there(&input->readings)) {
        return ISOPOD_ERROR_COUNT;
    }
    return is_known(input->readings.values.type, config) ? ISOPOD_OK : ISOPOD_ERROR_VALUE_TYPE;
}

/* Sets the gap between rows; rounded coefficients have no numbers there. */
static isopod_status set_gap(isopod_moments *moments, const isopod_encryption_config *config) {
    const isopod_moments_input *input = &moments->input;
    uint32_t columns = derived_columns(moments);
    uint32_t is_one = input->readings.values.count == input->columns;
    uint32_t declared = config->rounding != NULL ? config->rounding->columns : config->stride;
    uint32_t stride = declared != 0 ? declared : columns;
    moments->gap = stride - columns;
    return stride < columns || stride > places_of(config) ||
                   (config->rounding != NULL && stride != columns) || (declared == 0 && !is_one)
               ? ISOPOD_ERROR_STRIDE
               : ISOPOD_OK;
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
    *moments = (isopod_moments){.input = *input, .row = UINT32_MAX, .next = UINT32_MAX};
    isopod_status status = check_readings(input, config);
    if (status == ISOPOD_OK) {
        status = set_gap(moments, config);
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
    *source = (isopod_value_source){
        .values = {NULL, rows * (derived_columns(moments) + moments->gap) - moments->gap,
                   ISOPOD_VALUES_INT32},
        .read_many = read_values,
        .state = moments,
        .log2_unit = input->readings.log2_unit};
    return ISOPOD_OK;
}

void isopod_moments_end(isopod_moments *moments) {
    isopod_wipe(moments->input.memory,
                sizeof(int32_t) * ISOPOD_MOMENTS_WORDS(moments->input.columns));
    isopod_wipe(moments, sizeof *moments);
}
