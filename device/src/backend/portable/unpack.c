#include "../../unpack.h"

#include "../../memory.h"
#include "../../montgomery.h"

/* Fields of the packed bytes, read word by word; a group of 32 ends at the end of a word. */
typedef struct {
    const uint8_t *at;
    uint64_t window;
    uint32_t held;
} bit_fields;

static inline uint32_t next_field(bit_fields *fields, uint32_t bits) {
    if (fields->held < bits) {
        fields->window |= (uint64_t)isopod_load32(fields->at) << fields->held;
        fields->at += 4;
        fields->held += 32;
    }
    uint32_t field = (uint32_t)fields->window & ((1u << bits) - 1u);
    fields->window >>= bits;
    fields->held -= bits;
    return field;
}

uint32_t isopod_unpack(int32_t *x, const uint8_t *packed, uint32_t count,
                       const isopod_prime *prime) {
    bit_fields from = {packed, 0, 0};
    uint32_t bits = prime->bits, last = prime->modulus - 1u, over = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t field = next_field(&from, bits);
        over |= last - field;
        x[i] = (int32_t)field;
    }
    return over;
}

/* |a*key - x*one| / 2^32 + q/2 <= q/8 + q/4 + q/2. */
uint32_t isopod_unpack_multiply(int32_t *x, const uint8_t *packed, const uint32_t *key,
                                uint32_t count, const isopod_prime *shared) {
    const isopod_prime prime = *shared;
    bit_fields from = {packed, 0, 0};
    uint32_t last = prime.modulus - 1u, over = 0;
    int32_t one = isopod_montgomery_one(&prime);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t field = next_field(&from, prime.bits);
        over |= last - field;
        x[i] = isopod_redc((int64_t)(int32_t)field * (int32_t)key[i] - (int64_t)x[i] * one, &prime);
    }
    return over;
}
