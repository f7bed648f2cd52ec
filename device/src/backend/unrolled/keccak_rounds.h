/* Rounds of Keccak-f[1600] ([FIPS202], section 3.3) without loops, on 64-bit lanes. */
#ifndef ISOPOD_KECCAK_ROUNDS_H
#define ISOPOD_KECCAK_ROUNDS_H

#include <stdint.h>

/* Iota constants, rotations and the walk of pi as in the portable source. */
static const uint64_t isopod_keccak_constants[24] = {
    0x0000000000000001u, 0x0000000000008082u, 0x800000000000808au, 0x8000000080008000u,
    0x000000000000808bu, 0x0000000080000001u, 0x8000000080008081u, 0x8000000000008009u,
    0x000000000000008au, 0x0000000000000088u, 0x0000000080008009u, 0x000000008000000au,
    0x000000008000808bu, 0x800000000000008bu, 0x8000000000008089u, 0x8000000000008003u,
    0x8000000000008002u, 0x8000000000000080u, 0x000000000000800au, 0x800000008000000au,
    0x8000000080008081u, 0x8000000000008080u, 0x0000000080000001u, 0x8000000080008008u};

#define ISOPOD_KECCAK_INLINE static inline __attribute__((always_inline))

ISOPOD_KECCAK_INLINE uint64_t isopod_keccak_rotate(uint64_t value, unsigned by) {
    return by == 0 ? value : value << by | value >> (64 - by);
}

/* The place of a lane: its own or, with `away`, row 2x + 3y and column 2x + y. A row is stored in
 * the places of the five lanes from which it is computed. So after two rounds all lanes are back in
 * their own places. */
ISOPOD_KECCAK_INLINE unsigned isopod_keccak_place(unsigned lane, unsigned away) {
    unsigned x = lane % 5, y = lane / 5;
    return away ? (2 * x + y) % 5 + 5 * ((2 * x + 3 * y) % 5) : lane;
}

/* Row y of the state after theta, rho and pi, then chi. */
ISOPOD_KECCAK_INLINE void isopod_keccak_row(uint64_t a[25], const uint64_t d[5], unsigned y,
                                            unsigned away) {
    static const uint8_t rotations[25] = {0,  1,  62, 28, 27, 36, 44, 6,  55, 20, 3,  10, 43,
                                          25, 39, 41, 45, 15, 21, 8,  18, 2,  61, 56, 14};
    uint64_t b[5];
#pragma GCC unroll 5
    for (unsigned x = 0; x < 5; x++) {
        unsigned from = (x + 3 * y) % 5 + 5 * x;
        b[x] =
            isopod_keccak_rotate(a[isopod_keccak_place(from, away)] ^ d[from % 5], rotations[from]);
    }
#pragma GCC unroll 5
    for (unsigned x = 0; x < 5; x++) {
        a[isopod_keccak_place(x + 5 * y, !away)] = b[x] ^ (~b[(x + 1) % 5] & b[(x + 2) % 5]);
    }
}

/* Takes lanes in their own places or away, and leaves them the other way; lane 0 never moves. */
ISOPOD_KECCAK_INLINE void isopod_keccak_round(uint64_t a[25], unsigned away, uint64_t constant) {
    uint64_t c[5], d[5];
#pragma GCC unroll 5
    for (unsigned x = 0; x < 5; x++) {
        c[x] = a[isopod_keccak_place(x, away)] ^ a[isopod_keccak_place(x + 5, away)] ^
               a[isopod_keccak_place(x + 10, away)] ^ a[isopod_keccak_place(x + 15, away)] ^
               a[isopod_keccak_place(x + 20, away)];
    }
#pragma GCC unroll 5
    for (unsigned x = 0; x < 5; x++) {
        d[x] = c[(x + 4) % 5] ^ isopod_keccak_rotate(c[(x + 1) % 5], 1);
    }
#pragma GCC unroll 5
    for (unsigned y = 0; y < 5; y++) {
        isopod_keccak_row(a, d, y, away);
    }
    a[0] ^= constant;
}

ISOPOD_KECCAK_INLINE void isopod_keccak_rounds(uint64_t lanes[25]) {
    for (unsigned round = 0; round < 24; round += 2) {
        isopod_keccak_round(lanes, 0, isopod_keccak_constants[round]);
        isopod_keccak_round(lanes, 1, isopod_keccak_constants[round + 1]);
    }
}

#endif
