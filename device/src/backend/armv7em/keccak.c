/* The sponge over bit-interleaved lanes: lanes[i] holds the even bits of lane i in its low half,
 * the odd bits in its high half (keccak_permute.S). */
#include "../../keccak.h"

#include "../../memory.h"

void isopod_keccak_permute(uint32_t words[50]);

static uint32_t *words_of(isopod_keccak *sponge) {
    return (uint32_t *)(void *)sponge->lanes;
}

static inline uint32_t exchange(uint32_t x, uint32_t mask, unsigned by) {
    uint32_t t = (x ^ (x >> by)) & mask;
    return x ^ t ^ (t << by);
}

/* Even bits to the low half, odd bits to the high half. */
static inline uint32_t separate(uint32_t x) {
    x = exchange(x, 0x22222222u, 1);
    x = exchange(x, 0x0c0c0c0cu, 2);
    x = exchange(x, 0x00f000f0u, 4);
    return exchange(x, 0x0000ff00u, 8);
}

static inline uint32_t mingle(uint32_t x) {
    x = exchange(x, 0x0000ff00u, 8);
    x = exchange(x, 0x00f000f0u, 4);
    x = exchange(x, 0x0c0c0c0cu, 2);
    return exchange(x, 0x22222222u, 1);
}

static void absorb_lane(uint32_t *words, const uint8_t *in) {
    uint32_t low = separate(isopod_load32(in)), high = separate(isopod_load32(in + 4));
    words[0] ^= (low & 0xffffu) | high << 16;
    words[1] ^= low >> 16 | (high & 0xffff0000u);
}

static void absorb_byte(isopod_keccak *sponge, uint8_t byte) {
    uint32_t *words = words_of(sponge) + 2u * (sponge->position / 8u);
    uint32_t bits = separate(byte), at = 4u * (sponge->position % 8u);
    words[0] ^= (bits & 0xffffu) << at;
    words[1] ^= bits >> 16 << at;
}

static void next_block(isopod_keccak *sponge) {
    isopod_keccak_permute(words_of(sponge));
    sponge->position = 0;
}

void isopod_keccak_start(isopod_keccak *sponge) {
    isopod_wipe(sponge, sizeof *sponge);
}

void isopod_keccak_absorb(isopod_keccak *sponge, const uint8_t *in, size_t length) {
    while (length > 0) {
        uint32_t taken = sponge->position % 8u == 0 && length >= 8 ? 8 : 1;
        if (taken == 8) {
            absorb_lane(words_of(sponge) + sponge->position / 4u, in);
        } else {
            absorb_byte(sponge, *in);
        }
        sponge->position += taken;
        in += taken;
        length -= taken;
        if (sponge->position == ISOPOD_KECCAK_RATE) {
            next_block(sponge);
        }
    }
}

/* The last bit of the block is the top odd bit of its last lane. */
void isopod_keccak_finish(isopod_keccak *sponge, uint8_t padding) {
    absorb_byte(sponge, padding);
    words_of(sponge)[ISOPOD_KECCAK_RATE / 4 - 1] ^= 0x80000000u;
    sponge->position = ISOPOD_KECCAK_RATE;
}

static inline void lane_words(uint32_t out[2], const uint32_t *words) {
    out[0] = mingle((words[0] & 0xffffu) | words[1] << 16);
    out[1] = mingle(words[0] >> 16 | (words[1] & 0xffff0000u));
}

void isopod_keccak_squeeze_block(isopod_keccak *sponge, uint32_t out[ISOPOD_KECCAK_RATE / 4]) {
    const uint32_t *words = words_of(sponge);
    isopod_keccak_permute(words_of(sponge));
    for (unsigned i = 0; i < ISOPOD_KECCAK_RATE / 4; i += 2) {
        lane_words(out + i, words + i);
    }
}

void isopod_keccak_squeeze(isopod_keccak *sponge, uint8_t *out, size_t length) {
    uint32_t lane[2] = {0, 0};
    for (size_t i = 0; i < length; i++) {
        if (sponge->position == ISOPOD_KECCAK_RATE) {
            next_block(sponge);
        }
        if (i == 0 || sponge->position % 8u == 0) {
            lane_words(lane, words_of(sponge) + sponge->position / 8u * 2u);
        }
        out[i] = (uint8_t)(lane[sponge->position / 4u % 2u] >> 8u * (sponge->position % 4u));
        sponge->position++;
    }
    isopod_wipe(lane, sizeof lane);
}
