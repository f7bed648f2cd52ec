/* The NTT modulo a 64-bit prime by Shoup's quotients ([HARVEY14], [SHOUP01]) for one width of
 * vectors. The including file defines TARGET, INLINE, VECTOR, FACTOR, LANES, LOG2_LANES, LOAD,
 * STORE, SET1, ADD, SUB, FACTOR_OF, PRODUCT, LOWER, TRANSPOSE and, for the names in here, NAME
 * (lanes64*.h).
 *
 * A product is below 4q, so a layer adds at most 4q to the bound of all values. Primes of at most
 * UNREDUCED_BITS bits never need a reduction. For larger primes x0 is first reduced from 12q to
 * below 8q. Values start below 2^62 + q. */

typedef struct {
    VECTOR modulus, four, eight;
} NAME(bounds);

INLINE FACTOR NAME(factor_at)(const uint64_t *word, const uint64_t *quotient) {
    return FACTOR_OF(SET1((long long)*word), SET1((long long)*quotient));
}

INLINE void NAME(butterfly)(VECTOR *x0, VECTOR *x1, const FACTOR *factor,
                            const NAME(bounds) * bounds, int reduced) {
    VECTOR low = reduced ? LOWER(*x0, bounds->eight) : *x0;
    VECTOR product = PRODUCT(*x1, factor, bounds->modulus);
    *x0 = ADD(low, product);
    *x1 = SUB(ADD(low, bounds->four), product);
}

/* One layer: blocks of 2*half values, half a multiple of LANES. */
INLINE void NAME(layer)(uint64_t *x, const isopod64_twiddles *at, uint32_t half,
                        const NAME(bounds) * bounds, int reduced) {
    for (uint32_t g = 0; g < at->blocks; g++, x += 2 * (size_t)half) {
        const FACTOR factor = NAME(factor_at)(at->words + g, at->quotients + g);
        for (uint32_t i = 0; i < half; i += LANES) {
            VECTOR x0 = LOAD(x + i), x1 = LOAD(x + half + i);
            NAME(butterfly)(&x0, &x1, &factor, bounds, reduced);
            STORE(x + i, x0);
            STORE(x + half + i, x1);
        }
    }
}

/* Two layers: blocks of 4*quarter values. */
INLINE void NAME(layer_pair)(uint64_t *x, const isopod64_twiddles *first, uint32_t quarter,
                             const NAME(bounds) * bounds, int reduced) {
    const isopod64_twiddles second = isopod64_next(first);
    for (uint32_t g = 0; g < first->blocks; g++, x += 4 * (size_t)quarter) {
        const FACTOR w0 = NAME(factor_at)(first->words + g, first->quotients + g);
        const FACTOR w1 = NAME(factor_at)(second.words + 2 * g, second.quotients + 2 * g);
        const FACTOR w2 = NAME(factor_at)(second.words + 2 * g + 1, second.quotients + 2 * g + 1);
        for (uint32_t i = 0; i < quarter; i += LANES) {
            VECTOR x0 = LOAD(x + i), x1 = LOAD(x + quarter + i);
            VECTOR x2 = LOAD(x + 2 * quarter + i), x3 = LOAD(x + 3 * quarter + i);
            NAME(butterfly)(&x0, &x2, &w0, bounds, reduced);
            NAME(butterfly)(&x1, &x3, &w0, bounds, reduced);
            NAME(butterfly)(&x0, &x1, &w1, bounds, reduced);
            NAME(butterfly)(&x2, &x3, &w2, bounds, reduced);
            STORE(x + i, x0);
            STORE(x + quarter + i, x1);
            STORE(x + 2 * quarter + i, x2);
            STORE(x + 3 * quarter + i, x3);
        }
    }
}

/* Factors number first, first + step, ... of LANES neighbouring blocks. */
INLINE FACTOR NAME(factors)(const isopod64_twiddles *at, uint32_t first, uint32_t step) {
    uint64_t words[LANES], quotients[LANES];
#pragma GCC unroll 16
    for (unsigned lane = 0; lane < LANES; lane++) {
        words[lane] = at->words[first + lane * step];
        quotients[lane] = at->quotients[first + lane * step];
    }
    return FACTOR_OF(LOAD(words), LOAD(quotients));
}

/* The last LOG2_LANES layers of LANES blocks of LANES values, whose columns become vectors. */
INLINE void NAME(last_block)(uint64_t *x, const isopod64_twiddles *first, uint32_t block,
                             const NAME(bounds) * bounds, int reduced) {
    isopod64_twiddles at = *first;
    VECTOR v[LANES];
#pragma GCC unroll 16
    for (unsigned i = 0; i < LANES; i++) {
        v[i] = LOAD(x + LANES * i);
    }
    TRANSPOSE(v);
#pragma GCC unroll 3
    for (unsigned half = LANES / 2, groups = 1; half > 0; half /= 2, groups *= 2) {
#pragma GCC unroll 4
        for (unsigned g = 0; g < groups; g++) {
            const FACTOR factor = NAME(factors)(&at, block * groups + g, groups);
#pragma GCC unroll 4
            for (unsigned i = 0; i < half; i++) {
                unsigned place = 2 * half * g + i;
                NAME(butterfly)(&v[place], &v[place + half], &factor, bounds, reduced);
            }
        }
        at = isopod64_next(&at);
    }
    TRANSPOSE(v);
#pragma GCC unroll 16
    for (unsigned i = 0; i < LANES; i++) {
        STORE(x + LANES * i, reduced ? LOWER(v[i], bounds->eight) : v[i]);
    }
}

INLINE void NAME(make_positive)(uint64_t *x, uint32_t length, uint64_t modulus) {
    const uint64_t half = (uint64_t)1 << 62, multiple = half + modulus - half % modulus;
    for (uint32_t i = 0; i < length; i++) {
        x[i] += multiple & (0u - (x[i] >> 63));
    }
}

INLINE void NAME(all_layers)(uint64_t *x, const isopod_ntt *ntt, int reduced) {
    const uint64_t modulus = ntt->prime->modulus;
    const NAME(bounds) bounds = {SET1((long long)modulus), SET1((long long)(4 * modulus)),
                                 SET1((long long)(8 * modulus))};
    isopod64_twiddles at = isopod64_first(ntt);
    uint32_t half = ntt->length / 2;
    NAME(make_positive)(x, ntt->length, modulus);
    if (((31u - LOG2_LANES - (uint32_t)__builtin_clz(ntt->length)) & 1u) != 0) {
        NAME(layer)(x, &at, half, &bounds, reduced);
        at = isopod64_next(&at);
        half /= 2;
    }
    for (; half >= 2 * LANES; half /= 4) {
        NAME(layer_pair)(x, &at, half / 2, &bounds, reduced);
        at = isopod64_next(&at);
        at = isopod64_next(&at);
    }
    for (uint32_t block = 0; block < at.blocks; block += LANES, x += LANES * LANES) {
        NAME(last_block)(x, &at, block, &bounds, reduced);
    }
}

TARGET static void NAME(layers)(uint64_t *x, const isopod_ntt *ntt) {
    if (ntt->prime->bits <= UNREDUCED_BITS) {
        NAME(all_layers)(x, ntt, 0);
    } else {
        NAME(all_layers)(x, ntt, 1);
    }
}
