/* The decoder of CKKS results of sets of 32-bit primes (spec/decryption.md, section 2): Chinese
 * remainders in mixed radix, in integers of at most 96 bits. */
#include "decode_reals.h"
#include "../base/workspace.h"
#include "../base/memory.h"
#include "../ring/power.h"

/* high * 2^32 + low */
typedef struct {
    int64_t high;
    uint32_t low;
} integer96;

/*@ requires -0x3fffffffffffffff <= a.high <= 0x3fffffffffffffff &&
             -0x3fffffffffffffff <= high <= 0x3fffffffffffffff;
    assigns \nothing;
    ensures \result.high * 0x100000000 + \result.low ==
            (a.high + high) * 0x100000000 + a.low + low; */
static inline integer96 add(integer96 a, int64_t high, uint32_t low) {
    uint64_t sum = (uint64_t)a.low + low;
    integer96 total = {a.high + high + (int64_t)(sum >> 32), (uint32_t)sum};
    return total;
}

/*@ requires -0x3fffffffffffffff <= a.high <= 0x3fffffffffffffff &&
             -0x3fffffffffffffff <= b.high <= 0x3fffffffffffffff;
    assigns \nothing;
    ensures \result.high * 0x100000000 + \result.low ==
            (a.high - b.high) * 0x100000000 + a.low - b.low; */
static inline integer96 subtract(integer96 a, integer96 b) {
    int64_t difference = (int64_t)a.low - b.low;
    integer96 rest = {a.high - b.high + (difference >> 32), (uint32_t)difference};
    return rest;
}

/* a * b + c, 0 <= b, c < 2^30, 0 <= a < 2^60 */
static inline integer96 multiply_add(uint64_t a, uint32_t b, uint32_t c) {
    uint64_t low = (uint64_t)(uint32_t)a * b + c;
    integer96 product = {(int64_t)((a >> 32) * b + (low >> 32)), (uint32_t)low};
    return product;
}

/* An absent prime counts as 1, so that its digit is 0. Inverses are in Montgomery form. */
typedef struct {
    const isopod_prime *primes;
    uint32_t count;
    int32_t first_in_second, first_in_third, second_in_third;
    integer96 modulus; /* Q */
    integer96 half;    /* (Q + 1) / 2 */
} remainders;

/* value^-1 = value^(q-2) modulo q, in Montgomery form. Public. */
static int32_t inverse_of(uint32_t value, const isopod_prime *prime) {
    return isopod_montgomery_power(isopod_to_montgomery(value, prime), prime->modulus - 2u, prime);
}

static remainders remainders_of(const isopod_prime *primes, uint32_t count) {
    remainders of = {primes, count, 0, 0, 0, {0, 0}, {0, 0}};
    uint64_t upper = 1;
    if (count > 1) {
        of.first_in_second = inverse_of(primes[0].modulus, &primes[1]);
        upper = primes[1].modulus;
    }
    if (count > 2) {
        of.first_in_third = inverse_of(primes[0].modulus, &primes[2]);
        of.second_in_third = inverse_of(primes[1].modulus, &primes[2]);
        upper *= primes[2].modulus;
    }
    of.modulus = multiply_add(upper, primes[0].modulus, 0);
    integer96 next = add(of.modulus, 0, 1);
    of.half.high = next.high >> 1;
    of.half.low = next.low >> 1 | (uint32_t)next.high << 31;
    return of;
}

/* Combines coefficient k of all polynomials to the integer in (-Q/2, Q/2]. Digits of the mixed
 * radix are canonical; products of differences below 2^31 reduce to less than q. */
static inline integer96 coefficient(const int32_t *x, uint32_t n, uint32_t k,
                                    const remainders *of) {
    uint64_t upper = 0;
    int32_t first = (int32_t)isopod_canonical(x[k], &of->primes[0]);
    if (of->count > 1) {
        const isopod_prime *second = &of->primes[1];
        upper = isopod_canonical(isopod_montgomery(x[n + k] - first, of->first_in_second, second),
                                 second);
    }
    if (of->count > 2) {
        const isopod_prime *third = &of->primes[2];
        int32_t rest = isopod_montgomery(x[2 * (size_t)n + k] - first, of->first_in_third, third);
        rest = isopod_montgomery(rest - (int32_t)upper, of->second_in_third, third);
        upper += (uint64_t)of->primes[1].modulus * isopod_canonical(rest, third);
    }
    integer96 value = multiply_add(upper, of->primes[0].modulus, (uint32_t)first);
    integer96 beyond = subtract(value, of->half);
    uint64_t keep = isopod_ct_mask64(~isopod_ct_negative((int32_t)(beyond.high >> 32)));
    integer96 excess = {(int64_t)((uint64_t)of->modulus.high & keep),
                        of->modulus.low & (uint32_t)keep};
    return subtract(value, excess);
}

/* d >> by, 0 <= by < 32 */
static inline int64_t shift_down(integer96 d, uint32_t by) {
    uint32_t middle = (uint32_t)d.high, top = (uint32_t)((uint64_t)d.high >> 32);
    uint32_t low = d.low >> by | middle << 1 << (31u - by);
    uint32_t high = middle >> by | top << 1 << (31u - by);
    return (int64_t)((uint64_t)high << 32 | low);
}

static inline integer96 power_of_two(uint32_t bit) {
    integer96 power = {bit < 32 ? 0 : (int64_t)1 << (bit - 32), bit < 32 ? UINT32_C(1) << bit : 0};
    return power;
}

/* Zero if -limit <= d < limit = 2^(bits - 1). */
static inline uint32_t beyond(integer96 d, integer96 limit, uint32_t bits) {
    //@ split bits < 32;
    integer96 raised = add(d, limit.high, limit.low);
    uint32_t within = isopod_ct_negative((int32_t)bits - 32);
    uint64_t above = isopod_ct_shift_right((uint64_t)raised.high, (bits - 32u) & ~within) |
                     (raised.low >> (bits & 31u) & within);
    return (uint32_t)(above >> 32) | (uint32_t)above;
}

/* Computes D_k, which may lose bits if it is refused. The direction of the shift is public, but the
 * constant-time test could not tell a branch on it from one on the coefficient. */
static inline int64_t scaled(integer96 d, int32_t left) {
    //@ split left < 0;
    uint32_t drops = isopod_ct_negative(left);
    uint32_t down = (uint32_t)-left & drops, up = (uint32_t)left & ~drops;
    uint32_t odd = (uint32_t)shift_down(d, down) & 1u;
    integer96 rounded = add(d, 0, ((UINT32_C(1) << down >> 1) - 1u + odd) & drops);
    return (int64_t)isopod_ct_shift_left((uint64_t)shift_down(rounded, down), up);
}

static uint32_t fold(int32_t *x, const isopod_decoding *decoding, const isopod_prime *primes,
                     uint32_t count) {
    const remainders of = remainders_of(primes, count);
    uint32_t n = decoding->n, refused = 0, limit_bits = (uint32_t)decoding->magnitude + 3u;
    const integer96 limit = power_of_two(limit_bits - 1u);
    uint32_t has_words32 = decoding->magnitude <= ISOPOD_DECODE32_LIMIT;
    int32_t bits = has_words32 ? ISOPOD_DECODE32_BITS : ISOPOD_DECODE64_BITS;
    //@ loop unroll n / 2;
    for (uint32_t k = 0; k < n / 2; k++) {
        static const integer96 zero = {0, 0};
        integer96 low = coefficient(x, n, k, &of);
        integer96 high = k == 0 ? subtract(zero, low) : coefficient(x, n, n - k, &of);
        integer96 d = subtract(low, high);
        int64_t word = scaled(d, bits - 1 - decoding->magnitude);
        refused |= beyond(d, limit, limit_bits);
        x[k] = (int32_t)word;
        x[k == 0 ? n / 2 : n - k] = (int32_t)(word >> 32);
    }
    ISOPOD_DECLASSIFY(refused);
    if (refused != 0) {
        isopod_wipe(x, (size_t)4 * n);
    }
    return refused;
}

/* Folded words lie in the first polynomial; words of the transform lie in its second half, or in
 * the second polynomial, whose residues are no longer needed: one prime has at most 28 bits. */
static uint32_t decode(const isopod_decrypt *context, const isopod_decoded *out) {
    const isopod_decrypt_config *config = context->config;
    const isopod_prime *primes = config->params->primes;
    isopod_decoding decoding = isopod_reals_decoding(context);
    isopod_slots slots = isopod_reals_slots(context, out->type);
    int32_t *x = isopod_workspace_room(context->workspace);
    uint32_t refused = context->claim.primes == 1
                           ? isopod_fold32(x, &decoding, primes)
                           : fold(x, &decoding, primes, context->claim.primes);
    if (decoding.magnitude <= ISOPOD_DECODE32_LIMIT) {
        return refused | isopod_reals_finish32(context, out, x + decoding.n / 2, x);
    }
    int64_t *words = (int64_t *)(void *)(x + decoding.n);
    refused |= isopod_decode64(words, x, config->tables->cosine64, decoding.n);
    isopod_slots64(out->data, words, &slots);
    return refused;
}

const isopod_decoder isopod_ckks_decode = {.word_bytes = 4,
                                           .check = isopod_reals_check,
                                           .check_type = isopod_reals_check_type,
                                           .take = isopod_decrypt_take,
                                           .decode = decode};
