/* The folder random: arbitrary seeds, positions and counts. */
// sources: random base/parameter_sets.c
// stubs: primitives.c
// options: -eva-split-return auto -eva-slevel 20 -eva-auto-loop-unroll 64
#include "arbitrary.h"
#include "base/memory.h"
#include "random/aes.h"
#include "random/dither.h"
#include "random/noise.h"
#include "random/root.h"
#include "random/sample.h"
#include "random/sender.h"
#include "random/suite_block.h"

#define MOST 4096u

static uint8_t bytes[MOST], key[32], seed[64];
static uint32_t words[MOST / 4u];

static void blocks(void) {
    uint32_t round_keys[ISOPOD_AES_KEY_WORDS];
    isopod_aes128_expand(round_keys, key);
    isopod_aes128_counter(words, round_keys, ANY32, BETWEEN(0, 40));
}

static void samples(const isopod_suite *suite, enum isopod_domain domain) {
    static int8_t errors[256];
    const isopod_noise_source source = {suite, key, domain};
    const isopod_dither_source dithers = {&source, words};
    isopod_noise_error(errors, 256, &source);
    isopod_noise_words(words, 100, &source);
    isopod_noise_ternary(words, 256, &source);
    isopod_dither dither = isopod_dither_draw(MAYBE ? &dithers : NULL, 64, BETWEEN(0, 31));
    (void)isopod_dither_at(&dither, BETWEEN(0, 63), 0);
    (void)isopod_dither_at(&dither, BETWEEN(0, 63), 3);
}

static void masks(const isopod_suite *suite) {
    static uint32_t residues[ISOPOD_MASK_GROUP];
    isopod_mask mask;
    isopod_mask_position at = {isopod_ckks_4096x2_linear.primes, 1, 2, 12, 0, BETWEEN(0, 1000)};
    //@ loop unroll 8;
    for (uint32_t group = 0; group < 8; group++) {
        at.first = 32 * group;
        isopod_mask_start(&mask, suite, seed, &at);
        isopod_mask_group(&mask, residues);
        isopod_mask_group(&mask, residues);
    }
}

static int fill(void *state, uint8_t *out, size_t length) {
    arbitrary(out, length);
    return SIGNED(-1, 1);
}

static void lock(void *state, uint8_t is_taken) {}

static void roots(void) {
    isopod_entropy source;
    isopod_sender sender;
    isopod_frame_name name;
    isopod_key_seeds seeds;
    isopod_root_draft draft;
    uint8_t out[ISOPOD_ENTROPY_BYTES];
    uint32_t block[ISOPOD_CHACHA20_WORDS];
    ARBITRARY(source);
    source.fill = MAYBE ? fill : NULL;
    source.state = NULL;
    ARBITRARY(sender);
    sender.key = MAYBE ? key : NULL;
    sender.lock = MAYBE ? lock : NULL;
    sender.state = NULL;
    (void)isopod_sender_is_ready(&sender);
    (void)isopod_sender_take(&sender, &name);
    isopod_sender_give_back(&sender, &name);
    const isopod_root_name root = {&source, &name, key, seed, seed, seed, ANY8, ANY8};
    (void)isopod_root_start(&draft, &root);
    (void)isopod_root_take_entropy(&source, out);
    (void)isopod_root_take_entropy_in(block, &source, out);
    (void)isopod_root_take_keys(&source, &isopod_ckks_4096x2_linear, &seeds);
}

int main(void) {
    ARBITRARY(bytes);
    ARBITRARY(key);
    ARBITRARY(seed);
    ARBITRARY(words);
    blocks();
    samples(&isopod_suite_chacha20, ISOPOD_DOMAIN_ERROR0);
    samples(&isopod_suite_shake256, ISOPOD_DOMAIN_DITHER);
    masks(&isopod_suite_chacha20);
    masks(&isopod_suite_shake256);
    masks(&isopod_suite_seal_shake256);
    roots();
    return 0;
}
