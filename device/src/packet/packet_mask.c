/* The mask of a packet, 32 elements at a time (spec/packet.md, section 3): bit fields of the stream
 * of mask_seed, a rejected one replaced from a second stream. One block is in memory: a refill,
 * which is rare, borrows its room. Everything here is public. */
#include "packet.h"

#include "../base/memory.h"
#include "../random/chacha20.h"
#include "../random/suite_block.h"
#include "../ring/unpack.h"

_Static_assert(ISOPOD_PACKET_GROUP == ISOPOD_UNPACK_GROUP, "groups end where words end");

static void read_block(isopod_packet_state *state, uint32_t domain, uint32_t number) {
    const uint32_t input[4] = {number, domain, 0, 0};
    isopod_chacha20_block(state->block, state->mask_seed, input);
}

void isopod_packet_mask_start(isopod_packet_state *state) {
    state->used = ISOPOD_PACKET_BLOCK_WORDS;
    state->next = 0;
    state->refill = 0;
}

/* Copies the next words of the stream. */
static void take_words(isopod_packet_state *state, uint32_t *out, uint32_t count) {
    while (count > 0) {
        if (state->used == ISOPOD_PACKET_BLOCK_WORDS) {
            read_block(state, ISOPOD_DOMAIN_MASK, state->next++);
            state->used = 0;
        }
        uint32_t left = ISOPOD_PACKET_BLOCK_WORDS - state->used;
        uint32_t taken = left < count ? left : count;
        isopod_copy((uint8_t *)out, (const uint8_t *)(state->block + state->used),
                    (size_t)4 * taken);
        state->used += taken;
        out += taken;
        count -= taken;
    }
}

static uint32_t refill(isopod_packet_state *state, const isopod_prime *prime) {
    uint32_t value;
    do {
        read_block(state, ISOPOD_DOMAIN_MASK_REFILL, state->refill / ISOPOD_PACKET_BLOCK_WORDS);
        value = state->block[state->refill++ % ISOPOD_PACKET_BLOCK_WORDS];
        value &= (UINT32_C(1) << prime->bits) - 1u;
    } while (value >= prime->modulus);
    return value;
}

/* Replaces rejected elements, then reads the block of the stream again. */
static ISOPOD_NOINLINE void replace(isopod_packet_state *state, const isopod_prime *prime) {
    for (uint32_t i = 0; i < ISOPOD_PACKET_GROUP; i++) {
        if (state->group[i] >= prime->modulus) {
            state->group[i] = refill(state, prime);
        }
    }
    read_block(state, ISOPOD_DOMAIN_MASK, state->next - 1u);
}

void isopod_packet_mask_group(isopod_packet_state *state, const isopod_prime *prime) {
    uint32_t *words = state->group + ISOPOD_PACKET_GROUP - prime->bits;
    take_words(state, words, prime->bits);
    if (isopod_unpack((isopod_word *)state->group, (const uint8_t *)words, ISOPOD_PACKET_GROUP,
                      prime) != 0) {
        replace(state, prime);
    }
}
