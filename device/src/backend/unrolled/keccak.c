/* The portable sponge with whole words absorbed at once and a round without loops. */
#include "../../random/keccak.h"

#include "../../base/memory.h"

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

/* Where a lane lies: at home, or, `away`, in row 2x + 3y and column 2x + y. A row of a round goes
 * where the five lanes that it is made of were, which have come home after two rounds. */
INLINE unsigned place(unsigned lane, unsigned away) {
    unsigned x = lane % 5, y = lane / 5;
    return away ? (2 * x + y) % 5 + 5 * ((2 * x + 3 * y) % 5) : lane;
}

/* Row y of the state after theta, rho and pi, then chi. */
INLINE void row(uint64_t a[25], const uint64_t d[5], unsigned y, unsigned away) {
    static const uint8_t rotations[25] = {0,  1,  62, 28, 27, 36, 44, 6,  55, 20, 3,  10, 43,
                                          25, 39, 41, 45, 15, 21, 8,  18, 2,  61, 56, 14};
    uint64_t b[5];
#pragma GCC unroll 5
    for (unsigned x = 0; x < 5; x++) {
        unsigned from = (x + 3 * y) % 5 + 5 * x;
        b[x] = rotate_left(a[place(from, away)] ^ d[from % 5], rotations[from]);
    }
#pragma GCC unroll 5
    for (unsigned x = 0; x < 5; x++) {
        a[place(x + 5 * y, !away)] = b[x] ^ (~b[(x + 1) % 5] & b[(x + 2) % 5]);
    }
}

/* Finds the lanes at home or away and leaves them the other way; lane 0 is at home in either. */
INLINE void keccak_round(uint64_t a[25], unsigned away, uint64_t constant) {
    uint64_t c[5], d[5];
#pragma GCC unroll 5
    for (unsigned x = 0; x < 5; x++) {
        c[x] = a[place(x, away)] ^ a[place(x + 5, away)] ^ a[place(x + 10, away)] ^
               a[place(x + 15, away)] ^ a[place(x + 20, away)];
    }
#pragma GCC unroll 5
    for (unsigned x = 0; x < 5; x++) {
        d[x] = c[(x + 4) % 5] ^ rotate_left(c[(x + 1) % 5], 1);
    }
#pragma GCC unroll 5
    for (unsigned y = 0; y < 5; y++) {
        row(a, d, y, away);
    }
    a[0] ^= constant;
}

INLINE void permute_here(uint64_t lanes[25]) {
    for (unsigned round = 0; round < 24; round += 2) {
        keccak_round(lanes, 0, round_constants[round]);
        keccak_round(lanes, 1, round_constants[round + 1]);
    }
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
