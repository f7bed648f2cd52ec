/* Needs the quotients of the set (isopod_tables.wide_backend); without them, or without AVX2, the
 * portable transform runs. */
#define ISOPOD_LIMB_BITS 64
#define isopod_wide_inverse_ntt isopod_portable_wide_inverse_ntt
#include "../../ring/inverse_ntt.c"
#undef isopod_wide_inverse_ntt

#include "vectors64.h"

__typeof__(isopod_portable_wide_inverse_ntt) isopod_wide_inverse_ntt;

#include "lanes64_512.h"
#include "inverse64_template.h"

#include "lanes64_256.h"
#include "inverse64_template.h"

/* A number in Montgomery form, and its quotient as isopod_tables.wide_backend has them. */
static void with_quotient(uint64_t out[2], int64_t montgomery, const isopod_wide_prime *prime) {
    isopod_limb_product shifted = {0, isopod_canonical(montgomery, prime)};
    out[0] = isopod_canonical(isopod_redc(shifted, prime), prime);
    out[1] = 0u - shifted.low * prime->inverse;
}

void isopod_inverse_ntt(int64_t *x, const isopod_ntt *ntt, int64_t factor) {
    uint64_t sums[2], differences[2];
    if (ntt->backend == NULL || !isopod_has_avx2()) {
        isopod_portable_wide_inverse_ntt(x, ntt, factor);
        return;
    }
    with_quotient(sums, factor, ntt->prime);
    with_quotient(differences, isopod_montgomery(factor, ntt->twiddles[1], ntt->prime), ntt->prime);
    (isopod_has_avx512() ? inverse_512 : inverse_256)((uint64_t *)x, ntt, sums, differences);
}
