/* The Keccak sponge ([FIPS202], section 4), absorbing whole words, with rounds without loops. */
#include "../backend.h"
#if ISOPOD_HAS(UNROLLED_KECCAK) && !defined(ISOPOD_ACCEL_BASE)

#include "../../random/keccak.h"

#include "../../base/memory.h"
#include "keccak_rounds.h"

static void permute(uint64_t lanes[25]) {
#if ISOPOD_TAKES(KECCAK_PERMUTE)
    if (isopod_native_keccak_permute(lanes)) {
        return;
    }
#endif
    isopod_keccak_rounds(lanes);
}

static void absorb_byte(isopod_keccak *sponge, uint8_t byte) {
    sponge->lanes[sponge->position / 8] ^= (uint64_t)byte << (8 * (sponge->position % 8));
    sponge->position++;
}

void isopod_keccak_start(isopod_keccak *sponge) {
    for (unsigned i = 0; i < 25; i++) {
        sponge->lanes[i] = 0;
    }
    sponge->position = 0;
}

void isopod_keccak_absorb(isopod_keccak *sponge, const uint8_t *in, size_t length) {
    while (length > 0) {
        if (sponge->position % 8 == 0 && length >= 8) {
            sponge->lanes[sponge->position / 8] ^= isopod_load64(in);
            sponge->position += 8;
            in += 8;
            length -= 8;
        } else {
            absorb_byte(sponge, *in++);
            length--;
        }
        if (sponge->position == ISOPOD_KECCAK_RATE) {
            permute(sponge->lanes);
            sponge->position = 0;
        }
    }
}

void isopod_keccak_finish(isopod_keccak *sponge, uint8_t padding) {
    absorb_byte(sponge, padding);
    sponge->lanes[(ISOPOD_KECCAK_RATE - 1) / 8] ^= (uint64_t)0x80 << 56;
    sponge->position = ISOPOD_KECCAK_RATE;
}

const uint32_t *isopod_keccak_block(isopod_keccak *sponge) {
    permute(sponge->lanes);
    for (unsigned i = 0; i < ISOPOD_KECCAK_RATE / 8; i++) {
        uint64_t lane = sponge->lanes[i];
        sponge->words[2 * i] = (uint32_t)lane;
        sponge->words[2 * i + 1] = (uint32_t)(lane >> 32);
    }
    return sponge->words;
}

void isopod_keccak_squeeze(isopod_keccak *sponge, uint8_t *out, size_t length) {
    for (; length > 0; length--) {
        if (sponge->position == ISOPOD_KECCAK_RATE) {
            permute(sponge->lanes);
            sponge->position = 0;
        }
        *out++ = (uint8_t)(sponge->lanes[sponge->position / 8] >> (8 * (sponge->position % 8)));
        sponge->position++;
    }
}

#endif
