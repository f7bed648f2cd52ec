/* Message, noise and rounding of coefficients (spec/coefficients.md, section 2), and their bits one
 * after the other. Constant time. */
#include "../base/constant_time.h"
#include "../base/memory.h"
#include "../ring/montgomery.h"
#include "rounded.h"

/* Whole words, and bits that wait for one. */
typedef struct {
    uint32_t *out;
    uint32_t word;
    uint32_t held;
} bits;

/* Appends a value of 1 to 32 bits. */
static inline void put(bits *to, uint32_t value, uint32_t count) {
    uint32_t before = to->held, held = before + count;
    to->word |= value << before;
    if (held >= 32u) {
        *to->out++ = to->word;
        to->word = value >> 1 >> (31u - before);
        held -= 32u;
    }
    to->held = held;
}

/* One prime: |x| < q, and |message + error| < q, so that a sum is below 2^31. What rounds to
 * `limit` or more is beyond q. */
static ISOPOD_NOINLINE void put32(const isopod_rounded *context, int64_t *message, uint32_t first,
                                  uint32_t count) {
    isopod_rounded_state *state = isopod_rounded_state_of(context);
    const isopod_word *x = isopod_rounded_polynomial(context, 0) + context->place + first;
    const isopod_prime prime = context->encryption.config->params->primes[0];
    const int8_t *error = state->error + first;
    const uint32_t dropped = state->dropped, kept = state->kept, half = 1u << dropped >> 1;
    const uint32_t limit = ((prime.modulus - 1u) >> dropped) + 1u;
    bits to = {state->piece + state->length / 4u, state->word, state->held};
    for (const isopod_word *end = x + count; x != end; x++, message++, error++) {
        isopod_word sum = isopod_reduce(*x + (int32_t)*message + *error, &prime);
        uint32_t value = (isopod_canonical(sum, &prime) + half) >> dropped;
        put(&to, value & isopod_ct_negative((int32_t)(value - limit)), kept);
    }
    state->length = (uint32_t)(to.out - state->piece) * 4u;
    state->word = to.word;
    state->held = to.held;
}

/* All ones if value < 0. */
static inline int64_t negative64(int64_t value) {
    return (int64_t)isopod_ct_mask64(isopod_ct_negative((int32_t)((uint64_t)value >> 32)));
}

/* The constants of two primes. `limit` is the least number that rounds beyond q. */
typedef struct {
    int32_t first;
    isopod_multiplier second;
    isopod_word inverse;
    uint32_t dropped;
    int64_t modulus;
    uint64_t half;
    int64_t limit;
} remainders;

/* value + q where value < 0. */
static inline uint32_t raised(int32_t value, int32_t modulus) {
    return (uint32_t)value + ((uint32_t)modulus & isopod_ct_negative(value));
}

/* rounded32 of -q < sum < 2q < 2^61; at most 31 bits are dropped. */
static inline uint64_t rounded64(int64_t sum, const remainders *of) {
    sum += of->modulus & negative64(sum);
    sum -= of->modulus;
    sum += of->modulus & negative64(sum);
    uint64_t raised = (uint64_t)sum + of->half;
    uint32_t high = (uint32_t)(raised >> 32);
    uint32_t low = (uint32_t)raised >> of->dropped | high << 1 << (31u - of->dropped);
    uint64_t kept = (uint64_t)(high >> of->dropped) << 32 | low;
    return kept & (uint64_t)negative64((int64_t)kept - of->limit);
}

/* The number below q that is x modulo the first prime and y modulo the second, |x| < q_0,
 * |y| < q_1. */
static inline uint64_t joined(isopod_word x, isopod_word y, const remainders *of) {
    uint32_t low = raised(x, of->first);
    isopod_word high = isopod_multiply(y - (isopod_word)low, of->inverse, &of->second);
    return (uint64_t)raised(high, of->second.modulus) * (uint32_t)of->first + low;
}

static remainders remainders_of(const isopod_rounded *context) {
    const isopod_prime *primes = context->encryption.config->params->primes;
    const isopod_rounded_state *state = isopod_rounded_state_of(context);
    remainders of = {(int32_t)primes[0].modulus,
                     isopod_multiplier_of(&primes[1]),
                     state->inverse,
                     state->dropped,
                     (int64_t)state->modulus,
                     (uint64_t)1 << state->dropped >> 1,
                     (int64_t)((state->modulus - 1u) >> state->dropped) + 1};
    return of;
}

/* Rounded coefficients of two primes, in place of their messages. */
static ISOPOD_NOINLINE void join(const isopod_rounded *context, const remainders *shared,
                                 int64_t *message, uint32_t first, uint32_t count) {
    const isopod_word *x = isopod_rounded_polynomial(context, 0) + context->place + first;
    const isopod_word *y = isopod_rounded_polynomial(context, 1) + context->place + first;
    const int8_t *error = isopod_rounded_state_of(context)->error + first;
    const remainders of = *shared;
    for (uint32_t i = 0; i < count; i++) {
        message[i] += (int64_t)joined(x[i], y[i], &of) + error[i];
    }
}

static ISOPOD_NOINLINE void round_all(const remainders *shared, int64_t *sums, uint32_t count) {
    const remainders of = *shared;
    for (int64_t *end = sums + count; sums != end; sums++) {
        *sums = (int64_t)rounded64(*sums, &of);
    }
}

/* Two primes, what is kept in one word or in two. */
static ISOPOD_NOINLINE void put64(const isopod_rounded *context, int64_t *message, uint32_t first,
                                  uint32_t count) {
    isopod_rounded_state *state = isopod_rounded_state_of(context);
    const uint32_t kept = state->kept;
    bits to = {state->piece + state->length / 4u, state->word, state->held};
    const remainders of = remainders_of(context);
    join(context, &of, message, first, count);
    round_all(&of, message, count);
    for (uint32_t i = 0; i < count && kept <= 32u; i++) {
        put(&to, (uint32_t)message[i], kept);
    }
    for (uint32_t i = 0; i < count && kept > 32u; i++) {
        put(&to, (uint32_t)message[i], 32u);
        put(&to, (uint32_t)((uint64_t)message[i] >> 32), kept - 32u);
    }
    state->length = (uint32_t)(to.out - state->piece) * 4u;
    state->word = to.word;
    state->held = to.held;
}

void isopod_rounded_put(const isopod_rounded *context, int64_t *message, uint32_t first,
                        uint32_t count) {
    uint32_t is_long = isopod_encryption_level(context->encryption.config) > 1u;
    (is_long ? put64 : put32)(context, message, first, count);
}

void isopod_rounded_put_end(isopod_rounded_state *state) {
    state->piece[state->length / 4u] = state->word;
    state->length += (state->held + 7u) / 8u;
    state->word = 0;
    state->held = 0;
}
