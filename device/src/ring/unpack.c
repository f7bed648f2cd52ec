/* Residues from packed bytes at any address (spec/wire.md, section 1), and decryption's product
 * with them, in portable C. Constant time with respect to key and product. */
#include "unpack.h"

#include "../base/memory.h"
#include "montgomery.h"
#include "../backend/backend.h"

#if ISOPOD_PORTABLE(UNPACK)
/* Fields of the packed bytes, read word by word; a group of 32 ends at the end of a word. */
typedef struct {
    const uint8_t *at;
    uint64_t window;
    uint32_t held;
} bit_fields;

/* Takes the next field of at most 32 bits. */
static inline uint32_t next_bits(bit_fields *fields, uint32_t bits) {
    if (fields->held < bits) {
        fields->window |= (uint64_t)isopod_load32(fields->at) << fields->held;
        fields->at += 4;
        fields->held += 32;
    }
    uint32_t field = (uint32_t)fields->window & ((UINT32_C(1) << bits) - 1u);
    fields->window >>= bits;
    fields->held -= bits;
    return field;
}

static inline isopod_residue next_field(bit_fields *fields, uint32_t bits) {
#if ISOPOD_WORD_BITS == 32
    return next_bits(fields, bits);
#else
    uint64_t low = next_bits(fields, bits / 2);
    return low | (uint64_t)next_bits(fields, bits - bits / 2) << bits / 2;
#endif
}

/* The top bit of `seen`, as the top bit of a 32-bit word. */
static inline uint32_t outcome(isopod_residue seen) {
    return (uint32_t)(seen >> (ISOPOD_WORD_BITS - 32));
}

uint32_t isopod_unpack(isopod_word *x, const uint8_t *packed, uint32_t count,
                       const isopod_word_prime *prime) {
    bit_fields from = {packed, 0, 0};
    uint32_t bits = prime->bits;
    isopod_residue last = prime->modulus - 1u, over = 0;
    for (uint32_t i = 0; i < count; i++) {
        isopod_residue field = next_field(&from, bits);
        over |= last - field;
        x[i] = (isopod_word)field;
    }
    return outcome(over);
}

/* |a*key - x*one| / R + q/2 <= q/8 + q/4 + q/2, as R >= 4q. */
uint32_t isopod_unpack_multiply(isopod_word *x, const uint8_t *packed, const isopod_residue *key,
                                uint32_t count, const isopod_word_prime *shared) {
    const isopod_word_prime prime = *shared;
    bit_fields from = {packed, 0, 0};
    isopod_residue last = prime.modulus - 1u, over = 0;
    isopod_word minus_one = -isopod_montgomery_one(&prime);
    for (uint32_t i = 0; i < count; i++) {
        isopod_residue field = next_field(&from, prime.bits);
        over |= last - field;
        x[i] = isopod_redc(
            isopod_word_dot((isopod_word)field, (isopod_word)key[i], x[i], minus_one), &prime);
    }
    return outcome(over);
}
#endif
