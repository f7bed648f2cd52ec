/* Memory, Keccak and ChaCha20, for which other harnesses have stubs: every length to 64 bytes at
 * every alignment, sponges in any state, any keys and bytes. */
// sources: base/memory.c random/keccak.c random/chacha20.c
// options: -eva-slevel 30 -eva-slevel-function isopod_copy:200
// options: -eva-slevel-function isopod_wipe:700 -eva-slevel-function isopod_wipe_stack:500
// options: -eva-slevel-function isopod_wipe_deep_stack:500 -eva-auto-loop-unroll 64
#include "arbitrary.h"
#include "base/memory.h"
#include "random/chacha20.h"
#include "random/keccak.h"

#define MOST 64u
#define LONGEST 4096u

static uint32_t a[MOST / 4u + 1u], b[MOST / 4u + 1u];
static uint8_t bytes[LONGEST], key[32], seed[64];
static uint32_t words[LONGEST / 4u];
static isopod_keccak sponge;

/* One length; all of them are taken in turns. */
static void memory_of(size_t length) {
    uint8_t *out = (uint8_t *)a, *in = (uint8_t *)b;
    ARBITRARY(a);
    ARBITRARY(b);
    if (MAYBE) {
        isopod_copy(out, in, length);
    } else if (MAYBE) {
        isopod_copy(out + 1, in, length);
    } else if (MAYBE) {
        isopod_copy(out, in + 3, length);
    } else if (MAYBE) {
        isopod_wipe(out, length);
    } else {
        isopod_wipe(out + 2, length);
    }
    (void)isopod_equal(out, in, length);
}

static void memory(void) {
    //@ loop unroll 65;
    for (size_t length = 0; length <= MOST; length++) {
        memory_of(length);
    }
    isopod_wipe_stack();
    isopod_wipe_shallow_stack();
    isopod_wipe_deep_stack();
}

static void any_sponge(uint32_t most) {
    arbitrary(sponge.lanes, sizeof sponge.lanes);
    sponge.position = BETWEEN(0, most);
}

static void keccak(void) {
    ARBITRARY(bytes);
    isopod_keccak_start(&sponge);
    any_sponge(ISOPOD_KECCAK_RATE - 1u);
    isopod_keccak_absorb(&sponge, bytes, SIZE_TO(LONGEST));
    any_sponge(ISOPOD_KECCAK_RATE - 1u);
    isopod_keccak_insert(&sponge, BETWEEN(0, 40), bytes, SIZE_TO(64));
    any_sponge(ISOPOD_KECCAK_RATE - 1u);
    isopod_keccak_finish(&sponge, ANY8);
    any_sponge(ISOPOD_KECCAK_RATE);
    isopod_keccak_squeeze(&sponge, bytes, SIZE_TO(LONGEST));
    any_sponge(ISOPOD_KECCAK_RATE);
    (void)isopod_keccak_block(&sponge);
}

static void blocks(void) {
    uint32_t input[4];
    ARBITRARY(input);
    //@ loop unroll 9;
    for (uint32_t count = 0; count <= 8; count++) {
        isopod_chacha20_blocks(words, key, input, count);
    }
    isopod_chacha20_block(words, key, input);
    isopod_chacha20_embedded(words, key, input);
    isopod_hchacha20(bytes, key, seed);
}

int main(void) {
    ARBITRARY(bytes);
    ARBITRARY(key);
    ARBITRARY(seed);
    memory();
    keccak();
    blocks();
    return 0;
}
