/* Words as slot values: float32 with the leading zeros counted by clz, which takes one cycle for
 * any operand; other types as everywhere. */
#include "../../slot_value.h"

#include "../../memory.h"

/* The product of two normalised words lies in 2^62 .. 2^64. exponent: that of 2^62, biased, less 1
 * for the leading one of the digits. */
static inline uint32_t float32_of(int32_t word, uint32_t reciprocal, uint32_t exponent) {
    uint32_t sign = (uint32_t)word & 0x80000000u;
    uint32_t magnitude = ((uint32_t)word ^ (uint32_t)(word >> 31)) + (sign >> 31);
    uint32_t zeros = (uint32_t)__builtin_clz(magnitude | 1u);
    uint64_t product = (uint64_t)(magnitude << zeros) * reciprocal;
    uint32_t high = (uint32_t)(product >> 32), low = (uint32_t)product;
    uint32_t carry = high >> 31, sticky = (low | (0u - low)) >> 31;
    high = (high << 1 >> carry) | (low >> 31 & (1u - carry)) | sticky;
    high |= carry << 31;
    uint32_t kept = high >> 8;
    kept += ((high & 0xffu) + 0x7fu + (kept & 1u)) >> 8;
    uint32_t some = (uint32_t)((int32_t)(0u - magnitude) >> 31);
    return (((exponent + carry - zeros) << 23) + kept + sign) & some;
}

static void float32_values(uint32_t *out, const int32_t *words, const isopod_slots *slots) {
    uint32_t n = slots->n, mask = 2 * n - 1, half = n / 2 - 1;
    uint32_t order = isopod_slot_order(slots->first, n), step = isopod_slot_order(slots->step, n);
    uint32_t reciprocal = (uint32_t)(slots->reciprocal >> 31);
    uint32_t exponent = (uint32_t)(slots->exponent + 62 + 126);
    for (const uint32_t *end = out + slots->count; out != end; out++, order *= step) {
        uint32_t flip = 0u - ((order >> 1) & 1u);
        uint32_t place = (((order & mask) >> 2) ^ flip) & half;
        *out = float32_of(words[place ^ 1u], reciprocal, exponent);
    }
}

void isopod_slots32(void *out, const int32_t *words, const isopod_slots *slots) {
    uint32_t order = isopod_slot_order(slots->first, slots->n);
    uint32_t step = isopod_slot_order(slots->step, slots->n);
    uint32_t reciprocal = (uint32_t)(slots->reciprocal >> 31);
    if (slots->type == ISOPOD_VALUES_FLOAT32) {
        float32_values(out, words, slots);
        return;
    }
    for (uint32_t i = 0; i < slots->count; i++, order = order * step & (2 * slots->n - 1)) {
        uint32_t negative;
        int32_t word = words[isopod_slot_place(order, slots->n)];
        uint64_t magnitude = isopod_slot_magnitude(word, &negative) * reciprocal;
        isopod_slot_store(out, i, magnitude, negative, slots);
    }
}
