/* Values before encryption and after decryption: their types and their arrays. */
#ifndef ISOPOD_PUBLIC_VALUES_H
#define ISOPOD_PUBLIC_VALUES_H

#include <stdint.h>

#include "isopod/wire.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    ISOPOD_VALUES_FLOAT32 =
        1, /* IEEE 754 binary32, read as bit patterns: no floating-point instruction is used */
    ISOPOD_VALUES_FLOAT64 = 2,
    ISOPOD_VALUES_INT32 = 3,  /* in BFV, -bound .. bound; decrypted, -(t-1)/2 .. (t-1)/2 */
    ISOPOD_VALUES_INT64 = 4,  /* decryption only */
    ISOPOD_VALUES_UINT32 = 5, /* BFV only, 0 .. bound; decrypted, 0 .. t-1 */
    ISOPOD_VALUES_INT16 = 6   /* in an isopod_value_source only */
} isopod_value_type;

typedef struct {
    const void *data; /* aligned for its type */
    uint32_t count;   /* 1 .. n/2; in BFV and for coefficients 1 .. n. Complex values count once */
    isopod_value_type type;
} isopod_values;

/* Values as firmware has them: integers in a unit of their own, or from a callback, one by one or
 * many at a time. */
typedef struct {
    isopod_values values; /* data NULL: values come from `read` or `read_many` when they are
                             encoded. Also of type ISOPOD_VALUES_INT16 */
    void (*read)(void *state, uint32_t number, void *value); /* writes value `number`, from 0 on,
                                                                in the type of `values` */
    void *state;
    int8_t log2_unit; /* CKKS, integers: value = integer * 2^log2_unit, -31..31; otherwise 0 */
    void (*read_many)(void *state, uint32_t first, uint32_t count,
                      void *values); /* writes `count` values; NULL: `read` is called */
} isopod_value_source;

#ifdef __cplusplus
}
#endif

#endif
