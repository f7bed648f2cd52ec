/* SipHash-2-4 [SIPHASH12] with outputs of 64 and of 128 bits, for the tags and hedges of packets
 * (spec/packet.md, section 3). Constant time. */
#ifndef ISOPOD_SIPHASH_H
#define ISOPOD_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

/* A hash in progress. Secret: the caller wipes it. */
typedef struct {
    uint64_t v[4];
    uint8_t block[8];
    uint8_t length;  /* of the message so far, modulo 256 */
    uint8_t is_long; /* 128 bits */
} isopod_siphash;

void isopod_siphash_start(isopod_siphash *hash, const uint8_t key[16], uint8_t is_long);
void isopod_siphash_add(isopod_siphash *hash, const uint8_t *bytes, size_t length);
/* Writes 8 bytes, or 16 where the hash is long. */
void isopod_siphash_finish(isopod_siphash *hash, uint8_t *out);

#endif
