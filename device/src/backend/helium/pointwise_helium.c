/* Products and reductions in the NTT domain for Helium, in place of reduce_words.S of armv7em. */
#include "../backend.h"
#if ISOPOD_HAS(HELIUM)

#include "../armv7em/wire/multiply_words.h"
#include "products.h"

void isopod_multiply_add_words(int32_t *x, const int32_t *a, const isopod_multiply_words *with) {
    const isopod_product_lanes by = {isopod_lanes_of(with->modulus, with->negative_inverse),
                                     with->one};
    const isopod_factors factors = {x, a, with->key};
    isopod_products(x, &factors, (uint32_t)(with->end - x), &by);
}

/* |out| < 3q/4 as isopod_reduce leaves it: three instructions, since half of the factor has a bit
 * less. */
void isopod_reduce_words(int32_t *x, const int32_t *end, const isopod_prime *prime) {
    for (; x != end; x += 4) {
        int32x4_t value = vld1q_s32(x);
        int32x4_t quotient = vrshrq_n_s32(vqdmulhq_n_s32(value, (int32_t)prime->barrett), 1);
        vst1q_s32(x, vmlaq_n_s32(value, quotient, -(int32_t)prime->modulus));
    }
}

#endif
