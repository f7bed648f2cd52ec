/* The inverse NTT modulo a 32-bit prime for Armv7-M, two layers at a time (inverse_pass.S). Bounds,
 * q < 2^30, |w| <= q/2, |x| <= q: sums and differences of two are within 2q < 2^31, and one
 * reduction of two products gives |out| <= 2 * 2q * (q/2) / 2^32 + q/2 < q. In the first pass,
 * whose groups have twiddles of their own, the inner layer's products are reduced apart: each is
 * within 3q/4, their sum reduced again within 3q/4, their difference times a twiddle within 0.7
 * q. */
#include "../../backend.h"
#if ISOPOD_BACKEND_IS(armv7em) && !ISOPOD_HAS(HELIUM)

#include "../../../ring/inverse_ntt.h"

/* inverse_pass.S reads these structs. */
typedef struct {
    int32_t sum;
    uint32_t modulus, negative_inverse;
    int32_t inner[2]; /* of the differences of the inner layer */
    int32_t outer[2]; /* of its sums: w and -w */
    int32_t both[2];
} isopod_inverse_multipliers;

typedef struct {
    const int32_t *outer, *inner;
    uint32_t barrett, modulus, negative_inverse;
    int32_t sum;
    const int32_t *end;
} isopod_inverse_first_pass;

typedef struct {
    const int32_t *end; /* of the first half */
    int32_t sum;
    uint32_t modulus, negative_inverse;
    int32_t difference;
} isopod_inverse_last_layer;

void isopod_inverse_pass(int32_t *x, const isopod_inverse_multipliers *by, uint32_t bytes);
void isopod_inverse_first(int32_t *x, const isopod_inverse_first_pass *pass);
void isopod_inverse_last(int32_t *x, int32_t *half, const isopod_inverse_last_layer *layer);

/* Within q/2: a product of two centred factors is within 9q/16. */
static inline int32_t product(int32_t a, int32_t b, const isopod_prime *prime) {
    int32_t value = isopod_montgomery(a, b, prime), q = (int32_t)prime->modulus, half = q / 2;
    value -= q & ((half - value) >> 31);
    return value + (q & ((value + half) >> 31));
}

/* Twiddle `index` of full tables, or of lean ones. */
static inline int32_t twiddle(const isopod_ntt *ntt, uint32_t index) {
    return ntt->coarse == NULL ? ntt->twiddles[index] : isopod_twiddle(ntt, index);
}

/* The inverse of the forward twiddle of block g of m is minus the one of block m-1-g. */
static inline void find_multipliers(isopod_inverse_multipliers *by, const isopod_ntt *ntt,
                                    uint32_t blocks, uint32_t group) {
    const isopod_prime *prime = ntt->prime;
    uint32_t at = 2 * blocks - 1 - group;
    const int32_t outer = twiddle(ntt, at);
    const int32_t inner0 = twiddle(ntt, 2 * at + 1), inner1 = twiddle(ntt, 2 * at);
    by->inner[0] = -inner0;
    by->inner[1] = -inner1;
    by->outer[0] = -outer;
    by->outer[1] = outer;
    by->both[0] = product(outer, inner0, prime);
    by->both[1] = -product(outer, inner1, prime);
}

static void scale(isopod_inverse_multipliers *by, int32_t factor, const isopod_prime *prime) {
    int32_t *at[6] = {by->inner, by->inner + 1, by->outer, by->outer + 1, by->both, by->both + 1};
    by->sum = factor;
    for (uint32_t i = 0; i < 6; i++) {
        *at[i] = product(*at[i], factor, prime);
    }
}

static void pass(int32_t *x, const isopod_ntt *ntt, uint32_t blocks, int32_t factor) {
    uint32_t quarter = ntt->length / blocks / 4;
    isopod_inverse_multipliers by = {.sum = isopod_montgomery_one(ntt->prime),
                                     .modulus = ntt->prime->modulus,
                                     .negative_inverse = ntt->prime->negative_inverse};
    for (uint32_t g = 0; g < blocks; g++, x += 4 * quarter) {
        find_multipliers(&by, ntt, blocks, g);
        if (blocks == 1) {
            scale(&by, factor, ntt->prime);
        }
        isopod_inverse_pass(x, &by, 4 * quarter);
    }
}

/* Groups of four neighbours, with twiddles that are products. */
static void lean_first(int32_t *x, const isopod_ntt *ntt) {
    const isopod_prime prime = *ntt->prime;
    int32_t one = isopod_montgomery_one(&prime);
    isopod_inverse_multipliers by;
    for (uint32_t g = 0; g < ntt->length / 4; g++, x += 4) {
        find_multipliers(&by, ntt, ntt->length / 4, g);
        int64_t s0 = x[0] + x[1], s1 = x[2] + x[3], d0 = x[0] - x[1], d1 = x[2] - x[3];
        x[0] = isopod_redc(s0 * one + s1 * one, &prime);
        x[1] = isopod_redc(d0 * by.inner[0] + d1 * by.inner[1], &prime);
        x[2] = isopod_redc(s0 * by.outer[0] + s1 * by.outer[1], &prime);
        x[3] = isopod_redc(d0 * by.both[0] + d1 * by.both[1], &prime);
    }
}

static void first(int32_t *x, const isopod_ntt *ntt) {
    uint32_t at = ntt->length / 2 - 1;
    isopod_inverse_first_pass pass = {
        ntt->twiddles + at,  ntt->twiddles + 2 * (size_t)at, ntt->prime->barrett,
        ntt->prime->modulus, ntt->prime->negative_inverse,   isopod_montgomery_one(ntt->prime),
        x + ntt->length};
    isopod_inverse_first(x, &pass);
}

/* The layer of one block, where the number of layers is odd. */
static void last_layer(int32_t *x, const isopod_ntt *ntt, int32_t factor) {
    int32_t *half = x + ntt->length / 2;
    isopod_inverse_last_layer layer = {half, factor, ntt->prime->modulus,
                                       ntt->prime->negative_inverse,
                                       product(-ntt->twiddles[1], factor, ntt->prime)};
    isopod_inverse_last(x, half, &layer);
}

void isopod_inverse_ntt(int32_t *x, const isopod_ntt *ntt, int32_t factor) {
    uint32_t blocks = ntt->length / 16;
    if (ntt->coarse != NULL) {
        lean_first(x, ntt);
    } else {
        first(x, ntt);
    }
    for (; blocks > 0; blocks /= 4) {
        pass(x, ntt, blocks, factor);
    }
    if ((ntt->length & 0xaaaaaaaau) != 0) {
        last_layer(x, ntt, factor);
    }
}

#endif
