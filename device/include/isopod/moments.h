/* Squares and products of columns (spec/columns.md, sections 1, 3 and 4), computed row by row while
 * a frame is encrypted: from their sums follow variances, correlations and least squares.
 * isopod_moments_begin makes a value source of a row's readings and then their squares, or their
 * products; it refuses what could overflow before anything is encrypted. Readings are asked for
 * once, in their order. Constant time with respect to them; it multiplies two words to a double
 * word, which on a Cortex-M3 takes a time that depends on the factors, like the rest of the
 * library. */
#ifndef ISOPOD_MOMENTS_H
#define ISOPOD_MOMENTS_H

#include <stdint.h>

#include "isopod/encryption.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { ISOPOD_MOMENTS_SQUARES = 1, ISOPOD_MOMENTS_PRODUCTS = 2 } isopod_moments_kind;

/* Columns of a frame, from those of the readings. */
#define ISOPOD_MOMENTS_COLUMNS(columns, kind)                                                      \
    ((kind) == ISOPOD_MOMENTS_SQUARES ? 2u * (columns) : (columns) * ((columns) + 3u) / 2u)

/* The most columns whose readings and squares or products fit into so many places: n/2 in slots of
 * CKKS, otherwise n, divided by the rows of a frame. */
uint32_t isopod_moments_most_columns(uint32_t places, isopod_moments_kind kind);

/* Words of memory for a row of readings, as they are given and within their bound. */
#define ISOPOD_MOMENTS_WORDS(columns) (2u * (columns))

/* The readings, and memory for one row of them. */
typedef struct {
    isopod_value_source readings; /* whole rows without gaps, INT16, INT32 or FLOAT32. log2_unit is
                                     that of the frame, -30..0: floats are rounded to it */
    uint32_t columns;             /* readings of a row */
    isopod_moments_kind kind;
    int32_t *memory; /* ISOPOD_MOMENTS_WORDS(columns) words */
} isopod_moments_input;

/* The state of a value source. Members are private; about 80 bytes on a 32-bit machine. */
typedef struct {
    isopod_moments_input input;
    uint32_t most;  /* units: every |reading| is at most so large */
    uint32_t limit; /* the same, as a reading has it */
    uint32_t gap;   /* numbers between two rows, which are zero */
    uint32_t row;   /* of the readings in memory */
    uint32_t next;  /* the number behind those that were given */
    uint32_t line;  /* of this number: 0: the readings; then squares, or products of one reading */
    uint32_t left;  /* numbers of this line that were not given */
    const int32_t *from; /* the next reading of the line */
} isopod_moments;

/* Prepares the source of a frame of this configuration. Its bound of all columns bounds the
 * readings, too: if that is 2^b, they are at most 2^min(b, floor(b/2)), in BFV at most its root. A
 * larger one, or NaN, is refused as a value out of range when it is encrypted; isopod_clamp makes
 * it the frame's bound, and in products its own. Keep state, memory and readings until the last
 * byte of the frame. Errors: ISOPOD_ERROR_COUNT of no row or column, an incomplete row, readings
 * without data and `read`, and more columns than isopod_moments_most_columns;
 * ISOPOD_ERROR_VALUE_TYPE, of floats in BFV, too; ISOPOD_ERROR_LAYOUT of complex slots;
 * ISOPOD_ERROR_STRIDE where the configuration's rows do not have ISOPOD_MOMENTS_COLUMNS;
 * ISOPOD_ERROR_BOUND of a unit beyond -30..0, in BFV of any, where a product may need more than 32
 * bits (b - log2_unit > 30), and where only zero is within the bound. */
ISOPOD_MUST_CHECK isopod_status isopod_moments_begin(isopod_moments *moments,
                                                     isopod_value_source *source,
                                                     const isopod_moments_input *input,
                                                     const isopod_encryption_config *config);

/* Wipes state and memory. */
void isopod_moments_end(isopod_moments *moments);

#ifdef __cplusplus
}
#endif

#endif
