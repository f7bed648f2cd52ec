/* Keccak-f[1600] and its sponge ([FIPS202], sections 3 and 4) in portable C, constant time, with a
 * rate of 136 bytes. */
#include "keccak.h"
#include "../backend/backend.h"
#include "../base/program_memory.h"

#if ISOPOD_PORTABLE(KECCAK)
/* Iota constants from the degree-8 LFSR of [FIPS202], section 3.2.5. */
static const uint64_t round_constants[24] ISOPOD_PROGRAM_MEMORY = {
    0x0000000000000001u, 0x0000000000008082u, 0x800000000000808au, 0x8000000080008000u,
    0x000000000000808bu, 0x0000000080000001u, 0x8000000080008081u, 0x8000000000008009u,
    0x000000000000008au, 0x0000000000000088u, 0x0000000080008009u, 0x000000008000000au,
    0x000000008000808bu, 0x800000000000008bu, 0x8000000000008089u, 0x8000000000008003u,
    0x8000000000008002u, 0x8000000000000080u, 0x000000000000800au, 0x800000008000000au,
    0x8000000080008081u, 0x8000000000008080u, 0x0000000080000001u, 0x8000000080008008u};

/* Rho and pi follow one cycle through the lanes: lane pi_lane[i] receives the previous lane rotated
 * by rho_offset[i]. */
static const uint8_t pi_lane[24] ISOPOD_PROGRAM_MEMORY = {
    10, 7, 11, 17, 18, 3, 5, 16, 8, 21, 24, 4, 15, 23, 19, 13, 12, 2, 20, 14, 22, 9, 6, 1};
static const uint8_t rho_offset[24] ISOPOD_PROGRAM_MEMORY = {
    1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 2, 14, 27, 41, 56, 8, 25, 43, 62, 18, 39, 61, 20, 44};

static uint64_t rotate_left(uint64_t value, unsigned by) {
    return (value << by) | (value >> (64 - by));
}

static void theta(uint64_t lanes[25]) {
    uint64_t column[5];
    for (unsigned x = 0; x < 5; x++) {
        column[x] = lanes[x] ^ lanes[x + 5] ^ lanes[x + 10] ^ lanes[x + 15] ^ lanes[x + 20];
    }
    for (unsigned x = 0; x < 5; x++) {
        uint64_t change = column[(x + 4) % 5] ^ rotate_left(column[(x + 1) % 5], 1);
        for (unsigned y = 0; y < 25; y += 5) {
            lanes[x + y] ^= change;
        }
    }
}

static void rho_pi(uint64_t lanes[25]) {
    uint64_t carried = lanes[1];
    for (unsigned i = 0; i < 24; i++) {
        uint8_t lane = isopod_program_byte(pi_lane + i);
        uint64_t next = lanes[lane];
        lanes[lane] = rotate_left(carried, isopod_program_byte(rho_offset + i));
        carried = next;
    }
}

static void chi(uint64_t lanes[25]) {
    for (unsigned y = 0; y < 25; y += 5) {
        uint64_t a = lanes[y], b = lanes[y + 1];
        lanes[y] ^= ~b & lanes[y + 2];
        lanes[y + 1] ^= ~lanes[y + 2] & lanes[y + 3];
        lanes[y + 2] ^= ~lanes[y + 3] & lanes[y + 4];
        lanes[y + 3] ^= ~lanes[y + 4] & a;
        lanes[y + 4] ^= ~a & b;
    }
}

static void permute(uint64_t lanes[25]) {
    for (unsigned round = 0; round < 24; round++) {
        theta(lanes);
        rho_pi(lanes);
        chi(lanes);
        lanes[0] ^= ISOPOD_PROGRAM_READ(round_constants[round]);
    }
}

static void absorb_byte(isopod_keccak *sponge, uint8_t byte) {
    sponge->lanes[sponge->position / 8] ^= (uint64_t)byte << (8 * (sponge->position % 8));
}

void isopod_keccak_start(isopod_keccak *sponge) {
    for (unsigned i = 0; i < 25; i++) {
        sponge->lanes[i] = 0;
    }
    sponge->position = 0;
}

void isopod_keccak_absorb(isopod_keccak *sponge, const uint8_t *in, size_t length) {
    for (size_t i = 0; i < length; i++) {
        absorb_byte(sponge, in[i]);
        if (++sponge->position == ISOPOD_KECCAK_RATE) {
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
    for (size_t i = 0; i < length; i++) {
        if (sponge->position == ISOPOD_KECCAK_RATE) {
            permute(sponge->lanes);
            sponge->position = 0;
        }
        out[i] = (uint8_t)(sponge->lanes[sponge->position / 8] >> (8 * (sponge->position % 8)));
        sponge->position++;
    }
}
#endif
