/* Poly1305 ([RFC8439], section 2.5) over whole 16-byte blocks; the caller pads, as the AEAD
 * construction of section 2.8 does. */
#ifndef ISOPOD_POLY1305_H
#define ISOPOD_POLY1305_H

#include <stddef.h>
#include <stdint.h>

/* r, clamped, from the first 4 words of the one-time key. */
void isopod_poly1305_start(uint32_t accumulator[5], uint32_t multiplier[4], const uint32_t r[4]);
/* Adds count blocks, which lie one behind the other. */
void isopod_poly1305_blocks(uint32_t accumulator[5], const uint32_t multiplier[4],
                            const uint8_t *bytes, size_t count);
/* s: words 4 to 7 of the one-time key. */
void isopod_poly1305_finish(uint8_t tag[16], uint32_t accumulator[5], const uint32_t s[4]);

#endif
