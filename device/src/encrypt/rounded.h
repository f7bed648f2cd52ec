/* The parts of encryption into rounded coefficients (spec/coefficients.md): the interfaces of a
 * scheme and of a method, and the memory that both use. */
#ifndef ISOPOD_SRC_ROUNDED_H
#define ISOPOD_SRC_ROUNDED_H

#include "isopod/rounded.h"
#include "linear_method.h"
#include "method.h"
#include "../base/workspace.h"
#include "../ring/montgomery.h"
#include "../ring/pointwise.h"

#define ISOPOD_ROUNDED_BLOCK 64u /* coefficients that leave at once, at most 60 bits each */

/* The beginning of the workspace; the polynomials follow, one for each prime. */
typedef struct {
    isopod_stream noise;
    isopod_noise_key key;
    uint64_t modulus;    /* q */
    uint64_t factor;     /* BFV: floor(q / t) */
    uint32_t remainder;  /* BFV: q mod t */
    isopod_word inverse; /* q_0^-1 modulo q_1 in Montgomery form */
    uint32_t sampled;    /* coefficients whose noise has left the stream */
    uint32_t word;       /* bits that wait for a whole word, */
    uint32_t held;       /* and their number */
    uint32_t length;     /* bytes of the piece */
    isopod_linear_sum linear;
    uint32_t kept;    /* bits of a coefficient of the polynomial that leaves, */
    uint32_t dropped; /* and bits that it loses */
    _Alignas(4) int8_t error[ISOPOD_ROUNDED_BLOCK];
    uint32_t piece[ISOPOD_ROUNDED_BLOCK * 60u / 32u + 1u];
} isopod_rounded_state;

struct isopod_rounded_scheme {
    struct isopod_scheme scheme; /* kinds, check and bound */
    /* Checks type and range of values, some or all of the source. */
    isopod_status (*check_values)(const isopod_encryption_config *config, int8_t log2_unit,
                                  const isopod_values *values);
    /* The messages of `count` valid values from number `first` on, centred: |m| <= q/2. */
    void (*messages)(const isopod_rounded *context, const isopod_values *values, uint32_t first,
                     uint32_t count, int64_t *out);
    /* Returns the factor that turns the source's values into messages, if they have 16 bits and
     * such a factor exists; otherwise 0. NULL: there is none. */
    int32_t (*factor)(const isopod_rounded *context);
};

struct isopod_rounded_method {
    uint8_t components;
    uint8_t first_kind; /* key kinds that it takes: this and the next */
    size_t (*workspace_bytes)(const isopod_encryption_config *config);
    /* Samples u; NULL where there is none. */
    void (*sample)(const isopod_rounded *context);
    /* Computes c0, or c1 where the component says so, without message and noise, in NTT form modulo
     * the encryption's prime: canonical residues. */
    void (*product)(isopod_rounded *context, isopod_word *x, const isopod_ntt *ntt);
};

static inline isopod_rounded_state *isopod_rounded_state_of(const isopod_rounded *context) {
    return isopod_workspace_room(&context->encryption.encryptor->workspace);
}

/* Polynomial number `index` of the workspace. */
static inline isopod_word *isopod_rounded_polynomial(const isopod_rounded *context,
                                                     uint32_t index) {
    uint8_t *start = isopod_workspace_room(&context->encryption.encryptor->workspace);
    return (isopod_word *)(void *)(start + ISOPOD_ROUNDED_STATE_BYTES) +
           ((size_t)index << context->encryption.config->params->log2_ring_degree);
}

isopod_status isopod_rounded_begin(isopod_rounded *context, const isopod_encryption_config *config,
                                   const isopod_encryptor *encryptor,
                                   const isopod_value_source *source,
                                   const struct isopod_rounded_scheme *scheme);

/* x = a * key, |x| <= q, for |a| < 2q and a canonical key in Montgomery form; count is a multiple
 * of four, not zero; x may be a. */
void isopod_rounded_multiply(isopod_word *x, const isopod_word *a, const isopod_residue *key,
                             uint32_t count, const isopod_prime *prime);
/* x = mask * key, |x| < q; x may be the key. */
void isopod_rounded_multiply_mask(isopod_word *x, isopod_mask *mask, const isopod_residue *key,
                                  const isopod_ntt *ntt);

/* Coefficients of the block from number `first` on. */
typedef struct {
    int64_t *message; /* of each; overwritten */
    uint32_t first, count;
    const int16_t *numbers; /* NULL, or instead of messages, modulo one prime: numbers, and */
    int32_t factor;         /* the factor that makes them messages */
} isopod_rounded_piece;

/* Appends coefficients, each with its message and its error, and after the last one zeros up to a
 * whole byte. */
void isopod_rounded_put(const isopod_rounded *context, const isopod_rounded_piece *piece);
void isopod_rounded_put_end(isopod_rounded_state *state);

/* The place for the next whole word, and the bits that wait for it. Assembly of backends reads this
 * struct and the next three. */
typedef struct {
    uint32_t *out;
    uint32_t word, held;
} isopod_rounded_bits;

/* Coefficients modulo one prime. The sum is x + factor * value + error + before, |sum| < 2^31. Its
 * canonical residue plus `after` loses its lowest bits. */
typedef struct {
    const isopod_word *x;
    const void *values; /* int16_t, or int64_t whose low word counts */
    const int8_t *error;
    uint32_t modulus, barrett;
    int32_t factor;
    uint32_t after;
    uint32_t dropped, kept; /* kept <= 30 */
    int32_t before;
    const isopod_word *end; /* of x; not its beginning */
    uint32_t is_short;      /* values of 16 bits */
} isopod_rounded_one;

void isopod_rounded_put_one(isopod_rounded_bits *bits, const isopod_rounded_one *of);

/* Coefficients modulo two primes, |x| < q_0, |y| < q_1: x + q_0 * ((y-x) * inverse mod q_1) +
 * error - least_beyond is added to the messages. */
typedef struct {
    const isopod_word *x, *y;
    int64_t *message;
    const int8_t *error;
    int32_t first, second; /* q_0, q_1 */
    uint32_t negative_inverse;
    isopod_word inverse; /* of q_0, in Montgomery form */
    int64_t least_beyond;
    const isopod_word *end; /* of x; not its beginning */
} isopod_rounded_join_of;

void isopod_rounded_join(const isopod_rounded_join_of *of);

/* Sums in [-2q, q), q < 2^60. The representative in [0, q), plus `after`, loses its lowest bits. */
typedef struct {
    const int64_t *sums;
    uint64_t modulus;
    uint32_t after;
    uint32_t dropped, kept;
    const int64_t *end; /* of sums; not their beginning */
} isopod_rounded_two;

void isopod_rounded_put_two(isopod_rounded_bits *bits, const isopod_rounded_two *of);

/* q, and its bits. */
uint64_t isopod_rounded_modulus(const isopod_encryption_config *config);
uint32_t isopod_rounded_modulus_bits(const isopod_encryption_config *config);

/* Places from row to row, values and coefficients sent of each row, and all coefficients of the
 * polynomial up to the last one that is sent. */
uint32_t isopod_rounded_stride(const isopod_rounded *context);
uint32_t isopod_rounded_columns(const isopod_rounded *context);
uint32_t isopod_rounded_run(const isopod_rounded *context);
uint32_t isopod_rounded_reach(const isopod_rounded *context);

/* The shape of the part; `encryption` is that of an isopod_rounded. */
isopod_part_shape isopod_rounded_shape(const isopod_encryption *encryption);

/* Bits of a coefficient that are sent. */
uint32_t isopod_rounded_kept_bits(const isopod_rounded *context, uint32_t component);

/* Widens a value of 16 bits to 32 in *wide, number 0 of the result; leaves others as they are. */
static inline isopod_values isopod_widened(const isopod_values *values, uint32_t *index,
                                           int32_t *wide) {
    isopod_values one = *values;
    if (values->type == ISOPOD_VALUES_INT16) {
        *wide = ((const int16_t *)values->data)[*index];
        one.data = wide;
        one.type = ISOPOD_VALUES_INT32;
        *index = 0;
    }
    return one;
}

#endif
