/* Aggregation of frames for engines in other languages (libisopod_table_abi).
 *
 * All functions but the last three return 0, or 1 the system, 3 the input, 4 a tag, 5 a key,
 * 6 a panic; then *out is a message in UTF-8. Whatever *out receives is released by
 * isopod_table_release. A handle is used by one thread at a time. */
#ifndef ISOPOD_TABLE_H
#define ISOPOD_TABLE_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    const uint8_t *data;
    size_t length;
} isopod_table_slice;

typedef struct {
    uint8_t *data;
    size_t length;
} isopod_table_bytes;

typedef struct isopod_table_aggregation isopod_table_aggregation;
typedef struct isopod_table_group isopod_table_group;

/* Opens the aggregation of a job: "sum", "mean", "column-sum", "column-mean", "weighted" (weights
 * come with the frames) or "dot" with at most 32768 weights, one for each column. `keys` is the
 * path of the server's folder. */
int32_t isopod_table_open(isopod_table_slice keys, isopod_table_slice job, const double *weights,
                          size_t count, isopod_table_aggregation **aggregation,
                          isopod_table_bytes *out);

/* An empty group. */
int32_t isopod_table_group_new(const isopod_table_aggregation *aggregation,
                               isopod_table_group **group, isopod_table_bytes *out);

/* Adds at most 65536 items, each a whole frame or a partial state of the same request;
 * `weights` has one number for each, or is null for 1. After an error the group is of no use. */
int32_t isopod_table_fold(isopod_table_group *group, const isopod_table_slice *items,
                          const double *weights, size_t count, isopod_table_bytes *out);

/* The group as a sealed partial state; empty for a group without frames. */
int32_t isopod_table_state(const isopod_table_group *group, isopod_table_bytes *out);

/* Writes 1 if a partial state is of this aggregation's request, and 0 if it is of another one. */
int32_t isopod_table_is_of(const isopod_table_aggregation *aggregation, isopod_table_slice state,
                           int32_t *is_of, isopod_table_bytes *out);

/* The answer to a partial state, an item that the owner opens. Its frames enter the server's
 * memory, durably. */
int32_t isopod_table_answer(const isopod_table_aggregation *aggregation, isopod_table_slice state,
                            isopod_table_bytes *out);

/* Release; null is allowed. */
void isopod_table_release(isopod_table_bytes bytes);
void isopod_table_group_free(isopod_table_group *group);
void isopod_table_close(isopod_table_aggregation *aggregation);

#endif
