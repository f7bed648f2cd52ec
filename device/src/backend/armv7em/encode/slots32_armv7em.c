/* Values of 32-bit words of the decoder (spec/decryption.md, section 2): float32 with leading zeros
 * counted by clz, which takes one cycle for any operand; other types as in slot_value.h. */
#include "../../backend.h"
#if ISOPOD_BACKEND_IS(armv7em)

#include "../../../encode/decode/slot_value.h"

/* slot_values.S reads this struct. */
typedef struct {
    uint32_t order, step; /* of the first slot, and from one to the next: powers of 3 */
    uint32_t half;
    uint32_t reciprocal;
    uint32_t exponent;
    const uint32_t *end;
} isopod_slot_loop;

void isopod_slot_values(uint32_t *out, const int32_t *words, const isopod_slot_loop *loop);

/* The exponent is that of a magnitude whose bit 31 is set; the leading one of the digits adds 1 to
 * its field. */
static void float32_values(uint32_t *out, const int32_t *words, const isopod_slots *slots) {
    isopod_slot_loop loop = {.step = 3,
                             .half = slots->n / 2 - 1,
                             .reciprocal = (uint32_t)(slots->reciprocal >> 31),
                             .exponent = (uint32_t)(slots->exponent + 31 + 126)};
    for (uint32_t row = 0; row < slots->rows; row++, out += slots->columns) {
        loop.order = isopod_slot_order(slots->first + row * slots->stride, slots->n);
        loop.end = out + slots->columns;
        isopod_slot_values(out, words, &loop);
    }
}

void isopod_slots32(void *out, const int32_t *words, const isopod_slots *slots) {
    isopod_slot_walk walk = isopod_slot_start(slots);
    uint32_t reciprocal = (uint32_t)(slots->reciprocal >> 31);
    if (slots->type == ISOPOD_VALUES_FLOAT32) {
        float32_values(out, words, slots);
        return;
    }
    for (uint32_t i = 0; i < isopod_slot_count(slots); i++, isopod_slot_advance(&walk)) {
        uint32_t negative;
        int32_t word = words[isopod_slot_place(walk.order, slots->n)];
        uint64_t magnitude = isopod_slot_magnitude(word, &negative) * reciprocal >> 29;
        isopod_slot_store(out, i, magnitude, negative, slots);
    }
}

#endif
