/* Negacyclic products of a mask that comes in pieces of 64 bytes and a small key, without a
 * transform (spec/tfhe.md, section 5). Constant time with respect to key and sums. */
#include "../../base/constant_time.h"
#include "../../base/memory.h"
#include "ring.h"

/* 32 bits from bit `at` on, cyclically, of n_bits bits. */
static uint32_t window(const uint32_t *symbols, uint32_t at, uint32_t n_bits) {
    uint32_t word = at / 32u, by = at % 32u, words = n_bits / 32u;
    uint32_t low = symbols[word], high = symbols[(word + 1) & (words - 1u)];
    return low >> by | high << 1 << (31u - by);
}

static uint32_t bit_mask(uint32_t bits, uint32_t at) {
    return isopod_ct_barrier(0u - (bits >> at & 1u));
}

/* The piece of the key that is multiplied with a piece of `terms` mask coefficients in sum i:
 * symbol terms - 1 - l belongs to coefficient first + l. Coefficients after `turn` terms wrap
 * around and change their sign. */
typedef struct {
    uint32_t symbols;
    uint32_t turn;
} meeting;

static meeting meet(const isopod_ring_place *place, uint32_t i, uint32_t terms) {
    uint32_t width = place->small->kind == ISOPOD_SECRET_BINARY ? 1u : 2u;
    uint32_t start = (i - place->first - (terms - 1u)) & (place->n - 1u);
    meeting at = {window(place->small->symbols, start * width, place->n * width), 0};
    if (i >= place->first) {
        uint32_t inside = i - place->first + 1u;
        at.turn = inside < terms ? inside : terms;
    }
    return at;
}

#define TERMS32 16u
#define TERMS64 8u

/* mask * symbol: binary m, ternary (symbol - 1). */
static uint32_t term32(uint32_t mask, uint32_t symbols, uint32_t at, uint8_t kind) {
    if (kind == ISOPOD_SECRET_BINARY) {
        return mask & bit_mask(symbols, at);
    }
    return (mask & bit_mask(symbols, 2 * at)) + ((mask & bit_mask(symbols, 2 * at + 1)) << 1) -
           mask;
}

static uint64_t term64(uint64_t mask, uint32_t symbols, uint32_t at, uint8_t kind) {
    if (kind == ISOPOD_SECRET_BINARY) {
        return mask & isopod_ct_mask64(bit_mask(symbols, at));
    }
    return (mask & isopod_ct_mask64(bit_mask(symbols, 2 * at))) +
           ((mask & isopod_ct_mask64(bit_mask(symbols, 2 * at + 1))) << 1) - mask;
}

void isopod_ring_accumulate32(uint32_t *sums, const uint32_t mask[16],
                              const isopod_ring_place *place) {
    uint8_t kind = place->small->kind;
    for (uint32_t i = 0; i < place->count; i++) {
        meeting at = meet(place, i, TERMS32);
        uint32_t sum = sums[i], l = 0;
        for (; l < at.turn; l++) {
            sum += term32(mask[l], at.symbols, TERMS32 - 1u - l, kind);
        }
        for (; l < TERMS32; l++) {
            sum -= term32(mask[l], at.symbols, TERMS32 - 1u - l, kind);
        }
        sums[i] = sum;
    }
}

void isopod_ring_accumulate64(uint64_t *sums, const uint64_t mask[8],
                              const isopod_ring_place *place) {
    uint8_t kind = place->small->kind;
    for (uint32_t i = 0; i < place->count; i++) {
        meeting at = meet(place, i, TERMS64);
        uint64_t sum = sums[i];
        uint32_t l = 0;
        for (; l < at.turn; l++) {
            sum += term64(mask[l], at.symbols, TERMS64 - 1u - l, kind);
        }
        for (; l < TERMS64; l++) {
            sum -= term64(mask[l], at.symbols, TERMS64 - 1u - l, kind);
        }
        sums[i] = sum;
    }
}
