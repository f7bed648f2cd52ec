/* Loops over coefficients that travel (rounded.h), in portable C: products, rounding, and their
 * bits one after the other. Constant time; bounds are in rounded_put.c. */
#include "../backend/backend.h"
#include "../base/constant_time.h"
#include "rounded.h"

#if ISOPOD_PORTABLE(ROUNDED_WORDS)
/* q and its inverse for loops of products. The inverse passes the barrier, so that no compiler
 * negates it in every turn. */
typedef struct {
    int32_t modulus;
    uint32_t inverse;
} multiplier;

static inline multiplier multiplier_of(uint32_t modulus, uint32_t negative_inverse) {
    multiplier by = {(int32_t)modulus, isopod_ct_barrier(0u - negative_inverse)};
    return by;
}

/* isopod_redc of a*b. */
static inline int32_t multiply(int32_t a, int32_t b, const multiplier *by) {
    int64_t product = (int64_t)a * b;
    int32_t multiple = (int32_t)((uint32_t)product * by->inverse);
    return (int32_t)(product >> 32) - (int32_t)((int64_t)multiple * by->modulus >> 32);
}

void isopod_rounded_multiply(isopod_word *x, const isopod_word *a, const isopod_residue *key,
                             uint32_t count, const isopod_prime *prime) {
    const multiplier by = multiplier_of(prime->modulus, prime->negative_inverse);
    for (const isopod_word *end = x + count; x != end; x += 4, a += 4, key += 4) {
        x[0] = multiply(a[0], (isopod_word)key[0], &by);
        x[1] = multiply(a[1], (isopod_word)key[1], &by);
        x[2] = multiply(a[2], (isopod_word)key[2], &by);
        x[3] = multiply(a[3], (isopod_word)key[3], &by);
    }
}

/* Appends a value of 1 to 32 bits. */
static inline void put(isopod_rounded_bits *to, uint32_t value, uint32_t count) {
    uint32_t before = to->held, held = before + count;
    to->word |= value << before;
    if (held >= 32u) {
        *to->out++ = to->word;
        to->word = value >> 1 >> (31u - before);
        held -= 32u;
    }
    to->held = held;
}

static inline isopod_rounded_bits put_all(isopod_rounded_bits to, const isopod_rounded_one *of,
                                          uint32_t is_short) {
    const isopod_rounded_one with = *of;
    const isopod_prime prime = {.modulus = with.modulus, .barrett = with.barrett};
    const int16_t *number = with.values;
    const int64_t *message = with.values;
    const int8_t *error = with.error;
    for (const isopod_word *x = with.x; x != with.end; x++) {
        int32_t value = is_short ? *number++ * with.factor : (int32_t)*message++;
        isopod_word sum = isopod_reduce(*x + value + *error++ + with.before, &prime);
        put(&to, (isopod_canonical(sum, &prime) + with.after) >> with.dropped, with.kept);
    }
    return to;
}

void isopod_rounded_put_one(isopod_rounded_bits *bits, const isopod_rounded_one *of) {
    *bits = of->is_short ? put_all(*bits, of, 1) : put_all(*bits, of, 0);
}

/* value + q where value < 0. */
static inline int64_t raised64(int64_t value, uint64_t modulus) {
    uint32_t negative = isopod_ct_negative((int32_t)((uint64_t)value >> 32));
    return value + (int64_t)(modulus & isopod_ct_mask64(negative));
}

void isopod_rounded_join(const isopod_rounded_join_of *of) {
    const isopod_rounded_join_of with = *of;
    const multiplier by = multiplier_of((uint32_t)with.second, with.negative_inverse);
    const isopod_word *y = with.y;
    const int8_t *error = with.error;
    int64_t *message = with.message;
    for (const isopod_word *x = with.x; x != with.end; x++, y++, message++, error++) {
        isopod_word digit = multiply(*y - *x, with.inverse, &by);
        digit += (isopod_word)((uint32_t)with.second & isopod_ct_negative(digit));
        *message += (int64_t)digit * with.first + (*x + *error) - with.least_beyond;
    }
}

void isopod_rounded_put_two(isopod_rounded_bits *bits, const isopod_rounded_two *of) {
    const isopod_rounded_two with = *of;
    isopod_rounded_bits to = *bits;
    for (const int64_t *sum = with.sums; sum != with.end; sum++) {
        int64_t value = raised64(raised64(*sum, with.modulus), with.modulus);
        uint64_t raised = (uint64_t)value + with.after;
        uint32_t high = (uint32_t)(raised >> 32), shift = with.dropped;
        uint32_t low = (uint32_t)raised >> shift | high << 1 << (31u - shift);
        put(&to, low, with.kept < 32u ? with.kept : 32u);
        if (with.kept > 32u) {
            put(&to, high >> shift, with.kept - 32u);
        }
    }
    *bits = to;
}
#endif
