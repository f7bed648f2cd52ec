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
    ISOPOD_VALUES_INT16 = 6   /* encryption into rounded coefficients only */
} isopod_value_type;

typedef struct {
    const void *data; /* aligned for its type */
    uint32_t count;   /* 1 .. n/2; in BFV and for coefficients 1 .. n. Complex values count once */
    isopod_value_type type;
} isopod_values;

#ifdef __cplusplus
}
#endif

#endif
