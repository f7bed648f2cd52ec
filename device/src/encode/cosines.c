/* Tables of cosines at 30 and 62 fraction bits (spec/ckks.md, section 4) for n = 2^10 .. 2^15: each
 * is a product of two roots of the small table, so that every machine gets the same bits.
 * Public. */
#include "cosines.h"

#include "cosine_roots.h"
#include "../base/fixed64.h"

typedef struct {
    int64_t re, im;
} root;

static int64_t real_part_of_product(root a, root b) {
    return isopod_fraction64(isopod_dot64(a.re, b.re, -a.im, b.im));
}

static root by_half_step(root a) {
    const root step = {isopod_cosine_half_step[0], isopod_cosine_half_step[1]};
    const root turned = {step.im, -step.re}; /* -i*step */
    root product = {real_part_of_product(a, step), real_part_of_product(a, turned)};
    return product;
}

/* cos(pi*j/32768) * 2^62. */
static int64_t cosine(uint32_t j) {
    const int64_t *coarse = isopod_cosine_coarse[j / 256], *fine = isopod_cosine_fine[j / 2 % 128];
    const root a = {coarse[0], coarse[1]}, b = {fine[0], fine[1]};
    return real_part_of_product(a, (j & 1u) != 0 ? by_half_step(b) : b);
}

void isopod_build_cosines(int32_t *cosine32, int64_t *cosine64, uint32_t log2_degree) {
    for (uint32_t i = 0; i <= UINT32_C(1) << (log2_degree - 1u); i++) {
        cosine64[i] = cosine(i << (15u - log2_degree));
        cosine32[i] = (int32_t)((cosine64[i] + 0x80000000) >> 32);
    }
}
