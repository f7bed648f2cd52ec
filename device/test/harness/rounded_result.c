#include "rounded_result.h"

#include "../../src/base/memory.h"
#include "../../src/base/parameters.h"
#include "../../src/ring/inverse_ntt.h"
#include "../../src/ring/power.h"
#include "../../src/wire/cbor.h"
#include "check.h"
#include "result_residues.h"

/* To the nearest integer, ties to even, for |value| < 2^62. */
static int64_t nearest(double value) {
    int64_t whole = (int64_t)value;
    double rest = value - (double)whole;
    int64_t away = value < 0 ? -1 : 1;
    double size = rest < 0 ? -rest : rest;
    return size > 0.5 || (size == 0.5 && (whole & 1) != 0) ? whole + away : whole;
}

void rounded_words(const fixture *set, const result_input *input, int64_t *words) {
    const isopod_values values = vector_numbers("f32", set->n, input->log2_bound);
    union {
        uint64_t bits;
        double value;
    } scale = {input->claim.scale};
    for (uint32_t i = 0; i < set->n; i++) {
        words[i] = nearest((double)((const float *)values.data)[i] * scale.value);
    }
}

/* Canonical coefficients of residues in NTT order. */
static void transform_back(uint32_t *x, const isopod_ntt *ntt) {
    isopod_inverse_ntt((isopod_word *)x, ntt, isopod_inverse_ntt_factor(ntt));
    for (uint32_t i = 0; i < ntt->length; i++) {
        x[i] = isopod_canonical((isopod_word)x[i], ntt->prime);
    }
}

/* The number below the product of both primes. */
static uint64_t combined(uint32_t x, uint32_t y, const isopod_prime *primes) {
    const isopod_prime *second = &primes[1];
    isopod_word inverse = isopod_montgomery_power(isopod_to_montgomery(primes[0].modulus, second),
                                                  second->modulus - 2u, second);
    isopod_word digit = isopod_montgomery((isopod_word)y - (isopod_word)x, inverse, second);
    return (uint64_t)isopod_canonical(digit, second) * primes[0].modulus + x;
}

typedef struct {
    uint8_t *out;
    uint64_t modulus;
    uint32_t dropped, kept, at; /* bits written */
} packer;

static void pack(packer *to, uint64_t coefficient) {
    uint64_t value = (coefficient + ((uint64_t)1 << to->dropped >> 1)) >> to->dropped;
    value = value << to->dropped >= to->modulus ? 0 : value;
    for (uint32_t b = 0; b < to->kept; b++, to->at++) {
        to->out[to->at / 8] = (uint8_t)((to->at % 8 == 0 ? 0 : to->out[to->at / 8]) |
                                        (value >> b & 1u) << to->at % 8);
    }
}

/* Coefficients of c0 or c1, one array for each prime. */
static uint64_t coefficient(const fixture *set, uint32_t *const x[2], uint32_t primes, uint32_t i) {
    return primes == 1 ? x[0][i] : combined(x[0][i], x[1][i], set->params->primes);
}

static packer packer_of(const fixture *set, const result_input *input, uint32_t component,
                        uint8_t *out) {
    uint32_t primes = input->claim.primes, dropped = input->dropped[component];
    packer to = {out, isopod_parameters_product(set->params, primes), dropped,
                 isopod_parameters_product_bits(set->params, primes) - dropped, 0};
    return to;
}

uint8_t *rounded_answers(const fixture *set, const result_input *input, const int64_t *words,
                         uint8_t *at) {
    const isopod_claim *claim = &input->claim;
    const result_message message = {words, 0};
    uint32_t *x[2][2], refill = 0, count = claim->rows * claim->columns;
    for (uint8_t j = 0; j < claim->primes; j++) {
        const isopod_ntt ntt = isopod_ntt_of(set->params, &set->tables, j);
        x[0][j] = check_memory((size_t)4 * set->n);
        x[1][j] = check_memory((size_t)4 * set->n);
        result_polynomials(set, &message, j, &refill, x[0][j], x[1][j]);
        transform_back(x[0][j], &ntt);
        transform_back(x[1][j], &ntt);
    }
    for (uint32_t c = 0; c < 2; c++) {
        packer to = packer_of(set, input, c, at);
        uint32_t length = c == 0 ? count : set->n;
        to.out = isopod_cbor_head(at, ISOPOD_CBOR_BYTES, (length * to.kept + 7) / 8);
        for (uint32_t i = 0; i < length; i++) {
            uint32_t row = i / claim->columns * claim->stride + claim->first;
            uint32_t place = c == 0 ? row + i % claim->columns : i;
            pack(&to, coefficient(set, x[c], claim->primes, place));
        }
        at = to.out + (length * to.kept + 7) / 8;
    }
    return at;
}
