/* The mask of a packet, a group of elements at a time (spec/packet.md, section 3): bit fields of
 * the stream of mask_seed, a rejected one replaced from a second stream. One block is in memory: a
 * refill, which is rare, borrows its room. Everything here is public. */
#include "../packet.h"

#include "../../base/memory.h"
#include "../../random/chacha20.h"
#include "../../random/suite_block.h"
#include "../../ring/unpack.h"

#define BLOCK_BYTES (4u * ISOPOD_PACKET_BLOCK_WORDS)

static void read_block(isopod_packet_state *state, uint32_t domain, uint32_t number) {
    const uint32_t input[4] = {number, domain, 0, 0};
    isopod_chacha20_block(state->block, state->mask_seed, input);
}

/*@ requires \valid(state);
    assigns state->used, state->next, state->refill;
    ensures state->next == 0 && state->refill == 0; */
void isopod_packet_mask_start(isopod_packet_state *state) {
    state->used = BLOCK_BYTES;
    state->next = 0;
    state->refill = 0;
}

/* Copies the next bytes of the stream: a group fills whole words, or whole bytes. */
static void take_bytes(isopod_packet_state *state, uint8_t *out, uint32_t count) {
    while (count > 0) {
        if (state->used == BLOCK_BYTES) {
            read_block(state, ISOPOD_DOMAIN_MASK, state->next++);
            state->used = 0;
        }
        uint32_t left = BLOCK_BYTES - state->used;
        uint32_t taken = left < count ? left : count;
        isopod_copy(out, (const uint8_t *)state->block + state->used, taken);
        state->used = (uint16_t)(state->used + taken);
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

#if ISOPOD_PORTABLE(PACKET_FIELDS)
_Static_assert(ISOPOD_PACKET_GROUP == ISOPOD_UNPACK_GROUP, "one group of words");

uint32_t isopod_packet_fields(uint32_t group[ISOPOD_PACKET_GROUP], const uint8_t *bytes,
                              const isopod_prime *prime) {
    return isopod_unpack((isopod_word *)group, bytes, ISOPOD_PACKET_GROUP, prime);
}
#endif

void isopod_packet_mask_group(isopod_packet_state *state, const isopod_prime *prime) {
    uint32_t bytes = prime->bits * (ISOPOD_PACKET_GROUP / 8u);
    uint8_t *from = (uint8_t *)(state->group + ISOPOD_PACKET_GROUP) - bytes;
    take_bytes(state, from, bytes);
    if (isopod_packet_fields(state->group, from, prime) != 0) {
        replace(state, prime);
    }
}
