#include "answer.h"

#include <stddef.h>

#define SCALE_ONE 0x3ff0000000000000u

int32_t isopod_log2_scale(uint64_t scale) {
    int32_t exponent = (int32_t)(scale >> 52) - 1023;
    if (exponent < 0 || exponent >= 120) {
        return -1;
    }
    return exponent + (scale << 12 != 0);
}

isopod_status isopod_answer_check(const isopod_params *params, const isopod_answer *answer) {
    uint32_t is_integer = params->plain != NULL;
    uint32_t slots = 1u << (params->log2_ring_degree - (is_integer ? 0u : 1u));
    if (answer->primes == 0 || answer->primes > params->prime_count) {
        return ISOPOD_ERROR_LEVEL;
    }
    if (is_integer ? answer->scale != SCALE_ONE : isopod_log2_scale(answer->scale) < 0) {
        return ISOPOD_ERROR_SCALE;
    }
    if (answer->count == 0 || answer->step == 0 || answer->first >= slots ||
        (answer->count > 1 && (slots - 1u - answer->first) / answer->step < answer->count - 1u)) {
        return ISOPOD_ERROR_COUNT;
    }
    return ISOPOD_OK;
}
