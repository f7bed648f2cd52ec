/* The decoder of CKKS results of sets of 64-bit primes (spec/decryption.md, section 2): Chinese
 * remainders in mixed radix, in integers of 192 bits. */
#define ISOPOD_WORD_BITS 64
#include "decode_reals.h"
#include "../encode/decode/integer192.h"
#include "../base/workspace.h"
#include "../base/memory.h"
#include "../ring/power.h"
#include "../encode/decode/folding64.h"

static int64_t inverse_of(uint64_t value, const isopod_prime64 *prime) {
    int64_t base = isopod_to_montgomery(value, prime);
    return isopod_centred(isopod_montgomery_power(base, prime->modulus - 2u, prime), prime);
}

/* (Q + 1) / 2 */
static isopod_integer192 half_of(isopod_integer192 modulus) {
    isopod_integer192 one = isopod_power192(0), next = isopod_add192(modulus, one);
    isopod_integer192 half = {
        {isopod_bits192(next, 1), isopod_bits192(next, 65), next.words[2] >> 1}};
    return half;
}

static isopod64_remainders remainders_of(const isopod_prime64 *primes, uint32_t count) {
    isopod64_remainders of = {.primes = primes, .count = count};
    uint64_t upper[2] = {1, 0};
    if (count > 1) {
        of.first_in_second = inverse_of(primes[0].modulus, &primes[1]);
        upper[0] = primes[1].modulus;
    }
    if (count > 2) {
        of.second_in_third = inverse_of(primes[1].modulus, &primes[2]);
        of.both_in_third =
            isopod_centred(isopod_montgomery(inverse_of(primes[0].modulus, &primes[2]),
                                             of.second_in_third, &primes[2]),
                           &primes[2]);
        isopod_product64 product =
            isopod_multiply64((int64_t)primes[1].modulus, (int64_t)primes[2].modulus);
        upper[0] = product.low;
        upper[1] = (uint64_t)product.high;
    }
    of.modulus = isopod_multiply_add192(upper, primes[0].modulus, 0);
    of.half = half_of(of.modulus);
    return of;
}

static isopod64_scaling scaling_of(int32_t magnitude, int32_t bits) {
    static const isopod_integer192 zero = {{0, 0, 0}};
    int32_t left = bits - 1 - magnitude;
    isopod64_scaling by = {isopod_power192((uint32_t)magnitude + 2u),
                           isopod_subtract192(zero, isopod_power192((uint32_t)magnitude + 3u)),
                           zero, left > 0 ? (uint32_t)left : 0, left < 0 ? (uint32_t)-left : 0};
    if (by.down > 0) {
        by.to_even = isopod_subtract192(isopod_power192(by.down - 1u), isopod_power192(0));
    }
    return by;
}

static uint32_t fold(int64_t *x, const isopod_decoding *decoding, const isopod_prime64 *primes,
                     uint32_t count) {
    uint32_t has_words32 = decoding->magnitude <= ISOPOD_DECODE32_LIMIT;
    const isopod64_folding by = {
        decoding->n, has_words32, remainders_of(primes, count),
        scaling_of(decoding->magnitude, has_words32 ? ISOPOD_DECODE32_BITS : ISOPOD_DECODE64_BITS)};
    uint64_t seen = isopod64_fold(x, &by);
    uint32_t refused = (uint32_t)(seen >> 32) | (uint32_t)seen;
    ISOPOD_DECLASSIFY(refused);
    if (refused != 0) {
        isopod_wipe(x, (size_t)4 * decoding->n);
    }
    return refused;
}

/* Words of the transform lie in the second half of the first polynomial. */
static uint32_t decode(const isopod_decrypt *context, const isopod_decoded *out) {
    const isopod_decrypt_config *config = context->config;
    isopod_decoding decoding = isopod_reals_decoding(context);
    isopod_slots slots = isopod_reals_slots(context, out->type);
    int64_t *x = isopod_workspace_room(context->workspace), *words = x + decoding.n / 2;
    uint32_t refused = fold(x, &decoding, config->params->primes64, context->claim.primes);
    if (decoding.magnitude <= ISOPOD_DECODE32_LIMIT) {
        return refused |
               isopod_reals_finish32(context, out, (int32_t *)(void *)words, (int32_t *)(void *)x);
    }
    refused |= isopod_decode64_whole(words, x, config->tables->cosine64, decoding.n);
    isopod_slots64(out->data, words, &slots);
    isopod_wipe_shallow_stack(); /* in this frame, since decoding 64-bit words needs much stack */
    return refused;
}

const isopod_decoder isopod64_ckks_decode = {.word_bytes = 8,
                                             .check = isopod_reals_check,
                                             .check_type = isopod_reals_check_type,
                                             .take = isopod64_decrypt_take,
                                             .decode = decode};
