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
    isopod_slot_walk walk = isopod_slot_start(slots);
    for (uint32_t i = 0; i < isopod_slot_count(slots); i++, isopod_slot_advance(&walk)) {
        uint32_t negative;
        int64_t word = words[isopod_slot_place(walk.order, slots->n)];
        int64_t magnitude = (int64_t)isopod_slot_magnitude(word, &negative);
        isopod_product64 product = isopod_multiply64(magnitude, (int64_t)slots->reciprocal);
        isopod_slot_store(out, i, (uint64_t)product.high << 4 | product.low >> 60, negative, slots);
    }
}
