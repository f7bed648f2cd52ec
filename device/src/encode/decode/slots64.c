/* Values of 64-bit words of the decoder (spec/decryption.md, section 2), in portable C. Constant
 * time. */
#include "../../base/fixed64.h"
#include "slot_value.h"
#include "../../backend/backend.h"

/* |word| < 2^60 and rho < 2^63: the product's bits from 60 on. */
void isopod_slots64(void *out, const int64_t *words, const isopod_slots *slots) {
#if ISOPOD_TAKES(SLOTS64)
    if (isopod_native_slots64(out, words, slots)) {
        return;
    }
#endif
    uint32_t order = isopod_slot_order(slots->first, slots->n);
    uint32_t step = isopod_slot_order(slots->step, slots->n);
    for (uint32_t i = 0; i < slots->count; i++, order = order * step & (2 * slots->n - 1)) {
        uint32_t negative;
        int64_t word = words[isopod_slot_place(order, slots->n)];
        int64_t magnitude = (int64_t)isopod_slot_magnitude(word, &negative);
        isopod_product64 product = isopod_multiply64(magnitude, (int64_t)slots->reciprocal);
        isopod_slot_store(out, i, (uint64_t)product.high << 4 | product.low >> 60, negative, slots);
    }
}
