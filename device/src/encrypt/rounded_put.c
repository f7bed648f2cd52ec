/* Message, noise and rounding of coefficients (spec/coefficients.md, section 2).
 *
 * Let `beyond` be the least multiple of 2^d above q - 1, and L the lesser of q and beyond - 2^d/2.
 * From L on, c would round beyond q; it counts as c - q, which rounds to 0. A shift alone therefore
 * rounds the representative in [L - q, L). */
#include "../base/memory.h"
#include "rounded.h"

static uint64_t least_beyond(uint64_t modulus, uint32_t dropped) {
    uint64_t beyond = (((modulus - 1u) >> dropped) + 1u) << dropped;
    uint64_t rounded = beyond - ((uint64_t)1 << dropped >> 1);
    return rounded < modulus ? rounded : modulus;
}

static ISOPOD_NOINLINE void put_one(const isopod_rounded *context, isopod_rounded_bits *bits,
                                    const isopod_rounded_piece *piece) {
    const isopod_prime *prime = context->encryption.config->params->primes;
    const isopod_rounded_state *state = isopod_rounded_state_of(context);
    const isopod_word *x = isopod_rounded_polynomial(context, 0) + context->place + piece->first;
    uint32_t before = prime->modulus - (uint32_t)least_beyond(prime->modulus, state->dropped);
    uint32_t half = (uint32_t)1 << state->dropped >> 1;
    isopod_rounded_one of = {.x = x,
                             .values = piece->message,
                             .error = state->error + piece->first,
                             .modulus = prime->modulus,
                             .barrett = prime->barrett,
                             .factor = 1,
                             .after = half - before,
                             .dropped = state->dropped,
                             .kept = state->kept,
                             .before = (int32_t)before,
                             .end = x + piece->count};
    if (piece->numbers != NULL) {
        of.values = piece->numbers;
        of.factor = piece->factor;
        of.is_short = 1;
    }
    isopod_rounded_put_one(bits, &of);
}

/* A sum less L, with -q_0 < c < q, |message| <= q/2 and |error| <= 21, is above -2q and below q,
 * since q > 2^40 and 2^d/2 <= 2^30. Adding q twice, each time if it is negative, brings it to
 * [0, q): the representative in [L - q, L) raised by q - L. */
static ISOPOD_NOINLINE void put_two(const isopod_rounded *context, isopod_rounded_bits *bits,
                                    const isopod_rounded_piece *piece) {
    const isopod_prime *primes = context->encryption.config->params->primes;
    const isopod_rounded_state *state = isopod_rounded_state_of(context);
    const isopod_word *x = isopod_rounded_polynomial(context, 0) + context->place + piece->first;
    const isopod_word *y = isopod_rounded_polynomial(context, 1) + context->place + piece->first;
    uint64_t least = least_beyond(state->modulus, state->dropped);
    uint32_t half = (uint32_t)1 << state->dropped >> 1;
    const isopod_rounded_join_of join = {x,
                                         y,
                                         piece->message,
                                         state->error + piece->first,
                                         (int32_t)primes[0].modulus,
                                         (int32_t)primes[1].modulus,
                                         primes[1].negative_inverse,
                                         state->inverse,
                                         (int64_t)least,
                                         x + piece->count};
    const isopod_rounded_two two = {
        piece->message, state->modulus, half - (uint32_t)(state->modulus - least),
        state->dropped, state->kept,    piece->message + piece->count};
    isopod_rounded_join(&join);
    isopod_rounded_put_two(bits, &two);
}

void isopod_rounded_put(const isopod_rounded *context, const isopod_rounded_piece *piece) {
    isopod_rounded_state *state = isopod_rounded_state_of(context);
    uint32_t is_long = isopod_encryption_level(context->encryption.config) > 1u;
    isopod_rounded_bits bits = {state->piece + state->length / 4u, state->word, state->held};
    (is_long ? put_two : put_one)(context, &bits, piece);
    state->length = (uint32_t)(bits.out - state->piece) * 4u;
    state->word = bits.word;
    state->held = bits.held;
}

void isopod_rounded_put_end(isopod_rounded_state *state) {
    state->piece[state->length / 4u] = state->word;
    state->length += (state->held + 7u) / 8u;
    state->word = 0;
    state->held = 0;
}
