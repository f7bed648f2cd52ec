/* AES-128 in counter mode for masks, which are public: not constant time, never used on secrets. */
#ifndef ISOPOD_AES_H
#define ISOPOD_AES_H

#include <stdint.h>

#define ISOPOD_AES_KEY_WORDS 44u

void isopod_aes128_expand(uint32_t round_keys[ISOPOD_AES_KEY_WORDS], const uint8_t key[16]);

/* `count` blocks of 4 little-endian words: AES(LE128(counter)), AES(LE128(counter + 1)), ... */
void isopod_aes128_counter(uint32_t *out, const uint32_t round_keys[ISOPOD_AES_KEY_WORDS],
                           uint32_t counter, uint32_t count);
uint32_t isopod_native_aes128_counter(uint32_t *out,
                                      const uint32_t round_keys[ISOPOD_AES_KEY_WORDS],
                                      uint32_t counter, uint32_t count);

#endif
