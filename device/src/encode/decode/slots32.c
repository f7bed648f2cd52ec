/* Values of 32-bit words of the decoder (spec/decryption.md, section 2), in portable C. Constant
 * time. */
#include "slot_value.h"
#include "../../backend/backend.h"

#if ISOPOD_PORTABLE(SLOTS32)
/* |word| < 2^28 and rho / 2^31 < 2^32. */
void isopod_slots32(void *out, const int32_t *words, const isopod_slots *slots) {
    isopod_slot_walk walk = isopod_slot_start(slots);
    uint32_t reciprocal = (uint32_t)(slots->reciprocal >> 31);
    for (uint32_t i = 0; i < isopod_slot_count(slots); i++, isopod_slot_advance(&walk)) {
        uint32_t negative;
        int32_t word = words[isopod_slot_place(walk.order, slots->n)];
        uint64_t magnitude = isopod_slot_magnitude(word, &negative) * reciprocal >> 29;
        isopod_slot_store(out, i, magnitude, negative, slots);
    }
}
#endif
