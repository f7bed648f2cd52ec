/* The demands of base/memory.c, random/keccak.c and random/chacha20.c on their callers;
 * primitives.c analyses these. */
#include "arbitrary.h"
#include "random/keccak.h"
/*@ requires length == 0 || (\valid(out + (0 .. length - 1)) &&
        \valid_read(in + (0 .. length - 1)));
    requires length == 0 || \initialized(in + (0 .. length - 1));
    requires length == 0 || \separated(out + (0 .. length - 1), in + (0 .. length - 1)); */
void isopod_copy(uint8_t *restrict out, const uint8_t *restrict in, size_t length) {
    if (length != 0) {
        memcpy(out, in, length);
    }
}

/*@ requires length == 0 || \valid((uint8_t *)memory + (0 .. length - 1)); */
void isopod_wipe(void *memory, size_t length) {
    if (length != 0) {
        memset(memory, 0, length);
    }
}

void isopod_wipe_stack(void) {}

void isopod_wipe_shallow_stack(void) {}

void isopod_wipe_deep_stack(void) {}

/*@ requires \valid(sponge); */
void isopod_keccak_start(isopod_keccak *sponge) {
    memset(sponge->lanes, 0, sizeof sponge->lanes);
    sponge->position = 0;
}
/*@ requires \valid(sponge) && \initialized(&sponge->lanes[0 .. 24]) && sponge->position <= 135;
    requires length == 0 || (\valid_read(in + (0 .. length - 1)) &&
        \initialized(in + (0 .. length - 1))); */
void isopod_keccak_absorb(isopod_keccak *sponge, const uint8_t *in, size_t length) {
    arbitrary(sponge->lanes, sizeof sponge->lanes);
    sponge->position = (uint32_t)((sponge->position + length) % ISOPOD_KECCAK_RATE);
}
/*@ requires \valid(sponge) && \initialized(&sponge->lanes[0 .. 24]) && sponge->position <= 135; */
void isopod_keccak_finish(isopod_keccak *sponge, uint8_t padding) {
    arbitrary(sponge->lanes, sizeof sponge->lanes);
    sponge->position = ISOPOD_KECCAK_RATE;
}
/*@ requires \valid(sponge) && \initialized(&sponge->lanes[0 .. 24]) && sponge->position <= 136; */
const uint32_t *isopod_keccak_block(isopod_keccak *sponge) {
    arbitrary(sponge->lanes, sizeof sponge->lanes);
    return sponge->words;
}
/*@ requires \valid(sponge) && \initialized(&sponge->lanes[0 .. 24]) && sponge->position <= 136;
    requires length == 0 || \valid(out + (0 .. length - 1)); */
void isopod_keccak_squeeze(isopod_keccak *sponge, uint8_t *out, size_t length) {
    arbitrary(sponge->lanes, sizeof sponge->lanes);
    sponge->position = Frama_C_unsigned_int_interval(0, 136);
    if (length > 0)
        arbitrary(out, length);
}
/*@ requires \valid_read(key + (0 .. 31)) && \initialized(key + (0 .. 31));
    requires \valid_read(input + (0 .. 3)) && \initialized(input + (0 .. 3));
    requires count == 0 || \valid(out + (0 .. 16 * count - 1)); */
void isopod_chacha20_blocks(uint32_t *out, const uint8_t key[32], const uint32_t input[4],
                            uint32_t count) {
    if (count > 0)
        arbitrary(out, (size_t)64 * count);
}
/*@ requires \valid_read(key + (0 .. 31)) && \valid_read(nonce + (0 .. 15)) &&
        \valid(out + (0 .. 31)); */
void isopod_hchacha20(uint8_t out[32], const uint8_t key[32], const uint8_t nonce[16]) {
    arbitrary(out, 32);
}
