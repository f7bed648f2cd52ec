/* The checks of float32 values (encode/encode.h) and of integers (schemes/integer_range.h) for
 * Helium, four at a time; they look at every value before they return. If a float is wrong, the
 * portable check finds the error. */
#include "../backend.h"
#if ISOPOD_HAS(HELIUM)

#include "../../encode/encode.h"
#include "../../schemes/integer_range.h"

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

/* Lanes beyond the last value hold `offset`, which is not over. */
uint32_t isopod_any_over(const isopod_values *values, uint32_t offset, uint32_t most) {
    const uint32_t *at = values->data;
    uint32x4_t over = vdupq_n_u32(0);
    for (int32_t left = (int32_t)values->count; left > 0; left -= 4, at += 4) {
        const uint32x4_t four = vld1q_z_u32(at, vctp32q((uint32_t)left));
        over = vorrq_u32(over, vqsubq_n_u32(vaddq_n_u32(four, offset), most));
    }
    return (uint32_t)(((uint64_t)0 - vmaxvq_u32(0, over)) >> 32);
}

#endif
