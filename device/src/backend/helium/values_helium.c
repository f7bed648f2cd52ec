/* The check of float32 values (encode/encode.h) for Helium, four at a time; it looks at every value
 * before it returns. If a value is wrong, the portable check finds the error. */
#include "../backend.h"
#if ISOPOD_HAS(HELIUM)

#include "../../encode/encode.h"

#include "butterfly.h"

#define MAGNITUDE 0x7fffffffu

uint32_t isopod_native_values_check(const isopod_values *values, int8_t log2_bound,
                                    isopod_status *status) {
    const uint32_t *at = values->data;
    uint32x4_t largest = vdupq_n_u32(0);
    if (values->type != ISOPOD_VALUES_FLOAT32) {
        return 0;
    }
    for (int32_t left = (int32_t)values->count; left > 0; left -= 4, at += 4) {
        const uint32x4_t bits = vld1q_z_u32(at, vctp32q((uint32_t)left));
        largest = vmaxq_u32(largest, vbicq_n_u32(bits, ~MAGNITUDE));
    }
    *status = ISOPOD_OK;
    return (uint32_t)(vmaxvq_u32(0, largest) <= (uint32_t)(log2_bound + 127) << 23);
}

#endif
