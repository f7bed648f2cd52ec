/* The NTT of compact polynomials modulo a 32-bit prime (ring/polynomial.h) for AVX2, three layers
 * at a time. Bounds are in transform.h. */
#include "../../backend.h"
#if ISOPOD_BACKEND_IS(x86)

#include "../../../ring/polynomial.h"

#include "../../../base/memory.h"
#include "transform.h"

#define BLOCK ISOPOD_FOLD_BLOCK
#define FOLD_SPAN 64u

/* Takes every second of sixteen words, from number `odd` on, in order or in reverse. */
ISOPOD_AVX2_INLINE __m256i every_second(const int32_t *words, int odd, __m256i order) {
    __m256 low = _mm256_castsi256_ps(isopod_load(words));
    __m256 high = _mm256_castsi256_ps(isopod_load(words + 8));
    __m256 chosen = odd ? _mm256_shuffle_ps(low, high, 0xdd) : _mm256_shuffle_ps(low, high, 0x88);
    return _mm256_permutevar8x32_epi32(_mm256_castps_si256(chosen), order);
}

ISOPOD_AVX2_INLINE __m256i small(const int8_t *at) {
    return _mm256_cvtepi8_epi32(_mm_loadl_epi64((const void *)at));
}

/* m + e of a run of coefficients within one quarter, from offset t on (isopod_message32_add). The
 * shuffle within halves leaves words 0, 1, 4, 5, 2, 3, 6, 7 of the eight chosen. */
ISOPOD_AVX2_INLINE void message_run(const isopod_polynomial *polynomial, uint32_t quarter,
                                    uint32_t t, uint32_t count, int32_t *out) {
    const int32_t *words = polynomial->words;
    const int8_t *error = polynomial->error + quarter * (polynomial->n / 4) + t;
    const int down = quarter & 1u, odd = quarter == 1 || quarter == 2;
    const __m256i order = down ? _mm256_setr_epi32(7, 6, 3, 2, 5, 4, 1, 0)
                               : _mm256_setr_epi32(0, 1, 4, 5, 2, 3, 6, 7);
    const int32_t *at = words + (down ? 2 * (polynomial->n / 4 - t) - 14 : 2 * t);
#pragma GCC unroll 4
    for (uint32_t i = 0; i < count; i += 8, at += down ? -16 : 16) {
        __m256i message = every_second(at, odd, order), noise = small(error + i);
        isopod_store(out + i, quarter >= 2 ? _mm256_sub_epi32(noise, message)
                                           : _mm256_add_epi32(noise, message));
    }
}

ISOPOD_AVX2_APART void load_message(const isopod_polynomial *polynomial, uint32_t first,
                                    uint32_t count, int32_t *out) {
    const uint32_t length = polynomial->n / 4;
    for (uint32_t end = first + count, next; first < end; first = next) {
        uint32_t quarter = first / length, t = first % length;
        next = (quarter + 1u) * length < end ? (quarter + 1u) * length : end;
        if (t == 0) { /* the quarter's first coefficient is an exception */
            isopod_load_message32(polynomial, first, out);
            t = BLOCK;
        }
        int32_t *rest = out + (t - first % length);
        uint32_t left = next - quarter * length - t;
        switch (quarter) {
        case 0:
            message_run(polynomial, 0, t, left, rest);
            break;
        case 1:
            message_run(polynomial, 1, t, left, rest);
            break;
        case 2:
            message_run(polynomial, 2, t, left, rest);
            break;
        default:
            message_run(polynomial, 3, t, left, rest);
        }
        out += next - first;
    }
}

ISOPOD_AVX2_APART void load_error(const isopod_polynomial *polynomial, uint32_t first,
                                  uint32_t count, int32_t *out) {
    for (uint32_t i = 0; i < count; i += 8) {
        isopod_store(out + i, small(polynomial->error + first + i));
    }
}

ISOPOD_AVX2_APART void load_ternary(const isopod_polynomial *polynomial, uint32_t first,
                                    uint32_t count, int32_t *out) {
    const uint32_t *symbols = (const uint32_t *)polynomial->words + first / BLOCK;
    const __m256i shifts = _mm256_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14);
    const __m256i factor = _mm256_set1_epi32(polynomial->factor);
    /* value + 1 = 0, 1, 2 chooses a word of this table: no multiplication */
    const __m256i table = _mm256_mullo_epi32(factor, _mm256_setr_epi32(-1, 0, 1, 0, -1, 0, 1, 0));
    for (uint32_t i = 0; i < count; i += BLOCK) {
        __m256i word = _mm256_set1_epi32((int)symbols[i / BLOCK]);
#pragma GCC unroll 16
        for (unsigned half = 0; half < 2; half++, word = _mm256_srli_epi32(word, 16)) {
            __m256 control = _mm256_castsi256_ps(_mm256_srlv_epi32(word, shifts));
            __m256 chosen =
                _mm256_permutevar_ps(_mm256_castsi256_ps(table), _mm256_castps_si256(control));
            isopod_store(out + i + 8 * half, _mm256_castps_si256(chosen));
        }
    }
}

ISOPOD_AVX2_APART void reduce_span(int32_t *x, uint32_t count, const isopod_prime *prime) {
    const isopod_vector_prime vector = isopod_vector_prime_of(prime);
    for (uint32_t i = 0; i < count; i += 8) {
        isopod_store(x + i, isopod_vector_reduce(isopod_load(x + i), &vector));
    }
}

/* Coefficients first .. first + count - 1, count a multiple of 16, in the bounds that the lazy
 * layers ask for. */
ISOPOD_AVX2_INLINE void load_span(const isopod_polynomial *polynomial, uint32_t first,
                                  uint32_t count, int32_t *out) {
    if (polynomial->load == isopod_load_ternary) {
        load_ternary(polynomial, first, count, out);
    } else if (polynomial->load == isopod_load_error) {
        load_error(polynomial, first, count, out);
    } else if (polynomial->load == isopod_load_message32) {
        load_message(polynomial, first, count, out);
        if (polynomial->prime->bits == 27) {
            reduce_span(out, count, polynomial->prime);
        }
    } else {
        for (uint32_t i = 0; i < count; i += BLOCK) {
            polynomial->load(polynomial, first + i, out + i);
        }
        reduce_span(out, count, polynomial->prime);
    }
}

/* isopod_ntt_fold of parts of FOLD_SPAN words, one after the other, with outputs below 1.3 q. */
ISOPOD_AVX2_APART void fold(int32_t *parts, const isopod_ntt *ntt) {
    const isopod_vector_prime prime = isopod_vector_prime_of(ntt->prime);
    for (uint32_t live = ntt->chunks, blocks = 1; live > 1; live /= 2, blocks *= 2) {
        uint32_t path = (uint32_t)ntt->chunk / live;
        int32_t twiddle = ntt->twiddles[blocks + path];
        int subtract = ((uint32_t)ntt->chunk / (live / 2)) & 1u;
        const isopod_vector_factor by =
            isopod_vector_factor_of(subtract ? -twiddle : twiddle, &prime);
        for (uint32_t i = 0; i < live / 2 * FOLD_SPAN; i += 8) {
            int32_t *low = parts + i;
            const int32_t *high = low + live / 2 * FOLD_SPAN;
            __m256i turned = isopod_vector_multiply_by(isopod_load(high), &by, &prime);
            isopod_store(low,
                         _mm256_add_epi32(isopod_vector_reduce(isopod_load(low), &prime), turned));
        }
    }
}

static ISOPOD_AVX2 void fold_span(int32_t *x, const isopod_polynomial *polynomial,
                                  const isopod_ntt *ntt) {
    int32_t parts[8 * FOLD_SPAN];
    for (uint32_t first = 0; first < ntt->length; first += FOLD_SPAN) {
        for (uint32_t p = 0; p < ntt->chunks; p++) {
            load_span(polynomial, first + p * ntt->length, FOLD_SPAN,
                      parts + (size_t)p * FOLD_SPAN);
        }
        fold(parts, ntt);
#pragma GCC unroll 16
        for (uint32_t i = 0; i < FOLD_SPAN; i += 8) {
            isopod_store(x + first + i, isopod_load(parts + i));
        }
    }
    isopod_wipe(parts, sizeof parts);
}

/* Options of a pass, constant in each of its copies. */
typedef struct {
    int lazy;  /* nothing is reduced */
    int brief; /* a twiddle serves one vector only */
} way;

/* One layer of two vectors; low is reduced first unless `keep`. */
ISOPOD_AVX2_INLINE void cross(__m256i *low, __m256i *high, const isopod_vector_factor *twiddle,
                              const isopod_vector_prime *prime, way how) {
    __m256i turned = how.brief
                         ? isopod_vector_multiply(*high, twiddle->factor, twiddle->factor, prime)
                         : isopod_vector_multiply_by(*high, twiddle, prime);
    __m256i base = how.lazy ? *low : isopod_vector_reduce(*low, prime);
    *low = _mm256_add_epi32(base, turned);
    *high = _mm256_sub_epi32(base, turned);
}

/* Three layers of one block of eight times `eighth`; w[0], w[1..2], w[3..6] are the twiddles of its
 * layers. Not lazy: reduced before the first layer and the third, so that |x| < 2q. */
ISOPOD_AVX2_INLINE void block_of_eight(int32_t *x, uint32_t eighth, const isopod_vector_factor w[7],
                                       const isopod_vector_prime *prime, way how) {
    const way keep = {1, how.brief};
    for (uint32_t i = 0; i < eighth; i += 8) {
        __m256i v[8];
#pragma GCC unroll 16
        for (unsigned k = 0; k < 8; k++) {
            v[k] = isopod_load(x + i + k * eighth);
        }
#pragma GCC unroll 16
        for (unsigned k = 0; k < 4; k++) {
            cross(&v[k], &v[k + 4], &w[0], prime, how);
        }
#pragma GCC unroll 16
        for (unsigned k = 0; k < 2; k++) {
            cross(&v[k], &v[k + 2], &w[1], prime, keep);
            cross(&v[k + 4], &v[k + 6], &w[2], prime, keep);
        }
#pragma GCC unroll 16
        for (unsigned k = 0; k < 4; k++) {
            cross(&v[2 * k], &v[2 * k + 1], &w[3 + k], prime, how);
        }
#pragma GCC unroll 16
        for (unsigned k = 0; k < 8; k++) {
            isopod_store(x + i + k * eighth, v[k]);
        }
    }
}

/* Two layers of one block of four times `quarter`. */
ISOPOD_AVX2_INLINE void block_of_four(int32_t *x, uint32_t quarter, const isopod_vector_factor w[3],
                                      const isopod_vector_prime *prime, way how) {
    const way keep = {1, how.brief};
    for (uint32_t i = 0; i < quarter; i += 8) {
        __m256i v[4];
#pragma GCC unroll 16
        for (unsigned k = 0; k < 4; k++) {
            v[k] = isopod_load(x + i + k * quarter);
        }
        cross(&v[0], &v[2], &w[0], prime, how);
        cross(&v[1], &v[3], &w[0], prime, how);
        cross(&v[0], &v[1], &w[1], prime, keep);
        cross(&v[2], &v[3], &w[2], prime, keep);
#pragma GCC unroll 16
        for (unsigned k = 0; k < 4; k++) {
            isopod_store(x + i + k * quarter, v[k]);
        }
    }
}

/* The twiddles of `layers` layers of block `at` of the first of them. */
ISOPOD_AVX2_INLINE void gather_twiddles(isopod_vector_factor *w, const int32_t *twiddles, size_t at,
                                        unsigned layers, const isopod_vector_prime *prime) {
    for (unsigned layer = 0; layer < layers; layer++) {
        for (unsigned k = 0; k < 1u << layer; k++) {
            w[(1u << layer) - 1u + k] = isopod_vector_factor_of(twiddles[(at << layer) + k], prime);
        }
    }
}

/* Layers with `blocks`, 2*blocks and 4*blocks blocks in the whole transform. */
ISOPOD_AVX2_INLINE void three_layers(int32_t *x, const isopod_ntt *ntt, uint32_t blocks, way how) {
    const isopod_vector_prime prime = isopod_vector_prime_of(ntt->prime);
    const uint32_t own = blocks / ntt->chunks, eighth = how.brief ? 8 : ntt->length / own / 8;
    for (uint32_t g = 0; g < own; g++, x += 8 * eighth) {
        isopod_vector_factor w[7];
        gather_twiddles(w, ntt->twiddles, blocks + (uint32_t)ntt->chunk * own + g, 3, &prime);
        block_of_eight(x, eighth, w, &prime, how);
    }
}

ISOPOD_AVX2_INLINE void two_layers(int32_t *x, const isopod_ntt *ntt, uint32_t blocks, way how) {
    const isopod_vector_prime prime = isopod_vector_prime_of(ntt->prime);
    const uint32_t own = blocks / ntt->chunks, quarter = how.brief ? 8 : ntt->length / own / 4;
    for (uint32_t g = 0; g < own; g++, x += 4 * quarter) {
        isopod_vector_factor w[3];
        gather_twiddles(w, ntt->twiddles, blocks + (uint32_t)ntt->chunk * own + g, 2, &prime);
        block_of_four(x, quarter, w, &prime, how);
    }
}

ISOPOD_AVX2_APART void three_layers_lazy(int32_t *x, const isopod_ntt *ntt, uint32_t blocks) {
    if (ntt->length * ntt->chunks == 64 * blocks) {
        three_layers(x, ntt, blocks, (way){1, 1});
    } else {
        three_layers(x, ntt, blocks, (way){1, 0});
    }
}

ISOPOD_AVX2_APART void three_layers_reduced(int32_t *x, const isopod_ntt *ntt, uint32_t blocks) {
    if (ntt->length * ntt->chunks == 64 * blocks) {
        three_layers(x, ntt, blocks, (way){0, 1});
    } else {
        three_layers(x, ntt, blocks, (way){0, 0});
    }
}

ISOPOD_AVX2_APART void two_layers_lazy(int32_t *x, const isopod_ntt *ntt, uint32_t blocks) {
    if (ntt->length * ntt->chunks == 32 * blocks) {
        two_layers(x, ntt, blocks, (way){1, 1});
    } else {
        two_layers(x, ntt, blocks, (way){1, 0});
    }
}

ISOPOD_AVX2_APART void two_layers_reduced(int32_t *x, const isopod_ntt *ntt, uint32_t blocks) {
    if (ntt->length * ntt->chunks == 32 * blocks) {
        two_layers(x, ntt, blocks, (way){0, 1});
    } else {
        two_layers(x, ntt, blocks, (way){0, 0});
    }
}

/* Eight coefficients of an error, or of a ternary polynomial with factor 1. */
ISOPOD_AVX2_INLINE __m256i small_eight(const isopod_polynomial *polynomial, uint32_t at,
                                       int ternary) {
    if (!ternary) {
        return small(polynomial->error + at);
    }
    const __m256i shifts = _mm256_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14);
    const __m256 values = _mm256_castsi256_ps(_mm256_setr_epi32(-1, 0, 1, 0, -1, 0, 1, 0));
    const uint16_t symbols = ((const uint16_t *)polynomial->words)[at / 8];
    __m256i control = _mm256_srlv_epi32(_mm256_set1_epi16((short)symbols), shifts);
    return _mm256_castps_si256(_mm256_permutevar_ps(values, control));
}

/* The factors of the first two layers as plain numbers: w1, w2, w1*w2, w3, w1*w3. */
typedef struct {
    __m256i w1, w2, w12, w3, w13;
} plain_factors;

ISOPOD_AVX2_INLINE plain_factors plain_factors_of(const isopod_ntt *ntt) {
    const int32_t *w = ntt->twiddles;
    int32_t plain[3];
#pragma GCC unroll 16
    for (unsigned i = 0; i < 3; i++) {
        plain[i] = isopod_redc(w[i + 1], ntt->prime);
    }
    return (plain_factors){_mm256_set1_epi32(plain[0]), _mm256_set1_epi32(plain[1]),
                           _mm256_set1_epi32(isopod_montgomery(w[1], plain[1], ntt->prime)),
                           _mm256_set1_epi32(plain[2]),
                           _mm256_set1_epi32(isopod_montgomery(w[1], plain[2], ntt->prime))};
}

/* Two layers of four vectors v[0], v[2], v[4], v[6] of at most 21, q < 2^26: 21 + 3 * 21 * 1.01 *
 * q/2 is below 2^31, so that products need no reduction. */
ISOPOD_AVX2_INLINE void two_plain_layers(__m256i *v, const plain_factors *w) {
    __m256i p = _mm256_mullo_epi32(v[4], w->w1);
    __m256i sum = _mm256_add_epi32(v[0], p), difference = _mm256_sub_epi32(v[0], p);
    __m256i first =
        _mm256_add_epi32(_mm256_mullo_epi32(v[2], w->w2), _mm256_mullo_epi32(v[6], w->w12));
    __m256i second =
        _mm256_sub_epi32(_mm256_mullo_epi32(v[2], w->w3), _mm256_mullo_epi32(v[6], w->w13));
    v[0] = _mm256_add_epi32(sum, first);
    v[2] = _mm256_sub_epi32(sum, first);
    v[4] = _mm256_add_epi32(difference, second);
    v[6] = _mm256_sub_epi32(difference, second);
}

/* The first three layers of a whole small polynomial. */
ISOPOD_AVX2_INLINE void first_layers(int32_t *x, const isopod_polynomial *polynomial,
                                     const isopod_ntt *ntt, int ternary) {
    const isopod_vector_prime prime = isopod_vector_prime_of(ntt->prime);
    const plain_factors plain = plain_factors_of(ntt);
    const uint32_t eighth = ntt->length / 8;
    const way how = {ternary, 0}; /* errors leave almost 2^31, ternary numbers 1.6 q */
    isopod_vector_factor w[7];
    gather_twiddles(w, ntt->twiddles, 1, 3, &prime);
    for (uint32_t i = 0; i < eighth; i += 8) {
        __m256i v[8];
#pragma GCC unroll 16
        for (unsigned k = 0; k < 8; k++) {
            v[k] = small_eight(polynomial, i + k * eighth, ternary);
        }
        two_plain_layers(v, &plain);
        two_plain_layers(v + 1, &plain);
#pragma GCC unroll 16
        for (unsigned k = 0; k < 4; k++) {
            cross(&v[2 * k], &v[2 * k + 1], &w[3 + k], &prime, how);
        }
#pragma GCC unroll 16
        for (unsigned k = 0; k < 8; k++) {
            isopod_store(x + i + k * eighth, v[k]);
        }
    }
}

ISOPOD_AVX2_APART void first_layers_error(int32_t *x, const isopod_polynomial *polynomial,
                                          const isopod_ntt *ntt) {
    first_layers(x, polynomial, ntt, 0);
}

ISOPOD_AVX2_APART void first_layers_ternary(int32_t *x, const isopod_polynomial *polynomial,
                                            const isopod_ntt *ntt) {
    first_layers(x, polynomial, ntt, 1);
}

/* Loads and runs the first layers; returns how many blocks the next layer has. */
static ISOPOD_AVX2 uint32_t begin_transform(int32_t *x, const isopod_polynomial *polynomial,
                                            const isopod_ntt *ntt) {
    const int is_whole = ntt->chunks == 1, is_narrow = is_whole && ntt->prime->bits <= 26;
    if (is_narrow && polynomial->load == isopod_load_error) {
        first_layers_error(x, polynomial, ntt);
        return 8;
    }
    if (is_narrow && polynomial->load == isopod_load_ternary && polynomial->factor == 1) {
        first_layers_ternary(x, polynomial, ntt);
        return 8;
    }
    if (is_whole) {
        load_span(polynomial, 0, ntt->length, x);
    } else {
        fold_span(x, polynomial, ntt);
    }
    return ntt->chunks;
}

ISOPOD_AVX2 void isopod_x86_transform_head(int32_t *x, const isopod_polynomial *polynomial,
                                           const isopod_ntt *ntt) {
    const int lazy = isopod_x86_is_lazy(ntt->prime);
    const uint32_t n = ntt->length * ntt->chunks;
    uint32_t blocks = begin_transform(x, polynomial, ntt);
    /* layers left: 3 and the last three, or 2 or 4 and the last three */
    while (blocks < n / 8) {
        uint32_t layers_left = (uint32_t)__builtin_ctz(n / 8 / blocks);
        if (layers_left == 3 || layers_left > 4) {
            (lazy ? three_layers_lazy : three_layers_reduced)(x, ntt, blocks);
            blocks *= 8;
        } else {
            (lazy ? two_layers_lazy : two_layers_reduced)(x, ntt, blocks);
            blocks *= 4;
        }
    }
}

ISOPOD_AVX2_INLINE void tail(int32_t *x, const isopod_ntt *ntt, int lazy) {
    const isopod_vector_prime prime = isopod_vector_prime_of(ntt->prime);
    const __m256i one = _mm256_set1_epi32(isopod_montgomery_one(ntt->prime));
    isopod_tail_twiddles twiddles = isopod_x86_tail_twiddles(ntt);
    for (uint32_t i = 0; i < ntt->length; i += 32) {
        __m256i v[4];
        isopod_x86_tail_layers(v, x + i, &twiddles, &prime, lazy);
#pragma GCC unroll 16
        for (unsigned k = 0; k < 4; k++) {
            isopod_products products = isopod_x86_last_layer(v[k], twiddles.twos + 4 * k, one);
            isopod_store(x + i + 8 * k, isopod_vector_redc(products.even, products.odd, &prime));
        }
        twiddles.eights += 4;
        twiddles.fours += 8;
        twiddles.twos += 16;
    }
}

ISOPOD_AVX2_APART void tail_lazy(int32_t *x, const isopod_ntt *ntt) {
    tail(x, ntt, 1);
}

ISOPOD_AVX2_APART void tail_reduced(int32_t *x, const isopod_ntt *ntt) {
    tail(x, ntt, 0);
}

/* Results are below q: the last layer is a reduction. */
static ISOPOD_AVX2 void transform(int32_t *out, const isopod_polynomial *polynomial,
                                  const isopod_ntt *ntt) {
    isopod_x86_transform_head(out, polynomial, ntt);
    (isopod_x86_is_lazy(ntt->prime) ? tail_lazy : tail_reduced)(out, ntt);
}

uint32_t isopod_native_polynomial_ntt(int32_t *out, const isopod_polynomial *polynomial,
                                      const isopod_ntt *ntt) {
    if (!isopod_has_avx2()) {
        return 0;
    }
    transform(out, polynomial, ntt);
    isopod_wipe_stack();
    return 1;
}

#endif
