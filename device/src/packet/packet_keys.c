/* Name, seeds and keys of a packet (spec/packet.md, sections 3 and 5). A source that fails or
 * repeats itself is poisoned, and nothing was derived then. */
#include "packet.h"

#include "../base/memory.h"
#include "../random/chacha20.h"
#include "../random/sender.h"

/* First words of the blocks of the entropy. The one of the noise key is followed by 12 bytes of the
 * hedge: this word counts blocks, which may decide when a loop ends, and must be public. */
#define BLOCK_OF_NOISE 2u
#define HEDGE_KEY 48u                       /* first byte of this key in its block */
#define NAMES_OF_RANDOM (UINT64_C(1) << 62) /* sequences of random counters */

static isopod_status reserve(isopod_packet_counter *counter, isopod_sender *sender) {
    uint64_t first;
    if (counter == NULL || sender->sequence < counter->end) {
        return ISOPOD_OK;
    }
    if (counter->step == 0 || counter->step > ISOPOD_PACKET_REORDER) {
        return ISOPOD_ERROR_COUNTER;
    }
    isopod_status status = counter->next(counter->flash, counter->step, &first);
    if (status == ISOPOD_OK) {
        sender->sequence = first;
        counter->end = first + counter->step;
    }
    return status;
}

isopod_status isopod_packet_take_name(isopod_sender *sender, isopod_packet_counter *counter,
                                      isopod_frame_name *name) {
    isopod_status status = reserve(counter, sender);
    return status == ISOPOD_OK ? isopod_sender_take(sender, name) : status;
}

ISOPOD_FRAME_APART static isopod_status take_sequence(const isopod_packet_encryptor *encryptor,
                                                      isopod_packet_state *state) {
    isopod_frame_name name;
    isopod_status status = isopod_packet_take_name(encryptor->sender, encryptor->counter, &name);
    if (status != ISOPOD_OK) {
        return status;
    }
    state->sequence = name.sequence;
    state->epoch = name.epoch;
    return name.sequence < NAMES_OF_RANDOM ? ISOPOD_OK : ISOPOD_ERROR_SENDER;
}

/* Names the packet by its entropy. */
static void take_random(isopod_packet_state *state, const isopod_packet_form *form,
                        const isopod_sender *sender) {
    const uint32_t input[4] = {0, 0, 0, 1};
    isopod_chacha20_block(state->block, state->noise.bytes, input);
    ISOPOD_DECLASSIFY(state->block[0]);
    state->sequence = NAMES_OF_RANDOM | (uint64_t)form->number << 32 | state->block[0];
    state->epoch = sender->epoch;
}

void isopod_packet_block(uint32_t block[ISOPOD_CHACHA20_WORDS],
                         const uint8_t key[ISOPOD_CONTEXT_KEY_BYTES], uint32_t epoch,
                         uint64_t sequence, uint32_t last) {
    const uint32_t input[4] = {epoch, (uint32_t)sequence, (uint32_t)(sequence >> 32), last};
    isopod_chacha20_embedded(block, key, input);
}

static void take_keys(isopod_packet_state *state, const uint8_t *key) {
    const uint8_t *bytes = (const uint8_t *)state->block;
    isopod_packet_block(state->block, key, state->epoch, state->sequence, 0);
    isopod_copy(state->mask_seed, bytes, sizeof state->mask_seed);
    isopod_copy(state->tag_key, bytes + ISOPOD_PACKET_TAG_KEY, sizeof state->tag_key);
    ISOPOD_DECLASSIFY(state->mask_seed);
}

/* The key is the end of the block, whose beginning becomes the hash. */
ISOPOD_FRAME_APART static void hedge_values(isopod_packet_state *state,
                                            const isopod_packet_input *input,
                                            uint8_t hedge[ISOPOD_TAG_BYTES]) {
    isopod_siphash_start(&state->hash, (const uint8_t *)state->block + HEDGE_KEY, 1);
    isopod_siphash_add(&state->hash, &input->type, 1);
    isopod_siphash_add(&state->hash, &input->unit, 1);
    isopod_siphash_add(&state->hash, input->bytes, input->length);
    isopod_siphash_finish(&state->hash, hedge);
}

/* Replaces the entropy by its block of the hedge. */
ISOPOD_FRAME_APART static void hedge_entropy(isopod_packet_state *state,
                                             const isopod_packet_input *input) {
    uint32_t hedge[1u + ISOPOD_TAG_BYTES / 4u] = {BLOCK_OF_NOISE};
    hedge_values(state, input, (uint8_t *)(hedge + 1));
    isopod_chacha20_block(state->block, state->noise.bytes, hedge);
    isopod_copy(state->noise.bytes, (const uint8_t *)state->block, sizeof state->noise.bytes);
    isopod_wipe(hedge, sizeof hedge);
}

/* Turns that block into the noise key. */
ISOPOD_FRAME_APART static void add_pad(isopod_packet_state *state, const uint8_t *key) {
    isopod_packet_block(state->block, key, state->epoch, state->sequence, 1);
    for (uint32_t i = 0; i < sizeof state->noise.bytes; i++) {
        state->noise.bytes[i] ^= ((const uint8_t *)state->block)[i];
    }
}

isopod_status isopod_packet_take(isopod_packet_state *state, const isopod_packet_form *form,
                                 const isopod_packet_input *input,
                                 const uint8_t key[ISOPOD_CONTEXT_KEY_BYTES],
                                 const isopod_packet_encryptor *encryptor) {
    uint32_t is_random = form->naming == ISOPOD_NAMED_BY_RANDOM;
    isopod_status status =
        isopod_entropy_is_usable(encryptor->entropy) ? ISOPOD_OK : ISOPOD_ERROR_ENTROPY;
    if (status == ISOPOD_OK && !is_random) {
        status = take_sequence(encryptor, state);
    }
    if (status == ISOPOD_OK) {
        status = isopod_root_take_entropy_in(state->block, encryptor->entropy, state->noise.bytes);
    }
    if (status == ISOPOD_OK) {
        if (is_random) {
            take_random(state, form, encryptor->sender);
        }
        take_keys(state, key);
        hedge_entropy(state, input);
        add_pad(state, key);
    }
    return status;
}
