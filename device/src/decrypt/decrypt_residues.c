/* The residues of a result modulo one prime: unpacked, multiplied by the key, transformed back
 * (spec/decryption.md, section 1). Constant time with respect to the key. */
#include "decrypt.h"
#include "../ring/inverse_ntt.h"
#include "../base/workspace.h"
#include "../base/memory.h"
#include "../base/parameters.h"
#include "../ring/pointwise.h"
#include "../ring/polynomial.h"
#include "../ring/power.h"
#include "../ring/unpack.h"

static isopod_ntt residues_ntt(const isopod_decrypt *context) {
    return isopod_ntt_of(context->config->params, context->config->tables, context->prime);
}

/* -NTT(s) of the current prime of c1, in Montgomery form. It lies in the blob, or is transformed
 * behind the polynomials of the workspace when the prime begins. */
static const isopod_residue *key_of(const isopod_decrypt *context, const isopod_ntt *ntt,
                                    isopod_word *after) {
    const isopod_key *key = context->config->key;
    const void *payload = key->blob + ISOPOD_KEY_HEADER_BYTES / 4;
    if (key->kind == ISOPOD_KEY_SECRET_NTT) {
        return (const isopod_residue *)payload + (size_t)ntt->length * context->prime;
    }
    if (context->position == 0) {
        isopod_polynomial secret = {
            isopod_load_ternary, payload,     NULL,
            ntt->prime,          ntt->length, -isopod_montgomery_one(ntt->prime)};
        isopod_polynomial_ntt(after, &secret, ntt);
        isopod_canonical_all(after, ntt->length, ntt->prime);
    }
    return (const isopod_residue *)after;
}

/* The multiplier divided by the product of the other primes of the result, in Montgomery form. */
static isopod_word scaling_of(const isopod_decrypt *context, const isopod_word_prime *prime) {
    const isopod_params *params = context->config->params;
    uint32_t multiplier = context->config->decoder->multiplier(params);
    isopod_word others = isopod_montgomery_one(prime);
    for (uint32_t j = 0; j < context->claim.primes; j++) {
        if (j != context->prime) {
            isopod_residue other = isopod_word_prime_of(params, j)->modulus;
            others = isopod_montgomery(others, isopod_to_montgomery(other, prime), prime);
        }
    }
    isopod_word inverse = isopod_montgomery_power(others, prime->modulus - 2u, prime);
    return isopod_montgomery(inverse, isopod_to_montgomery(multiplier, prime), prime);
}

/* x is -(c0 + c1*s), complete. */
static void finish(const isopod_decrypt *context, isopod_word *x, const isopod_ntt *ntt) {
    isopod_word factor = isopod_inverse_ntt_factor(ntt);
    if (context->over >> 31 != 0) {
        isopod_wipe(x, sizeof *x * ntt->length);
    }
    if (context->config->decoder->multiplier != NULL) {
        factor = isopod_montgomery(factor, scaling_of(context, ntt->prime), ntt->prime);
        factor = isopod_centred(factor, ntt->prime);
    }
    isopod_inverse_ntt(x, ntt, -factor);
}

void isopod_decrypt_take(isopod_decrypt *context, const uint8_t *packed, uint32_t groups) {
    const isopod_ntt ntt = residues_ntt(context);
    uint32_t n = ntt.length, at = context->position, count = groups * ISOPOD_UNPACK_GROUP;
    isopod_word *words = isopod_workspace_room(context->workspace);
    isopod_word *x = words + (size_t)n * context->prime;
    if (context->component == 0) {
        context->over |= isopod_unpack(x + at, packed, count, ntt.prime);
    } else {
        const isopod_residue *key =
            key_of(context, &ntt, words + (size_t)n * context->claim.primes);
        context->over |= isopod_unpack_multiply(x + at, packed, key + at, count, ntt.prime);
    }
    context->position += count;
    if (context->position == n && context->component == 1) {
        finish(context, x, &ntt);
    }
}

#if ISOPOD_WORD_BITS == 32
/* One polynomial whose coefficients travel rounded. */
typedef struct {
    const uint8_t *bytes;
    uint32_t kept, dropped;
    uint64_t modulus;
} rounded_side;

static rounded_side side_of(const isopod_decrypt *context, const uint8_t *bytes, uint32_t dropped) {
    const isopod_params *params = context->config->params;
    uint32_t primes = context->claim.primes;
    rounded_side side = {bytes, isopod_parameters_product_bits(params, primes) - dropped, dropped,
                         isopod_parameters_product(params, primes)};
    return side;
}

/* Coefficient `index` modulo a prime: below 2^60 it is reduced within 2^28 + q/2, then within q.
 * The top bit of *over is set if it is not below the modulus. */
static int32_t rounded_at(const rounded_side *side, uint32_t index, const isopod_prime *prime,
                          uint32_t *over) {
    uint32_t first = index * side->kept, held = 8u - first % 8u;
    const uint8_t *at = side->bytes + first / 8u;
    uint64_t value = (uint64_t)*at++ >> first % 8u;
    for (; held < side->kept; held += 8u) {
        value |= (uint64_t)*at++ << held;
    }
    value = (value & (((uint64_t)1 << side->kept) - 1u)) << side->dropped;
    *over |= (uint32_t)((side->modulus - 1u - value) >> 32);
    return isopod_montgomery(isopod_redc((int64_t)value, prime), (int32_t)prime->montgomery_square,
                             prime);
}

/* x = c1 * s, or with a multiplier its part of t*y. */
static void multiply_rounded(isopod_decrypt *context, isopod_word *x, const rounded_side *c1) {
    const isopod_ntt ntt = residues_ntt(context);
    isopod_word *words = isopod_workspace_room(context->workspace);
    isopod_word *after = words + (size_t)ntt.length * context->claim.primes;
    for (uint32_t i = 0; i < ntt.length; i++) {
        x[i] = rounded_at(c1, i, ntt.prime, &context->over);
    }
    isopod_ntt_layers(x, &ntt);
    const isopod_residue *key = key_of(context, &ntt, after);
    for (uint32_t i = 0; i < ntt.length; i++) {
        x[i] = isopod_montgomery(x[i], (isopod_word)key[i], ntt.prime);
    }
    finish(context, x, &ntt);
}

/* Adds c0 at the places of the answers. */
static void add_rounded(isopod_decrypt *context, isopod_word *x, const rounded_side *c0) {
    const isopod_claim *claim = &context->claim;
    const isopod_prime *prime = &context->config->params->primes[context->prime];
    isopod_word scaling = context->config->decoder->multiplier != NULL
                              ? scaling_of(context, prime)
                              : isopod_montgomery_one(prime);
    for (uint32_t row = 0, index = 0; row < claim->rows; row++) {
        isopod_word *at = x + claim->first + (size_t)row * claim->stride;
        for (uint32_t column = 0; column < claim->columns; column++) {
            isopod_word value = rounded_at(c0, index++, prime, &context->over);
            value = isopod_montgomery(value, scaling, prime);
            at[column] = isopod_reduce(at[column] + value, prime);
        }
    }
}

void isopod_decrypt_take_rounded(isopod_decrypt *context, const isopod_rounded_answers *answers) {
    const rounded_side c0 = side_of(context, answers->c0, answers->dropped[0]);
    const rounded_side c1 = side_of(context, answers->c1, answers->dropped[1]);
    isopod_word *x = isopod_workspace_room(context->workspace);
    for (context->prime = 0; context->prime < context->claim.primes; context->prime++) {
        multiply_rounded(context, x, &c1);
        add_rounded(context, x, &c0);
        x += (size_t)1 << context->config->params->log2_ring_degree;
    }
}
#endif
