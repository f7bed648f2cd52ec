/* The even and the odd coefficients of a polynomial are polynomials in X^2, of half the degree.
 * Their values at y^2 follow from a(y) and a(-y), which are neighbours in NTT order: the first
 * layer of the inverse transform, half of it. So half of the coefficients need half of the memory,
 * and nothing is computed twice but products. Constant time with respect to the share. */
#include "partial.h"

#include "../base/memory.h"
#include "../base/parameters.h"
#include "../ring/inverse_ntt.h"
#include "../ring/power.h"
#include "../ring/unpack.h"

#define GROUP ISOPOD_UNPACK_GROUP

/* The product of m / (m - j) over the other numbers m, in Montgomery form: |result| < q. Both
 * products are below 10!. Public. */
static int32_t weight_of(const isopod_partial *of, const isopod_prime *prime) {
    int32_t above = 1, below = 1, own = (int32_t)isopod_share_head_of(of->holder)->number;
    for (uint32_t i = 0; i < of->answering->count; i++) {
        int32_t other = of->answering->numbers[i];
        if (other != own) {
            above *= other;
            below *= other - own;
        }
    }
    int32_t square = (int32_t)prime->montgomery_square;
    int32_t inverse = isopod_montgomery_power(isopod_montgomery(below, square, prime),
                                              prime->modulus - 2u, prime);
    return isopod_montgomery(isopod_montgomery(above, square, prime), inverse, prime);
}

/* Sums or differences of neighbours, the latter divided by their point; |out| < q. */
static void take_pairs(int32_t *x, const int32_t group[GROUP], const isopod_ntt *ntt,
                       uint32_t first_pair, uint32_t is_odd) {
    const isopod_prime prime = *ntt->prime;
    for (uint32_t i = 0; i < GROUP / 2u; i++) {
        int32_t a = group[2u * i], b = group[2u * i + 1u];
        if (is_odd != 0) {
            /* The inverse of the point of block g of n/2 is minus the one of the mirrored block. */
            int32_t twiddle = isopod_twiddle(ntt, ntt->length - 1u - first_pair - i);
            x[i] = isopod_montgomery(b - a, twiddle, &prime);
        } else {
            x[i] = isopod_reduce(a + b, &prime);
        }
    }
}

static uint32_t half_modulo(int32_t *x, const isopod_partial *of, uint32_t j, uint32_t is_odd,
                            const uint8_t *packed) {
    isopod_ntt ntt = isopod_ntt_of(of->holder->params, of->holder->tables, (uint8_t)j);
    const uint32_t *share = isopod_share_residues(of->holder, j);
    int32_t group[GROUP];
    uint32_t over = 0;
    for (uint32_t at = 0; at < ntt.length; at += GROUP, packed += GROUP / 8u * ntt.prime->bits) {
        isopod_wipe(group, sizeof group);
        over |= isopod_unpack_multiply(group, packed, share + at, GROUP, ntt.prime);
        take_pairs(x + at / 2u, group, &ntt, at / 2u, is_odd);
    }
    isopod_wipe(group, sizeof group);
    /* The factor of the whole transform has the half of sums and differences, too. */
    int32_t factor =
        isopod_montgomery(isopod_inverse_ntt_factor(&ntt), weight_of(of, ntt.prime), ntt.prime);
    ntt.length /= 2u;
    isopod_inverse_ntt(x, &ntt, isopod_centred(factor, ntt.prime));
    return over;
}

uint32_t isopod_partial_half(int32_t *x, const isopod_partial *of, uint32_t is_odd) {
    const isopod_params *params = of->holder->params;
    uint32_t half = UINT32_C(1) << (params->log2_ring_degree - 1u), over = 0;
    const uint8_t *packed = of->c1;
    for (uint32_t j = 0; j < ISOPOD_HOLDER_PRIMES; j++, x += half) {
        over |= half_modulo(x, of, j, is_odd, packed);
        packed += (size_t)params->primes[j].bits * half / 4u;
    }
    return over;
}
