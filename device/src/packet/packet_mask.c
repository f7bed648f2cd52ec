/* The mask of a packet, element by element (spec/packet.md, section 3): bit fields of the stream of
 * mask_seed, a rejected one replaced from a second stream. One block is in memory at a time: a
 * refill, which is rare, borrows its room. Everything here is public. */
#include "packet.h"

#include "../base/memory.h"
#include "../random/chacha20.h"
#include "../random/suite_block.h"

static void read_block(isopod_packet_state *state, uint32_t domain, uint32_t number) {
    const uint32_t input[4] = {number, domain, 0, 0};
    isopod_chacha20_block(state->block, state->mask_seed, input);
}

void isopod_packet_mask_start(isopod_packet_state *state) {
    state->used = ISOPOD_PACKET_BLOCK_WORDS;
    state->next = 0;
    state->held = 0;
    state->bits = 0;
    state->refill = 0;
}

static uint32_t next_word(isopod_packet_state *state) {
    if (state->used == ISOPOD_PACKET_BLOCK_WORDS) {
        read_block(state, ISOPOD_DOMAIN_MASK, state->next++);
        state->used = 0;
    }
    return state->block[state->used++];
}

static ISOPOD_NOINLINE uint32_t refill(isopod_packet_state *state, const isopod_prime *prime) {
    uint32_t value;
    do {
        read_block(state, ISOPOD_DOMAIN_MASK_REFILL, state->refill / ISOPOD_PACKET_BLOCK_WORDS);
        value = state->block[state->refill++ % ISOPOD_PACKET_BLOCK_WORDS];
        value &= (UINT32_C(1) << prime->bits) - 1u;
    } while (value >= prime->modulus);
    read_block(state, ISOPOD_DOMAIN_MASK, state->next - 1u);
    return value;
}

void isopod_packet_mask_group(isopod_packet_state *state, const isopod_prime *prime) {
    const uint32_t width = prime->bits, keep = (UINT32_C(1) << width) - 1u;
    const uint32_t modulus = prime->modulus;
    uint32_t held = state->held, bits = state->bits;
    for (uint32_t i = ISOPOD_PACKET_GROUP; i-- > 0;) {
        uint32_t value = held;
        if (bits < width) {
            uint32_t word = next_word(state);
            value |= word << bits;
            held = word >> (width - bits);
            bits += 32u;
        } else {
            held >>= width;
        }
        bits -= width;
        value &= keep;
        state->group[i] = value < modulus ? value : refill(state, prime);
    }
    state->held = held;
    state->bits = bits;
}
