/* The parts of encryption into rounded coefficients (spec/coefficients.md): the interfaces of a
 * scheme and of a method, and the memory that both use. */
#ifndef ISOPOD_SRC_ROUNDED_H
#define ISOPOD_SRC_ROUNDED_H

#include "isopod/rounded.h"
#include "method.h"
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
    uint32_t kept;       /* bits of a coefficient of the polynomial that leaves, */
    uint32_t dropped;    /* and bits that it loses */
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
    return context->encryption.config->workspace;
}

/* Polynomial number `index` of the workspace. */
static inline isopod_word *isopod_rounded_polynomial(const isopod_rounded *context,
                                                     uint32_t index) {
    uint8_t *start = context->encryption.config->workspace;
    return (isopod_word *)(void *)(start + ISOPOD_ROUNDED_STATE_BYTES) +
           ((size_t)index << context->encryption.config->params->log2_ring_degree);
}

isopod_status isopod_rounded_begin(isopod_rounded *context, const isopod_encryption_config *config,
                                   const isopod_value_source *source,
                                   const struct isopod_rounded_scheme *scheme);

/* q and its inverse for loops of products. The inverse passes the barrier, after which no compiler
 * negates it in every turn. */
typedef struct {
    int32_t modulus;
    uint32_t inverse;
} isopod_multiplier;

static inline isopod_multiplier isopod_multiplier_of(const isopod_prime *prime) {
    isopod_multiplier by = {(int32_t)prime->modulus,
                            isopod_ct_barrier(0u - prime->negative_inverse)};
    return by;
}

/* isopod_redc of a*b. */
static inline int32_t isopod_multiply(int32_t a, int32_t b, const isopod_multiplier *by) {
    int64_t product = (int64_t)a * b;
    int32_t multiple = (int32_t)((uint32_t)product * by->inverse);
    return (int32_t)(product >> 32) - (int32_t)((int64_t)multiple * by->modulus >> 32);
}

/* x = a * key, |x| <= q, for |a| < 2q and a canonical key in Montgomery form; x may be a. */
void isopod_rounded_multiply(isopod_word *x, const isopod_word *a, const isopod_residue *key,
                             const isopod_ntt *ntt);
/* x = mask * key, |x| < q; x may be the key. */
void isopod_rounded_multiply_mask(isopod_word *x, isopod_mask *mask, const isopod_residue *key,
                                  const isopod_ntt *ntt);

/* Appends `count` coefficients of the block from number `first` on, each with its message, which is
 * overwritten, and its error, and after the last one zeros up to a whole byte. */
void isopod_rounded_put(const isopod_rounded *context, int64_t *message, uint32_t first,
                        uint32_t count);
void isopod_rounded_put_end(isopod_rounded_state *state);

/* q, and its bits. */
uint64_t isopod_rounded_modulus(const isopod_encryption_config *config);
uint32_t isopod_rounded_modulus_bits(const isopod_encryption_config *config);

/* Places from row to row, and coefficients sent of each row. */
uint32_t isopod_rounded_stride(const isopod_rounded *context);
uint32_t isopod_rounded_run(const isopod_rounded *context);

/* A value of 16 bits as one of 32, number 0 of the result, in *wide; others as they are. */
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
