/* Booleans of a TFHE message, a byte each (spec/tfhe.md, section 4), constant time. */
#ifndef ISOPOD_BOOLS_H
#define ISOPOD_BOOLS_H

#include <stdint.h>

#define ISOPOD_BOOLS_GROUP 16u

/* Whether every one of `count` bytes is 0 or 1; only the outcome is public. */
uint32_t isopod_bools_are_valid(const uint8_t *values, uint32_t count);

/* Writes `words` words of ISOPOD_BOOLS_GROUP fields of two bits each, from bytes that are 0 or 1.
 */
void isopod_bools_pack(uint32_t *out, const uint8_t *values, uint32_t words);

/* The kernels of a backend that decides at run time. They return how many booleans they took, from
 * the first on; *are_all does not change if they took none. */
uint32_t isopod_native_bools_check(const uint8_t *values, uint32_t count, uint32_t *are_all);
uint32_t isopod_native_bools_pack(uint32_t *out, const uint8_t *values, uint32_t words);

#endif
