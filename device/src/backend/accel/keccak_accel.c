/* The Keccak sponge ([FIPS202], section 4) around the engine's permutation, on the bytes of its
 * lanes as they lie in little-endian memory. */
#include "../backend.h"
#ifdef ISOPOD_ACCEL_BASE

#include "../../random/keccak.h"

#include "../../base/memory.h"
#include "driver.h"

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "This sponge reads its lanes as bytes; the machine must be little endian."
#endif

typedef isopod_accel_word word;
typedef uint16_t __attribute__((may_alias)) half;

#define STATE_WORDS 50u

static void permute(isopod_keccak *sponge) {
    word *words = (word *)sponge->lanes;
    for (unsigned i = 0; i < STATE_WORDS; i += 2) {
        isopod_accel_write(ISOPOD_SPONGE_IN, words[i]);
        isopod_accel_write(ISOPOD_SPONGE_IN, words[i + 1]);
    }
    for (unsigned i = 0; i < STATE_WORDS; i += 2) {
        words[i] = isopod_accel_read(ISOPOD_SPONGE_OUT);
        words[i + 1] = isopod_accel_read(ISOPOD_SPONGE_OUT);
    }
    sponge->position = 0;
}

static size_t smaller(size_t a, size_t b) {
    return a < b ? a : b;
}

void isopod_keccak_start(isopod_keccak *sponge) {
    for (unsigned i = 0; i < 25; i++) {
        sponge->lanes[i] = 0;
    }
    sponge->position = 0;
}

/* Absorbs bytes within one block. */
static void absorb_part(uint8_t *at, const uint8_t *in, size_t length) {
    if ((((uintptr_t)at | (uintptr_t)in) & 3u) == 0) {
        for (; length >= 4; length -= 4, at += 4, in += 4) {
            *(word *)(void *)at ^= *(const word *)(const void *)in;
        }
    } else if ((((uintptr_t)at | (uintptr_t)in) & 1u) == 0) { /* the inputs of roots */
        for (; length >= 4; length -= 4, at += 4, in += 4) {
            half *to = (half *)(void *)at;
            const half *from = (const half *)(const void *)in;
            const half low = from[0], high = from[1];
            to[0] ^= low;
            to[1] ^= high;
        }
    }
    for (; length > 0; length--) {
        *at++ ^= *in++;
    }
}

void isopod_keccak_absorb(isopod_keccak *sponge, const uint8_t *in, size_t length) {
    while (length > 0) {
        size_t part = smaller(length, ISOPOD_KECCAK_RATE - sponge->position);
        absorb_part((uint8_t *)sponge->lanes + sponge->position, in, part);
        sponge->position += (uint32_t)part;
        in += part;
        length -= part;
        if (sponge->position == ISOPOD_KECCAK_RATE) {
            permute(sponge);
        }
    }
}

void isopod_keccak_finish(isopod_keccak *sponge, uint8_t padding) {
    uint8_t *bytes = (uint8_t *)sponge->lanes;
    bytes[sponge->position] ^= padding;
    bytes[ISOPOD_KECCAK_RATE - 1] ^= 0x80u;
    sponge->position = ISOPOD_KECCAK_RATE;
}

const uint32_t *isopod_keccak_block(isopod_keccak *sponge) {
    permute(sponge);
    return sponge->words;
}

void isopod_keccak_squeeze(isopod_keccak *sponge, uint8_t *out, size_t length) {
    while (length > 0) {
        if (sponge->position == ISOPOD_KECCAK_RATE) {
            permute(sponge);
        }
        size_t part = smaller(length, ISOPOD_KECCAK_RATE - sponge->position);
        isopod_copy(out, (const uint8_t *)sponge->lanes + sponge->position, part);
        sponge->position += (uint32_t)part;
        out += part;
        length -= part;
    }
}

#endif
