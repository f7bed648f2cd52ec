/* TUniform ([TUNIFORM25]) and Gaussian errors of TFHE (spec/tfhe.md, sections 3.1 and 3.2), 32 at a
 * time, in portable C. Constant time. */
#include "error.h"

#include <stddef.h>

#include "gaussian_thresholds.h"
#include "../../backend/backend.h"

/* Field i of w bits as (x >> 1) + (x & 1) - 2^(w - 2). Constant i and w make every shift constant,
 * and fields within one word need no joining. */
#define FIELD(i, w)                                                                                \
    do {                                                                                           \
        uint32_t x_ = words[(i) * (w) / 32u] >> (i) * (w) % 32u;                                   \
        if ((i) * (w) % 32u + (w) > 32u) {                                                         \
            x_ |= words[(i) * (w) / 32u + 1u] << (32u - (i) * (w) % 32u) % 32u;                    \
        }                                                                                          \
        out[i] =                                                                                   \
            (int32_t)(((x_ & ((UINT32_C(1) << (w)) - 1u)) + 1u) >> 1) - ((int32_t)1 << ((w)-2u));  \
    } while (0)

#define FOUR_FIELDS(i, w)                                                                          \
    do {                                                                                           \
        FIELD(i, w);                                                                               \
        FIELD((i) + 1u, w);                                                                        \
        FIELD((i) + 2u, w);                                                                        \
        FIELD((i) + 3u, w);                                                                        \
    } while (0)

#define SIXTEEN_FIELDS(i, w)                                                                       \
    do {                                                                                           \
        FOUR_FIELDS(i, w);                                                                         \
        FOUR_FIELDS((i) + 4u, w);                                                                  \
        FOUR_FIELDS((i) + 8u, w);                                                                  \
        FOUR_FIELDS((i) + 12u, w);                                                                 \
    } while (0)

static void unpack_10(int32_t *out, const uint32_t *words) {
    SIXTEEN_FIELDS(0u, 10u);
    SIXTEEN_FIELDS(16u, 10u);
}

static void unpack_19(int32_t *out, const uint32_t *words) {
    SIXTEEN_FIELDS(0u, 19u);
    SIXTEEN_FIELDS(16u, 19u);
}

void isopod_error_tuniform(int32_t out[ISOPOD_ERROR_GROUP], uint32_t log2_bound,
                           const uint32_t *words) {
#if ISOPOD_TAKES(ERROR)
    if (isopod_native_error_tuniform(out, log2_bound, words)) {
        return;
    }
#endif
    (log2_bound == 8u ? unpack_10 : unpack_19)(out, words);
}

/* Draws a signed error from a word. Both sides of each comparison are below 2^31: the sign of the
 * difference is its outcome. */
static inline int32_t draw(uint32_t word) {
    uint32_t r = word >> 1, below = 0;
    for (uint32_t x = 0; x < ISOPOD_GAUSSIAN_THRESHOLDS; x++) {
        below += (r - isopod_gaussian_thresholds[x]) >> 31;
    }
    int32_t magnitude = (int32_t)(ISOPOD_GAUSSIAN_THRESHOLDS - below);
    int32_t sign = -(int32_t)(word & 1u);
    return (magnitude ^ sign) - sign;
}

void isopod_error_gaussian(int32_t out[ISOPOD_ERROR_GROUP],
                           const uint32_t words[ISOPOD_GAUSSIAN_WORDS]) {
#if ISOPOD_TAKES(ERROR)
    if (isopod_native_error_gaussian(out, words)) {
        return;
    }
#endif
    for (uint32_t half = 0; half < 2; half++, out += 16, words += 48) {
        for (uint32_t i = 0; i < 16; i++) {
            out[i] = draw(words[i]) + 5 * draw(words[16 + i]) + 25 * draw(words[32 + i]);
        }
    }
}

/* Adds to 32 coefficients; errors fit 32 bits in either ring. */
static void add32(uint32_t *words, const int32_t *errors, const uint32_t blocks[2],
                  const isopod_tfhe_params *params) {
    const uint32_t delta = params->log2_delta;
    const uint32_t offset = params->centred != 0 ? UINT32_C(1) << (delta - 1u) : 0;
    for (uint32_t half = 0; half < 2; half++) {
        uint32_t block = blocks[half];
        for (uint32_t i = 0; i < 16; i++, block >>= 2) {
            *words++ += (uint32_t)*errors++ + ((block & 3u) << delta) - offset;
        }
    }
}

static void add64(uint64_t *words, const int32_t *errors, const uint32_t blocks[2],
                  const isopod_tfhe_params *params) {
    const uint32_t delta = params->log2_delta;
    const uint64_t offset = params->centred != 0 ? (uint64_t)1 << (delta - 1u) : 0;
    for (uint32_t half = 0; half < 2; half++) {
        uint32_t block = blocks[half];
        for (uint32_t i = 0; i < 16; i++, block >>= 2) {
            uint64_t message = ((uint64_t)(block & 3u) << delta) - offset;
            *words++ += (uint64_t)(int64_t)*errors++ + message;
        }
    }
}

static void add_errors_only(void *words, const int32_t *errors, const isopod_tfhe_params *params) {
    for (uint32_t i = 0; i < ISOPOD_ERROR_GROUP; i++) {
        if (params->log2_modulus == 32) {
            ((uint32_t *)words)[i] += (uint32_t)errors[i];
        } else {
            ((uint64_t *)words)[i] += (uint64_t)(int64_t)errors[i];
        }
    }
}

static void add_group(void *words, const int32_t *errors, const uint32_t *blocks,
                      const isopod_tfhe_params *params) {
    if (blocks == NULL) {
        add_errors_only(words, errors, params);
    } else if (params->log2_modulus == 32) {
        add32(words, errors, blocks, params);
    } else {
        add64(words, errors, blocks, params);
    }
}

/* Chooses the place of errors: random words that are no longer needed, for Gaussians their own. */
static int32_t *errors_of(uint32_t *room, uint32_t *random, const isopod_tfhe_params *params) {
    if (params->tuniform == 0) {
        isopod_error_gaussian((int32_t *)random, random);
        return (int32_t *)random;
    }
    isopod_error_tuniform((int32_t *)room, params->tuniform, random);
    return (int32_t *)room;
}

void isopod_errors_add(void *words, uint32_t *random, uint32_t groups, const uint32_t *blocks,
                       const isopod_tfhe_params *params) {
#if ISOPOD_TAKES(ERROR)
    if (isopod_native_errors_add(words, random, groups, blocks, params)) {
        return;
    }
#endif
    uint32_t *drawn = random + isopod_errors_room(params);
    uint8_t *at = words;
    for (; groups > 0; groups--) {
        add_group(at, errors_of(random, drawn, params), blocks, params);
        drawn += params->tuniform != 0 ? params->tuniform + 2u : ISOPOD_GAUSSIAN_WORDS;
        if (blocks != NULL) {
            blocks += 2;
        }
        at += ISOPOD_ERROR_GROUP * (params->log2_modulus / 8u);
    }
}
