/* The inverse NTT modulo a 64-bit prime (ring/inverse_ntt.h) for AVX2 and AVX-512. It needs the
 * quotients of the set (isopod_tables.backend64); without them, or without AVX2, the portable
 * transform runs. */
#define ISOPOD_WORD_BITS 64
#include "../../backend.h"
#if ISOPOD_BACKEND_IS(x86)

#include "../../../ring/inverse_ntt.h"

#include "vectors64.h"

#include "lanes64_512.h"
#include "inverse64_template.h"

#include "lanes64_256.h"
#include "inverse64_template.h"

/* A number in Montgomery form, and its quotient as isopod_tables.backend64 has them. */
static void with_quotient(uint64_t out[2], int64_t montgomery, const isopod_prime64 *prime) {
    isopod_word_product shifted = {0, isopod_canonical(montgomery, prime)};
    out[0] = isopod_canonical(isopod_redc(shifted, prime), prime);
    out[1] = 0u - shifted.low * prime->inverse;
}

uint32_t isopod_native_inverse_ntt(int64_t *x, const isopod_ntt *ntt, int64_t factor) {
    uint64_t sums[2], differences[2];
    if (ntt->backend == NULL || !isopod_has_avx2()) {
        return 0;
    }
    with_quotient(sums, factor, ntt->prime);
    with_quotient(differences, isopod_montgomery(factor, ntt->twiddles[1], ntt->prime), ntt->prime);
    (isopod_has_avx512() ? inverse_512 : inverse_256)((uint64_t *)x, ntt, sums, differences);
    return 1;
}

#endif
