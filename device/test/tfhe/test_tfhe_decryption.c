/* Every type and width, encrypted in every way and decrypted by a schoolbook product. */
#include "../../src/tfhe/tfhe_mask.h"
#include "../harness/check.h"
#include "../harness/tests.h"
#include "../harness/tfhe_fixture.h"

static uint64_t masked(uint64_t value, uint32_t bits) {
    return bits == 64 ? value : value & (((uint64_t)1 << bits) - 1);
}

/* A ciphertext as received: N words of mask, c bodies of `width` bytes. */
typedef struct {
    const uint8_t *mask;
    const uint8_t *bodies;
    uint32_t width;
} received;

/* The block of coefficient i. */
static uint32_t block_of(const tfhe_fixture *set, const received *from, uint32_t i) {
    const isopod_tfhe_params *params = set->params;
    uint32_t bits = params->log2_modulus;
    uint64_t body = tfhe_fixture_word(from->bodies, from->width, i) << (bits - 8 * from->width);
    uint64_t phase = body - tfhe_fixture_product(set, from->mask, i);
    uint64_t half = (uint64_t)1 << (params->log2_delta - 1u);
    phase += half + (params->centred ? half : 0);
    return (uint32_t)(masked(phase, bits) >> params->log2_delta);
}

/* Number of values that differ from their blocks; a block with the padding bit set differs, too. */
static void check_values(const tfhe_fixture *set, const isopod_tfhe_values *values,
                         const received *from) {
    static const uint8_t bits_of[10] = {0, 1, 8, 16, 32, 64, 8, 16, 32, 64};
    uint32_t position = 0, t = set->params->message_bits;
    for (uint32_t r = 0; r < values->count; r++) {
        uint32_t bits = bits_of[values->runs[r].type], bytes = bits < 8 ? 1 : bits / 8;
        for (uint32_t v = 0; v < values->runs[r].count; v++) {
            uint64_t decrypted = 0;
            for (uint32_t at = 0; at < bits; at += t) {
                decrypted |= (uint64_t)block_of(set, from, position++) << at;
            }
            CHECK_QUIET(decrypted == tfhe_fixture_word(values->runs[r].data, bytes, v));
        }
    }
    CHECK(position > 0);
}

/* Expands the mask as a server does: from the nonce, with which the suite's stream key begins, or
 * from the bytes sent. */
static const uint8_t *mask_of(const tfhe_fixture *set, const uint8_t *frame, size_t nonce_at) {
    uint32_t count = set->n * set->word_bytes / 4;
    uint32_t *mask = check_memory((size_t)4 * count);
    isopod_tfhe_mask state;
    isopod_tfhe_mask_start(&state, set->config.suite, frame + nonce_at,
                           (const uint8_t *)set->blob + ISOPOD_KEY_OFFSET_KEY_ID);
    set->config.suite->words(&state, mask, count);
    return (const uint8_t *)mask;
}

/* Behind 4 bytes of numbers, key 17, device 3, epoch 1, sequence 2, and the nonce's head. */
enum {
    NONCE_AT = 28
}; /* 4 numbers, key 17, device 3, epoch 1, sequence 2 without the head's byte */

static void check_schema(tfhe_fixture *set, const char *schema, uint32_t divisor) {
    isopod_tfhe_values values = tfhe_fixture_values(schema);
    uint8_t *frame = check_memory((size_t)2 * set->n * set->word_bytes + 4096);
    set->config.width = (uint8_t)(set->word_bytes / divisor);
    size_t bytes = tfhe_fixture_frame(set, &values, frame);
    uint32_t is_public = set->key.kind <= ISOPOD_TFHE_KEY_PUBLIC_SEEDED;
    size_t mask_bytes = is_public ? (size_t)set->n * set->word_bytes : 0;
    isopod_tfhe context;
    CHECK(isopod_tfhe_begin(&context, &set->config, &set->encryptor, &values) == ISOPOD_OK);
    size_t body_bytes = isopod_tfhe_bytes(&context);
    isopod_tfhe_abort(&context);
    const uint8_t *body = frame + bytes - 17 - body_bytes;
    received from = {is_public ? body : mask_of(set, frame, NONCE_AT), body + mask_bytes,
                     set->config.width};
    check_values(set, &values, &from);
}

static void check_way(const isopod_tfhe_params *params, uint32_t way, uint32_t turn) {
    static const char *const schemas[4] = {"1*3+2*2+3*1+4*1", "5*2+1*1", "6*2+7*1+8*1", "9*2"};
    tfhe_fixture set;
    check_case(params->name, way);
    check_memory_reset();
    tfhe_fixture_open(&set, params, way);
    set.config.suite = tfhe_fixture_suite(turn % 3 == 2 ? 4 : turn % 3 + 1);
    for (uint32_t s = 0; s < 4; s++) {
        size_t mark = check_memory_mark();
        check_schema(&set, schemas[s], 1 + (s + turn) % 2);
        check_memory_release(mark);
    }
}

void test_tfhe_decryption(void) {
    static const uint8_t ways[5] = {ISOPOD_TFHE_KEY_PUBLIC, ISOPOD_TFHE_KEY_PUBLIC_SEEDED,
                                    ISOPOD_TFHE_KEY_SECRET, ISOPOD_TFHE_KEY_SECRET_TRANSFORMED,
                                    TFHE_STREAM};
    uint32_t turn = 0;
    for (uint32_t s = 0; s < ISOPOD_TFHE_SET_COUNT; s++) {
        for (uint32_t w = 0; w < 5; w++) {
            check_way(isopod_tfhe_sets[s], ways[w], turn++);
        }
    }
}
