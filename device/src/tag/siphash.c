/* SipHash-2-4 [SIPHASH12] in portable C: two rounds for each 8 bytes, four for each output. */
#include "siphash.h"

#include "../backend/backend.h"
#include "../base/memory.h"

/*@ requires 1 <= left <= 63;
    assigns \nothing; */
static inline uint64_t rotated(uint64_t word, unsigned left) {
    return word << left | word >> (64u - left);
}

#if ISOPOD_BACKEND_IS(avr)
/* One word after the other, so that few registers are saved on the stack. */
static ISOPOD_NOINLINE void half_round(uint64_t *a, uint64_t *b, uint8_t left) {
    *a += *b;
    *b = rotated(*b, left) ^ *a;
}

static ISOPOD_NOINLINE void rounds(uint64_t v[4], uint8_t count) {
    while (count-- > 0) {
        half_round(v, v + 1, 13);
        v[0] = rotated(v[0], 32);
        half_round(v + 2, v + 3, 16);
        half_round(v, v + 3, 21);
        half_round(v + 2, v + 1, 17);
        v[2] = rotated(v[2], 32);
    }
}
#else
/*@ requires \valid(v + (0 .. 3));
    assigns v[0 .. 3]; */
static ISOPOD_NOINLINE void rounds(uint64_t v[4], uint32_t count) {
    uint64_t a = v[0], b = v[1], c = v[2], d = v[3];
    /*@ loop assigns count, a, b, c, d;
        loop variant count; */
    while (count-- > 0) {
        a += b, b = rotated(b, 13) ^ a, a = rotated(a, 32);
        c += d, d = rotated(d, 16) ^ c;
        a += d, d = rotated(d, 21) ^ a;
        c += b, b = rotated(b, 17) ^ c, c = rotated(c, 32);
    }
    v[0] = a, v[1] = b, v[2] = c, v[3] = d;
}
#endif

/*@ requires \valid(hash);
    assigns hash->v[0 .. 3]; */
static void add_block(isopod_siphash *hash) {
    uint64_t word = isopod_load64(hash->block);
    hash->v[3] ^= word;
    rounds(hash->v, 2);
    hash->v[0] ^= word;
}

/*@ requires \valid(hash) && \valid_read(key + (0 .. 15));
    assigns hash->v[0 .. 3], hash->length, hash->is_long;
    ensures hash->length == 0; */
void isopod_siphash_start(isopod_siphash *hash, const uint8_t key[16], uint8_t is_long) {
    uint64_t low = isopod_load64(key), high = isopod_load64(key + 8);
    hash->v[0] = low ^ UINT64_C(0x736f6d6570736575);
    hash->v[1] = high ^ UINT64_C(0x646f72616e646f6d) ^ (is_long ? 0xeeu : 0);
    hash->v[2] = low ^ UINT64_C(0x6c7967656e657261);
    hash->v[3] = high ^ UINT64_C(0x7465646279746573);
    hash->length = 0;
    hash->is_long = is_long;
}

void isopod_siphash_add(isopod_siphash *hash, const uint8_t *bytes, size_t length) {
    for (; length > 0; length--) {
        hash->block[hash->length++ % 8u] = *bytes++;
        if (hash->length % 8u == 0) {
            add_block(hash);
        }
    }
}

/*@ requires \valid(hash) && \valid(out + (0 .. 7)) && \separated(hash, out + (0 .. 7));
    assigns hash->v[0 .. 3], out[0 .. 7]; */
static void put_output(isopod_siphash *hash, uint8_t *out) {
    rounds(hash->v, 4);
    isopod_store64(out, hash->v[0] ^ hash->v[1] ^ hash->v[2] ^ hash->v[3]);
}

void isopod_siphash_finish(isopod_siphash *hash, uint8_t *out) {
    for (unsigned at = hash->length % 8u; at < 7u; at++) {
        hash->block[at] = 0;
    }
    hash->block[7] = hash->length;
    add_block(hash);
    hash->v[2] ^= hash->is_long ? 0xeeu : 0xffu;
    put_output(hash, out);
    if (hash->is_long) {
        hash->v[1] ^= 0xddu;
        put_output(hash, out + 8);
    }
}
