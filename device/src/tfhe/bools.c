/* Booleans of TFHE messages, packed four at a time (spec/tfhe.md, section 4), in portable C.
 * Constant time. */
#include "bools.h"

#include "../base/memory.h"
#include "../backend/backend.h"

/* Loads four bytes at once; the barrier keeps compilers from merging the load with the arithmetic
 * behind it. */
/*@ requires \valid_read(at + (0 .. 3));
    assigns \nothing;
    ensures \result == at[0] + at[1] * 0x100 + at[2] * 0x10000 + at[3] * 0x1000000; */
static inline uint32_t four_bytes(const uint8_t *at) {
    return isopod_ct_barrier(isopod_load32(at));
}

uint32_t isopod_bools_are_valid(const uint8_t *values, uint32_t count) {
    uint32_t others = 0, i = 0, are_all = 1;
#if ISOPOD_TAKES(BOOLS)
    i = isopod_native_bools_check(values, count, &are_all);
#endif
    for (; i + 4 <= count; i += 4) {
        others |= four_bytes(values + i);
    }
    for (; i < count; i++) {
        others |= values[i];
    }
    others &= 0xfefefefeu;
    ISOPOD_DECLASSIFY(others);
    return (others == 0) & are_all;
}

/* Moves bits 0, 8, 16, 24 to bits 0, 2, 4, 6. */
static inline uint32_t four_bools(const uint8_t *values) {
    uint32_t bits = four_bytes(values);
    bits = (bits | bits >> 6) & 0x00050005u;
    return (bits | bits >> 12) & 0x55u;
}

void isopod_bools_pack(uint32_t *out, const uint8_t *values, uint32_t words) {
#if ISOPOD_TAKES(BOOLS)
    const uint32_t packed = isopod_native_bools_pack(out, values, words);
    out += packed;
    values += packed * ISOPOD_BOOLS_GROUP;
    words -= packed;
#endif
    for (; words > 0; words--, values += ISOPOD_BOOLS_GROUP) {
        *out++ = four_bools(values) | four_bools(values + 4) << 8 | four_bools(values + 8) << 16 |
                 four_bools(values + 12) << 24;
    }
}
