/* The tree of pads (spec/pad.md, sections 2 and 6), and the addition of a pad to a body. Constant
 * time: keys are operands of ChaCha20 and of additions only, and the way through the tree follows
 * from the sequence, which is public. */
#include "pad.h"

#include "../base/memory.h"
#include "../base/program_memory.h"
#include "../random/chacha20.h"

/* Last words of the blocks. */
#define OF_NODE 1u
#define OF_STREAM 2u
#define OF_RATCHET 3u
#define DEPTHS 7u /* from the root to the node of sixteen sequences */
#define DIGIT_BITS 4u
#define DIGIT 15u
#define BLOCK_BYTES (4u * ISOPOD_CHACHA20_WORDS)

/* Replaces the node by the one of the context's sequence. */
ISOPOD_FRAME_APART static void descend(isopod_pad_context *context,
                                       uint32_t block[ISOPOD_CHACHA20_WORDS]) {
    uint32_t input[4] = {context->epoch, 0, 0, OF_NODE};
    isopod_program_copy(context->node, context->keys->root, sizeof context->node);
    for (; input[2] < DEPTHS; input[2]++) {
        input[1] = context->sequence >> (DIGIT_BITS * (DEPTHS - input[2])) & DIGIT;
        isopod_chacha20_block(block, context->node, input);
        isopod_copy(context->node, (const uint8_t *)block, sizeof context->node);
    }
    context->sixteen = context->sequence >> DIGIT_BITS;
}

ISOPOD_FRAME_APART static void read_stream(const isopod_pad_context *context, uint32_t number,
                                           uint32_t block[ISOPOD_CHACHA20_WORDS]) {
    const uint32_t input[4] = {context->epoch, context->sequence & DIGIT, number, OF_STREAM};
    isopod_chacha20_block(block, context->node, input);
}

/* Byte by byte, because numbers of three bytes lie across blocks. All ones flip the stream: a - b =
 * a + ~b + 1. */
void isopod_pad_add(isopod_pad_context *context, uint8_t *body, uint8_t is_subtracted,
                    uint32_t block[ISOPOD_CHACHA20_WORDS]) {
    const uint16_t count = (uint16_t)isopod_pad_body_bytes(context->config);
    const uint8_t flip = (uint8_t)(0u - is_subtracted);
    uint16_t carry = 0;
    uint8_t left = 0; /* bytes of this number */
    if (context->sixteen != context->sequence >> DIGIT_BITS) {
        descend(context, block);
    }
    for (uint16_t i = 0; i < count; i++, left--) {
        if (i % BLOCK_BYTES == 0) {
            read_stream(context, i / BLOCK_BYTES, block);
        }
        if (left == 0) {
            left = context->config->width;
            carry = is_subtracted;
        }
        uint8_t byte = ((const uint8_t *)block)[i % BLOCK_BYTES] ^ flip;
        carry = (uint16_t)(carry + body[i] + byte);
        body[i] = (uint8_t)carry;
        carry >>= 8;
    }
}

void isopod_pad_ratchet(uint8_t root[ISOPOD_PAD_KEY_BYTES]) {
    const uint32_t input[4] = {0, 0, 0, OF_RATCHET};
    uint32_t block[ISOPOD_CHACHA20_WORDS];
    isopod_chacha20_block(block, root, input);
    isopod_copy(root, (const uint8_t *)block, ISOPOD_PAD_KEY_BYTES);
    isopod_wipe(block, sizeof block);
    isopod_packet_wipe_stack();
}
