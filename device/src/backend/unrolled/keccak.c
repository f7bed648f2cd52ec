/* The portable sponge with whole words absorbed at once and a round without loops. */
#include "../../keccak.h"

#include "../../memory.h"

/* Iota constants, rotations and the walk of pi as in the portable source. */
static const uint64_t round_constants[24] = {
    0x0000000000000001u, 0x0000000000008082u, 0x800000000000808au, 0x8000000080008000u,
    0x000000000000808bu, 0x0000000080000001u, 0x8000000080008081u, 0x8000000000008009u,
    0x000000000000008au, 0x0000000000000088u, 0x0000000080008009u, 0x000000008000000au,
    0x000000008000808bu, 0x800000000000008bu, 0x8000000000008089u, 0x8000000000008003u,
    0x8000000000008002u, 0x8000000000000080u, 0x000000000000800au, 0x800000008000000au,
    0x8000000080008081u, 0x8000000000008080u, 0x0000000080000001u, 0x8000000080008008u};

#define INLINE static inline __attribute__((always_inline))

INLINE uint64_t rotate_left(uint64_t value, unsigned by) {
    return by == 0 ? value : value << by | value >> (64 - by);
}

/* Row y of the state after theta, rho and pi, then chi. from[x] and by[x]: lane and rotation. */
INLINE void row(uint64_t out[5], const uint64_t a[25], const uint64_t d[5], const uint8_t from[5],
                const uint8_t by[5]) {
    uint64_t b[5];
#pragma GCC unroll 5
    for (unsigned x = 0; x < 5; x++) {
        b[x] = rotate_left(a[from[x]] ^ d[from[x] % 5], by[x]);
    }
#pragma GCC unroll 5
    for (unsigned x = 0; x < 5; x++) {
        out[x] = b[x] ^ (~b[(x + 1) % 5] & b[(x + 2) % 5]);
    }
}

INLINE void keccak_round(uint64_t out[25], const uint64_t a[25], uint64_t constant) {
    uint64_t c[5], d[5];
#pragma GCC unroll 5
    for (unsigned x = 0; x < 5; x++) {
        c[x] = a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20];
    }
#pragma GCC unroll 5
    for (unsigned x = 0; x < 5; x++) {
        d[x] = c[(x + 4) % 5] ^ rotate_left(c[(x + 1) % 5], 1);
    }
    row(out, a, d, (const uint8_t[5]){0, 6, 12, 18, 24}, (const uint8_t[5]){0, 44, 43, 21, 14});
    row(out + 5, a, d, (const uint8_t[5]){3, 9, 10, 16, 22}, (const uint8_t[5]){28, 20, 3, 45, 61});
    row(out + 10, a, d, (const uint8_t[5]){1, 7, 13, 19, 20}, (const uint8_t[5]){1, 6, 25, 8, 18});
    row(out + 15, a, d, (const uint8_t[5]){4, 5, 11, 17, 23},
        (const uint8_t[5]){27, 36, 10, 15, 56});
    row(out + 20, a, d, (const uint8_t[5]){2, 8, 14, 15, 21},
        (const uint8_t[5]){62, 55, 39, 41, 2});
    out[0] ^= constant;
}

INLINE void permute_here(uint64_t lanes[25]) {
    uint64_t other[25];
    for (unsigned round = 0; round < 24; round += 2) {
        keccak_round(other, lanes, round_constants[round]);
        keccak_round(lanes, other, round_constants[round + 1]);
    }
    isopod_wipe(other, sizeof other);
}

/* A backend may define ISOPOD_KECCAK_PERMUTE as a permute of its own around permute_here. */
#ifdef ISOPOD_KECCAK_PERMUTE
ISOPOD_KECCAK_PERMUTE
#else
static void permute(uint64_t lanes[25]) {
    permute_here(lanes);
}
#endif

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

void isopod_keccak_squeeze_block(isopod_keccak *sponge, uint32_t out[ISOPOD_KECCAK_RATE / 4]) {
    permute(sponge->lanes);
    for (unsigned i = 0; i < ISOPOD_KECCAK_RATE / 8; i++) {
        isopod_store64((uint8_t *)(out + 2 * i), sponge->lanes[i]);
    }
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
