/* Unpacking of residues modulo a 32-bit prime (ring/unpack.h) by the assembly of the mask
 * (mask_unpack.S), which needs aligned words. */
#include "../../backend.h"
#if ISOPOD_BACKEND_IS(armv7em)

#include "../../../ring/unpack.h"

#include "../../../ring/montgomery.h"
#include "../random/mask_unpack.h"

/* unpack_words.S reads this struct. */
typedef struct {
    int32_t minus_one;
    uint32_t modulus, negative_inverse;
} isopod_unpack_factors;

void isopod_unpack_copy(uint32_t *out, const uint8_t *bytes, uint32_t words);
void isopod_unpack_products(int32_t *x, const uint32_t *a, const uint32_t *key,
                            const isopod_unpack_factors *by);

/* Unpacks one group. Not zero if any field is not below the prime. */
static uint32_t take_group(uint32_t out[ISOPOD_UNPACK_GROUP], const uint8_t *packed,
                           const isopod_prime *prime) {
    uint32_t words[ISOPOD_UNPACK_GROUP];
    if (((uintptr_t)packed & 3u) == 0) {
        return isopod_mask_unpack(out, (const uint32_t *)(const void *)packed, prime);
    }
    isopod_unpack_copy(words, packed, prime->bits);
    return isopod_mask_unpack(out, words, prime);
}

uint32_t isopod_unpack(int32_t *x, const uint8_t *packed, uint32_t count,
                       const isopod_prime *prime) {
    uint32_t over = 0;
    for (uint32_t i = 0; i < count; i += ISOPOD_UNPACK_GROUP, packed += 4u * prime->bits) {
        over |= take_group((uint32_t *)x + i, packed, prime);
    }
    return over != 0 ? 0x80000000u : 0;
}

/* The products have bounds of their own for fields up to 2^30: |out| < q/8 + q/2 + q/2 at most. */
uint32_t isopod_unpack_multiply(int32_t *x, const uint8_t *packed, const uint32_t *key,
                                uint32_t count, const isopod_prime *prime) {
    uint32_t over = 0, fields[ISOPOD_UNPACK_GROUP];
    const isopod_unpack_factors by = {-isopod_montgomery_one(prime), prime->modulus,
                                      prime->negative_inverse};
    for (uint32_t i = 0; i < count; i += ISOPOD_UNPACK_GROUP, packed += 4u * prime->bits) {
        over |= take_group(fields, packed, prime);
        isopod_unpack_products(x + i, fields, key + i, &by);
    }
    return over != 0 ? 0x80000000u : 0;
}

#endif
