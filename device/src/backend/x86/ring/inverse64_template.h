/* The inverse NTT modulo a 64-bit prime by Shoup's quotients ([HARVEY14], [SHOUP01]) for one width
 * of vectors (lanes64*.h). Values are below 4q: sums are reduced from 8q, and products need no
 * reduction. The multiplier of block g of m is minus the forward twiddle of block m-1-g, so
 * differences are taken the other way round. */

typedef struct {
    VECTOR modulus, twice, four;
} NAME(inverse_bounds);

INLINE FACTOR NAME(inverse_factor)(const isopod_ntt *ntt, uint32_t blocks, uint32_t block) {
    const uint64_t *word = (const uint64_t *)ntt->backend + (2 * blocks - 1 - block);
    return FACTOR_OF(SET1((long long)word[0]), SET1((long long)word[ntt->length]));
}

INLINE void NAME(inverse_butterfly)(VECTOR *x0, VECTOR *x1, const FACTOR *factor,
                                    const NAME(inverse_bounds) * bounds) {
    VECTOR difference = ADD(SUB(*x1, *x0), bounds->four);
    *x0 = LOWER(ADD(*x0, *x1), bounds->four);
    *x1 = PRODUCT(difference, factor, bounds->modulus);
}

/* Factors of group g of LANES rows, the first of which is `row`. */
INLINE FACTOR NAME(inverse_factors)(const isopod_ntt *ntt, uint32_t half, uint32_t row,
                                    uint32_t g) {
    const uint32_t groups = LANES / 2 / half, blocks = ntt->length / 2 / half;
    const uint64_t *table = (const uint64_t *)ntt->backend;
    uint64_t words[LANES], quotients[LANES];
#pragma GCC unroll 16
    for (unsigned lane = 0; lane < LANES; lane++) {
        uint32_t at = 2 * blocks - 1 - ((row + lane) * groups + g);
        words[lane] = table[at];
        quotients[lane] = table[ntt->length + at];
    }
    return FACTOR_OF(LOAD(words), LOAD(quotients));
}

/* The first LOG2_LANES layers of LANES rows of LANES values |x| <= q, whose columns become vectors.
 */
INLINE void NAME(first_block)(uint64_t *x, const isopod_ntt *ntt, uint32_t row,
                              const NAME(inverse_bounds) * bounds) {
    VECTOR v[LANES];
#pragma GCC unroll 16
    for (unsigned i = 0; i < LANES; i++) {
        v[i] = ADD(LOAD(x + LANES * i), bounds->modulus);
    }
    TRANSPOSE(v);
#pragma GCC unroll 3
    for (unsigned half = 1, groups = LANES / 2; groups > 0; half *= 2, groups /= 2) {
#pragma GCC unroll 4
        for (unsigned g = 0; g < groups; g++) {
            const FACTOR factor = NAME(inverse_factors)(ntt, half, row, g);
#pragma GCC unroll 4
            for (unsigned i = 0; i < half; i++) {
                unsigned place = 2 * half * g + i;
                NAME(inverse_butterfly)(&v[place], &v[place + half], &factor, bounds);
            }
        }
    }
    TRANSPOSE(v);
#pragma GCC unroll 16
    for (unsigned i = 0; i < LANES; i++) {
        STORE(x + LANES * i, v[i]);
    }
}

/* One layer: blocks of 2*half values. */
INLINE void NAME(inverse_layer)(uint64_t *x, const isopod_ntt *ntt, uint32_t half,
                                const NAME(inverse_bounds) * bounds) {
    const uint32_t blocks = ntt->length / 2 / half;
    for (uint32_t g = 0; g < blocks; g++, x += 2 * (size_t)half) {
        const FACTOR factor = NAME(inverse_factor)(ntt, blocks, g);
        for (uint32_t i = 0; i < half; i += LANES) {
            VECTOR x0 = LOAD(x + i), x1 = LOAD(x + half + i);
            NAME(inverse_butterfly)(&x0, &x1, &factor, bounds);
            STORE(x + i, x0);
            STORE(x + half + i, x1);
        }
    }
}

/* Computes two layers on four values. */
INLINE void NAME(inverse_four)(VECTOR v[4], const FACTOR w[3],
                               const NAME(inverse_bounds) * bounds) {
    NAME(inverse_butterfly)(&v[0], &v[1], &w[0], bounds);
    NAME(inverse_butterfly)(&v[2], &v[3], &w[1], bounds);
    NAME(inverse_butterfly)(&v[0], &v[2], &w[2], bounds);
    NAME(inverse_butterfly)(&v[1], &v[3], &w[2], bounds);
}

/* Two layers: `blocks` blocks of 4*quarter values. */
INLINE void NAME(inverse_pair)(uint64_t *x, const isopod_ntt *ntt, uint32_t quarter,
                               const NAME(inverse_bounds) * bounds) {
    const uint32_t blocks = ntt->length / 4 / quarter;
    for (uint32_t g = 0; g < blocks; g++, x += 4 * (size_t)quarter) {
        const FACTOR w[3] = {NAME(inverse_factor)(ntt, 2 * blocks, 2 * g),
                             NAME(inverse_factor)(ntt, 2 * blocks, 2 * g + 1),
                             NAME(inverse_factor)(ntt, blocks, g)};
        for (uint32_t i = 0; i < quarter; i += LANES) {
            VECTOR v[4] = {LOAD(x + i), LOAD(x + quarter + i), LOAD(x + 2 * quarter + i),
                           LOAD(x + 3 * quarter + i)};
            NAME(inverse_four)(v, w, bounds);
#pragma GCC unroll 16
            for (unsigned part = 0; part < 4; part++) {
                STORE(x + part * quarter + i, v[part]);
            }
        }
    }
}

/* Reduces values below 4q to below q. */
INLINE VECTOR NAME(inverse_final)(VECTOR x, const FACTOR *factor,
                                  const NAME(inverse_bounds) * bounds) {
    VECTOR product = PRODUCT(x, factor, bounds->modulus);
    return LOWER(LOWER(product, bounds->twice), bounds->modulus);
}

/* The last two layers, with the factor of all outputs: sums[] is it, differences[] times the
 * twiddle of the last layer. */
INLINE void NAME(last_pair)(uint64_t *x, const isopod_ntt *ntt, const uint64_t sums[2],
                            const uint64_t differences[2], const NAME(inverse_bounds) * bounds) {
    const uint32_t quarter = ntt->length / 4;
    const FACTOR w0 = NAME(inverse_factor)(ntt, 2, 0), w1 = NAME(inverse_factor)(ntt, 2, 1);
    const FACTOR sum = FACTOR_OF(SET1((long long)sums[0]), SET1((long long)sums[1]));
    const FACTOR difference =
        FACTOR_OF(SET1((long long)differences[0]), SET1((long long)differences[1]));
    for (uint32_t i = 0; i < quarter; i += LANES) {
        VECTOR v[4] = {LOAD(x + i), LOAD(x + quarter + i), LOAD(x + 2 * quarter + i),
                       LOAD(x + 3 * quarter + i)};
        NAME(inverse_butterfly)(&v[0], &v[1], &w0, bounds);
        NAME(inverse_butterfly)(&v[2], &v[3], &w1, bounds);
#pragma GCC unroll 16
        for (unsigned part = 0; part < 2; part++) {
            VECTOR low = v[part], high = v[part + 2];
            STORE(x + part * quarter + i, NAME(inverse_final)(ADD(low, high), &sum, bounds));
            high = ADD(SUB(high, low), bounds->four);
            STORE(x + (part + 2) * quarter + i, NAME(inverse_final)(high, &difference, bounds));
        }
    }
}

TARGET static void NAME(inverse)(uint64_t *x, const isopod_ntt *ntt, const uint64_t sums[2],
                                 const uint64_t differences[2]) {
    const uint64_t modulus = ntt->prime->modulus;
    const NAME(inverse_bounds) bounds = {SET1((long long)modulus), SET1((long long)(2 * modulus)),
                                         SET1((long long)(4 * modulus))};
    uint32_t half = LANES;
    for (uint32_t row = 0; row < ntt->length / LANES; row += LANES) {
        NAME(first_block)(x + (size_t)LANES * row, ntt, row, &bounds);
    }
    if (((31u - LOG2_LANES - (uint32_t)__builtin_clz(ntt->length)) & 1u) != 0) {
        NAME(inverse_layer)(x, ntt, half, &bounds);
        half *= 2;
    }
    for (; 4 * half < ntt->length; half *= 4) {
        NAME(inverse_pair)(x, ntt, half, &bounds);
    }
    NAME(last_pair)(x, ntt, sums, differences, &bounds);
}
