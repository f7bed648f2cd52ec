/* SHAKE-256 and SHA3-256 ([FIPS202]) as one incremental sponge of 136-byte blocks. */
#ifndef ISOPOD_KECCAK_H
#define ISOPOD_KECCAK_H

#include <stddef.h>
#include <stdint.h>

#define ISOPOD_KECCAK_RATE 136u
#define ISOPOD_SHAKE256_PADDING 0x1fu
#define ISOPOD_SHA3_256_PADDING 0x06u

typedef struct {
    union {
        uint64_t lanes[25];
        uint32_t words[50];
    };
    uint32_t position; /* byte within the block */
} isopod_keccak;

void isopod_keccak_start(isopod_keccak *sponge);
void isopod_keccak_absorb(isopod_keccak *sponge, const uint8_t *in, size_t length);
void isopod_keccak_finish(isopod_keccak *sponge, uint8_t padding);
/* Absorbs bytes later, at byte `at` of the block, where zeros or nothing were absorbed before. They
 * must end within the block. Allowed after finish, too, until something is squeezed. */
static inline void isopod_keccak_insert(isopod_keccak *sponge, uint32_t at, const uint8_t *in,
                                        size_t length) {
    uint32_t position = sponge->position;
    sponge->position = at;
    isopod_keccak_absorb(sponge, in, length);
    sponge->position = position;
}
/* Returns the first 34 little-endian words of output, directly after finish. They overwrite the
 * state, so the sponge gives no more. */
const uint32_t *isopod_keccak_block(isopod_keccak *sponge);
/* Squeezes the next bytes, after finish; may be called repeatedly. */
void isopod_keccak_squeeze(isopod_keccak *sponge, uint8_t *out, size_t length);

/* Permutes by instructions that only some processors have; 0 where this one has none. */
uint32_t isopod_native_keccak_permute(uint64_t lanes[25]);

#endif
