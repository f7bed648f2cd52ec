/* The decoders of results of 32-bit primes at n = 1024: one to three primes, residues of any
 * contents, claims of fixed scales and shapes with any bound that the checks let pass, to values of
 * every type. */
// sources: schemes/decode_lean.c schemes/decode_mixed.c schemes/decode_coefficients.c
// sources: schemes/decode_reals.c schemes/claim.c schemes/bfv_decode.c schemes/bfv_decode32.c
// sources: schemes/plain_modulus.c encode/decode base/parameters.c base/parameter_sets.c
// stubs: primitives.c ring_stub.c decode_stub.c
// mains: lean mixed mixed_long coefficients integers
// options: -eva-slevel 60 -eva-slevel-merge-after-loop @all -eva-auto-loop-unroll 64
// options: -eva-slevel-function decode:2000
// options: -eva-slevel-function isopod_bfv_write:200 -eva-slevel-function write_slots:200
// options: -eva-split-return full -eva-use-spec isopod_reduce
#include "claims.h"

/* Three primes of 28 to 30 bits, of a set of BFV, as a set of CKKS. */
static isopod_params three_primes(void) {
    isopod_params params = isopod_bfv_4096x3_owners;
    params.log2_ring_degree = 10;
    params.plain = NULL;
    return params;
}

/* The take of decoders is not called here. */
void isopod_decrypt_take(isopod_decrypt *context, const uint8_t *packed, uint32_t groups) {}
void isopod_decrypt_take_rounded(isopod_decrypt *context, const isopod_rounded_answers *answers) {}

/* Shape number `shape`, and scales whose mantissa is zero or any other. */
static void reals(asked of, isopod_value_type type, uint32_t shape) {
    of.type = type;
    decode(&of, shape, 0);
    of.most--;
    decode(&of, shape, Frama_C_unsigned_long_long_interval(1, ((uint64_t)1 << 52) - 1u));
}

void lean(void) {
    const asked small = {
        &isopod_ckks_decode_lean, &isopod_ckks_1024x1_sum, ISOPOD_SLOTS, 1, 20, -20, 4};
    reals(small, ISOPOD_VALUES_FLOAT32, 0);
    reals(small, ISOPOD_VALUES_FLOAT64, 1);
    reals(small, ISOPOD_VALUES_INT32, 2);
    reals(small, ISOPOD_VALUES_INT64, 3);
}

void mixed(void) {
    const isopod_params three = three_primes();
    asked of = {&isopod_ckks_decode, &three, ISOPOD_SLOTS, 3, 20, -20, 8};
    of.type = ISOPOD_VALUES_FLOAT32;
    decode(&of, 0, 0);
    of.primes = 2;
    decode(&of, 1, 0);
    of.primes = 1;
    decode(&of, 2, 0);
}

void mixed_long(void) {
    const isopod_params three = three_primes();
    asked of = {&isopod_ckks_decode, &three, ISOPOD_SLOTS, 3, 40, -11, 36};
    of.type = ISOPOD_VALUES_FLOAT64;
    decode(&of, 0, 0);
    of.primes = 2;
    of.most = 10;
    of.type = ISOPOD_VALUES_INT64;
    decode(&of, 3, 0);
}

void coefficients(void) {
    const isopod_params three = three_primes();
    asked of = {
        &isopod_ckks_decode_coefficients, &three, ISOPOD_COEFFICIENTS_ROUNDED, 1, 20, -20, 4};
    reals(of, ISOPOD_VALUES_FLOAT32, 0);
    reals(of, ISOPOD_VALUES_FLOAT64, 1);
    of.primes = 2;
    of.most = 30;
    reals(of, ISOPOD_VALUES_INT32, 2);
    reals(of, ISOPOD_VALUES_INT64, 3);
}

void integers(void) {
    isopod_params params = isopod_bfv_4096x3_owners;
    params.log2_ring_degree = 10;
    asked of = {&isopod_bfv_decode, &params, ISOPOD_SLOTS, 3, 0, 0, 0, ISOPOD_VALUES_INT32};
    decode(&of, 0, 0);
    of.type = ISOPOD_VALUES_UINT32;
    of.layout = ISOPOD_COEFFICIENTS;
    decode(&of, 1, 0);
    of.layout = ISOPOD_COEFFICIENTS_ROUNDED;
    decode(&of, 2, 0);
}
