/* The Keccak sponge ([FIPS202], section 4) over bit-interleaved lanes: the even bits of lane i in
 * words[2i], the odd bits in words[2i + 1], turned right as keccak_permute.S keeps them. */
#include "../../backend.h"
#if ISOPOD_BACKEND_IS(armv7em)

#include "../../../random/keccak.h"

#include "../../../base/memory.h"

void isopod_keccak_permute(uint32_t words[50]);

/* The rotations of the words of a block: EVEN_0, ODD_0, EVEN_1 and so on of keccak_permute.S. */
static const uint8_t turns[ISOPOD_KECCAK_RATE / 4] = {
    0,  0,  22, 22, 12, 11, 22, 22, 29, 29, 26, 25, 0, 0, 2, 1,  23,
    22, 21, 20, 1,  0,  25, 25, 24, 24, 26, 26, 9,  9, 4, 3, 18, 18};

#define LAST_TURN 18u

#define INLINE static inline __attribute__((always_inline))

INLINE uint32_t turn_right(uint32_t word, uint32_t by) {
    return word >> by | word << ((0u - by) & 31u);
}

INLINE uint32_t turn_left(uint32_t word, uint32_t by) {
    return word << by | word >> ((0u - by) & 31u);
}

INLINE uint32_t exchange(uint32_t x, uint32_t mask, unsigned by) {
    uint32_t t = (x ^ (x >> by)) & mask;
    return x ^ t ^ (t << by);
}

/* Moves even bits to the low half, odd bits to the high half. */
INLINE uint32_t separate(uint32_t x) {
    x = exchange(x, 0x22222222u, 1);
    x = exchange(x, 0x0c0c0c0cu, 2);
    x = exchange(x, 0x00f000f0u, 4);
    return exchange(x, 0x0000ff00u, 8);
}

INLINE uint32_t mingle(uint32_t x) {
    x = exchange(x, 0x0000ff00u, 8);
    x = exchange(x, 0x00f000f0u, 4);
    x = exchange(x, 0x0c0c0c0cu, 2);
    return exchange(x, 0x22222222u, 1);
}

/* Adds to the words of the lane at the sponge's position. */
INLINE void absorb_words(isopod_keccak *sponge, uint32_t even, uint32_t odd) {
    uint32_t at = sponge->position / 8u * 2u;
    sponge->words[at] ^= turn_right(even, turns[at]);
    sponge->words[at + 1] ^= turn_right(odd, turns[at + 1]);
}

/* Bytes up to the end of the lane at the sponge's position, at most `length`. */
INLINE uint32_t part_of_lane(const isopod_keccak *sponge, size_t length) {
    uint32_t rest = 8u - sponge->position % 8u;
    return length < rest ? (uint32_t)length : rest;
}

static void absorb_part(isopod_keccak *sponge, const uint8_t *in, uint32_t length) {
    uint32_t lane[2] = {0, 0};
    if (length == 8) {
        lane[0] = isopod_load32(in), lane[1] = isopod_load32(in + 4);
    } else {
        isopod_copy((uint8_t *)lane + sponge->position % 8u, in, length);
    }
    uint32_t low = separate(lane[0]), high = separate(lane[1]);
    absorb_words(sponge, (low & 0xffffu) | high << 16, low >> 16 | (high & 0xffff0000u));
    sponge->position += length;
}

static void next_block(isopod_keccak *sponge) {
    isopod_keccak_permute(sponge->words);
    sponge->position = 0;
}

void isopod_keccak_start(isopod_keccak *sponge) {
    isopod_wipe(sponge, sizeof *sponge);
}

ISOPOD_SMALL void isopod_keccak_absorb(isopod_keccak *sponge, const uint8_t *in, size_t length) {
    while (length > 0) {
        uint32_t taken = part_of_lane(sponge, length);
        absorb_part(sponge, in, taken);
        in += taken;
        length -= taken;
        if (sponge->position == ISOPOD_KECCAK_RATE) {
            next_block(sponge);
        }
    }
}

/* The last bit of the block is the top odd bit of its last lane. */
void isopod_keccak_finish(isopod_keccak *sponge, uint8_t padding) {
    absorb_part(sponge, &padding, 1);
    sponge->words[ISOPOD_KECCAK_RATE / 4u - 1u] ^= turn_right(0x80000000u, LAST_TURN);
    sponge->position = ISOPOD_KECCAK_RATE;
}

/* The two words that lane number `lane` stands for. */
ISOPOD_SMALL static void lane_words(uint32_t out[2], const isopod_keccak *sponge, uint32_t lane) {
    uint32_t even = turn_left(sponge->words[2u * lane], turns[2u * lane]);
    uint32_t odd = turn_left(sponge->words[2u * lane + 1u], turns[2u * lane + 1u]);
    out[0] = mingle((even & 0xffffu) | odd << 16);
    out[1] = mingle(even >> 16 | (odd & 0xffff0000u));
}

const uint32_t *isopod_keccak_block(isopod_keccak *sponge) {
    isopod_keccak_permute(sponge->words);
    for (uint32_t lane = 0; lane < ISOPOD_KECCAK_RATE / 8u; lane++) {
        lane_words(sponge->words + 2u * lane, sponge, lane);
    }
    return sponge->words;
}

ISOPOD_SMALL void isopod_keccak_squeeze(isopod_keccak *sponge, uint8_t *out, size_t length) {
    uint32_t lane[2] = {0, 0};
    while (length > 0) {
        if (sponge->position == ISOPOD_KECCAK_RATE) {
            next_block(sponge);
        }
        uint32_t taken = part_of_lane(sponge, length);
        lane_words(lane, sponge, sponge->position / 8u);
        isopod_copy(out, (const uint8_t *)lane + sponge->position % 8u, taken);
        sponge->position += taken;
        out += taken;
        length -= taken;
    }
    isopod_wipe(lane, sizeof lane);
}

#endif
