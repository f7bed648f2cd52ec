/* Errors of a packet (spec/ckks.md, section 3.1), counted bit by bit in planes, from one block of
 * the stream at a time. Constant time. */
#include "../packet.h"

#include "../../base/memory.h"
#include "../../random/chacha20.h"
#include "../../random/suite_block.h"

#define GROUP_WORDS 42u
#define CENTRE 21u
#define PLANES 6u

/* Adds a word's bits to the counts of its 32 lanes. */
static inline void count_word(uint32_t planes[PLANES], uint32_t carry) {
    for (unsigned p = 0; p < PLANES; p++) {
        uint32_t both = planes[p] & carry;
        planes[p] ^= carry;
        carry = both;
    }
}

/* Moves lanes j, j+8, j+16, j+24 to the four bytes of word j, less the centre in every byte. */
static inline uint32_t gather(const uint32_t planes[PLANES], unsigned j) {
    uint32_t counts = 0;
    for (unsigned p = 0; p < PLANES; p++) {
        counts |= (planes[p] >> j & 0x01010101u) << p;
    }
    return ((counts | 0x80808080u) - CENTRE * 0x01010101u) ^ 0x80808080u;
}

ISOPOD_NOINLINE void isopod_packet_sample(isopod_packet_state *state, uint32_t group) {
    uint32_t planes[PLANES] = {0}, at = group * GROUP_WORDS, end = at + GROUP_WORDS;
    uint32_t input[4] = {at / ISOPOD_PACKET_BLOCK_WORDS, ISOPOD_DOMAIN_ERROR0, 0, 0};
    isopod_chacha20_block(state->block, state->noise.bytes, input);
    for (; at < end; at++) {
        if (at / ISOPOD_PACKET_BLOCK_WORDS != input[0]) {
            input[0]++;
            isopod_chacha20_block(state->block, state->noise.bytes, input);
        }
        count_word(planes, state->block[at % ISOPOD_PACKET_BLOCK_WORDS]);
    }
    for (unsigned j = 0; j < 8; j++) {
        isopod_store32((uint8_t *)state->error + 4 * j, gather(planes, j));
    }
    isopod_wipe(planes, sizeof planes);
}
