/* Passes of the NTT between its first and its last two layers. */
#ifndef ISOPOD_ARMV7EM_NTT_PASS_H
#define ISOPOD_ARMV7EM_NTT_PASS_H

#include "../../../ring/ntt.h"

/* Primes of up to this many bits are bits27: nothing needs to be reduced between the first pass and
 * the product (ntt_armv7em.c). */
#define ISOPOD_PRIME27_BITS 27u

static inline uint32_t isopod_ntt_has_prime27(const isopod_ntt *ntt) {
    return ntt->prime->bits <= ISOPOD_PRIME27_BITS;
}

/* The modulus below which the middle passes do not reduce: 1.125 * 2^27 (ntt_armv7em.c). */
#define ISOPOD_UNREDUCED_MODULUS 150994944u

/* One pass: two layers of a chunk from x to end. ntt_pass.S reads this struct. */
typedef struct {
    const int32_t *first;  /* twiddles of the first layer, one per group */
    const int32_t *second; /* twiddles of the second layer, two per group */
    const int32_t *end;
    uint32_t modulus;
    uint32_t negative_inverse;
    uint32_t barrett;
} isopod_ntt_pass;

/* The pass that starts where the whole transform has `blocks` blocks. */
isopod_ntt_pass isopod_ntt_pass_at(const int32_t *x, const isopod_ntt *ntt, uint32_t blocks);

/* A pass above 27 bits at any distance of the four inputs. */
void isopod_ntt_distant_pass(int32_t *x, const isopod_ntt_pass *pass, uint32_t distance);

/* The first layer alone, for Helium: |x| < 2^31, |out| < 1.75q. */
void isopod_ntt_layer(int32_t *x, const isopod_ntt *ntt);

/* All passes but the last from `blocks` on, where |x| < 2.2q at first for primes of up to 27 bits
 * and |x| < 2^31 for others. */
void isopod_ntt_middle(int32_t *x, const isopod_ntt *ntt, uint32_t blocks);

/* The first layer or the first pass where |x| < 2^31; returns the number of blocks that it leaves.
 * |out| < 2.2q. */
uint32_t isopod_ntt_first(int32_t *x, const isopod_ntt *ntt);

/* The last pass: |x| < 2^31, |out| < 2.2q. */
void isopod_ntt_last(int32_t *x, const isopod_ntt *ntt);

/* Groups whose twiddles are made together from lean tables. */
#define ISOPOD_LEAN_GROUPS 8u

typedef struct {
    int32_t first[ISOPOD_LEAN_GROUPS];
    int32_t second[2 * ISOPOD_LEAN_GROUPS];
} isopod_lean_twiddles;

/* Computes twiddles from `at` on of the first layer and from 2 at on of the second; at >= 64.
 * Modulo primes of up to 27 bits they are not centred: |w| < 0.51 q. */
void isopod_lean_fill(isopod_lean_twiddles *twiddles, const isopod_ntt *ntt, uint32_t at,
                      uint32_t groups);

#endif
