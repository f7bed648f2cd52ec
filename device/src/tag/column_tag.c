/* The second linear tag (spec/verify.md, section 3): of the sum of all rows of a frame, or of all
 * its one-hot readings. Each has a Horner's rule of its own; their sum is the total. */
#include "linear_tag.h"

#define OF_ROWS 0u /* in place of the stride */
#define OF_READINGS 1u

/* The places of a row, or of a one-hot reading. */
/*@ requires \valid_read(frame);
    assigns \nothing;
    ensures \result == (frame->buckets > 1 ? frame->buckets : frame->columns); */
static uint32_t width_of(const isopod_linear_frame *frame) {
    return frame->buckets > 1u ? frame->buckets : frame->columns;
}

/* Begins with 1, which counts rows; one-hot readings count themselves. */
/*@ requires \valid(sum) && \valid_read(frame) && \separated(sum, frame);
    assigns sum->row[0 .. 1];
    ensures sum->row[0] <= 1 && sum->row[1] == 0; */
static void begin(isopod_linear_sum *sum, const isopod_linear_frame *frame) {
    const isopod_linear_number one = {frame->buckets > 1u ? 0 : 1u, 0};
    isopod_linear_store(sum->row, one);
}

/* Adds values of one row, from this column of it on. */
static void add_row(isopod_linear_sum *sum, isopod_linear_number point,
                    const isopod_linear_frame *frame, const isopod_values *values,
                    uint32_t column) {
    const uint32_t width = width_of(frame);
    uint32_t within = column % width;
    isopod_values some = *values;
    for (uint32_t at = 0; at < values->count; at += some.count, within = 0) {
        const uint32_t left = values->count - at;
        some.count = width - within < left ? width - within : left;
        if (within == 0) {
            begin(sum, frame);
        }
        const isopod_linear_number row =
            isopod_linear_values(isopod_linear_number_of(sum->row), point, &some, at);
        isopod_linear_store(sum->row, row);
        if (within + some.count == width) {
            isopod_linear_store(sum->rows,
                                isopod_linear_plus(isopod_linear_number_of(sum->rows), row));
        }
    }
}

static void add(isopod_linear_sum *sum, const isopod_linear_key *key,
                const isopod_linear_frame *frame, const isopod_values *values, uint32_t first,
                uint32_t place) {
    const isopod_linear_number point = isopod_linear_number_of(key->point);
    const uint32_t size = values->type == ISOPOD_VALUES_INT16 ? 2u : 4u;
    const uint8_t *data = (const uint8_t *)values->data + (size_t)size * first;
    uint32_t column = place % frame->stride, left = values->count;
    while (left != 0) {
        const uint32_t end = column < frame->columns ? frame->columns : frame->stride;
        const uint32_t count = end - column < left ? end - column : left;
        const isopod_values some = {data, count, values->type};
        if (column < frame->columns) {
            add_row(sum, point, frame, &some, column);
        }
        column += count;
        column = column == frame->stride ? 0 : column;
        data += (size_t)size * count;
        left -= count;
    }
}

static void finish(uint32_t out[ISOPOD_LINEAR_WORDS], const isopod_linear_sum *sum,
                   const isopod_linear_key *key, const isopod_linear_frame *frame) {
    const uint32_t first[2] = {out[0], out[1]};
    const isopod_linear_number total = isopod_linear_step(isopod_linear_number_of(sum->rows),
                                                          isopod_linear_number_of(key->point), 0);
    isopod_linear_frame of_columns = *frame;
    of_columns.columns = width_of(frame);
    of_columns.stride = frame->buckets > 1u ? OF_READINGS : OF_ROWS;
    isopod_linear_hide(out, total, key, &of_columns);
    out[2] = out[0];
    out[3] = out[1];
    out[0] = first[0];
    out[1] = first[1];
}

const struct isopod_linear_second isopod_linear_columns = {add, finish};
