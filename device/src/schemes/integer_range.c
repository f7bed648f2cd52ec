/* The range of integers in constant time. */
#include "integer_range.h"

#include "../backend/backend.h"
#include "../base/constant_time.h"

#if ISOPOD_PORTABLE(INTEGER_RANGE)
/* Returns a word whose top bit is set if a value plus `offset` modulo 2^32 is greater than
 * `most`. */
static uint32_t any_over(const isopod_values *values, uint32_t offset, uint32_t most) {
    const uint32_t *words = values->data;
    uint32_t over = 0;
    for (uint32_t i = 0; i < values->count; i++) {
        over |= (uint32_t)(((uint64_t)most - (words[i] + offset)) >> 32);
    }
    return over;
}
#else
#define any_over isopod_any_over
#endif

isopod_status isopod_integers_check(const isopod_values *values, uint32_t most) {
    uint32_t over;
    if (values->type == ISOPOD_VALUES_INT32) {
        over = any_over(values, most, 2u * most);
    } else if (values->type == ISOPOD_VALUES_UINT32) {
        over = any_over(values, 0, most);
    } else {
        return ISOPOD_ERROR_VALUE_TYPE;
    }
    ISOPOD_DECLASSIFY(over);
    return over >> 31 != 0 ? ISOPOD_ERROR_VALUE_RANGE : ISOPOD_OK;
}

isopod_status isopod_int16_check(const isopod_values *values, uint32_t most) {
    const int16_t *data = values->data;
    uint32_t over = 0;
    for (uint32_t i = 0; i < values->count; i++) {
        uint32_t raised = (uint32_t)(int32_t)data[i] + most;
        over |= raised | (2u * most - raised);
    }
    ISOPOD_DECLASSIFY(over);
    return over >> 31 != 0 ? ISOPOD_ERROR_VALUE_RANGE : ISOPOD_OK;
}
