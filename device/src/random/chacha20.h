/* The ChaCha20 block function ([RFC8439], section 2.3) and HChaCha20 ([XCHACHA03], section 2.2). */
#ifndef ISOPOD_CHACHA20_H
#define ISOPOD_CHACHA20_H

#include <stdint.h>

#include "isopod/program_memory.h"

#include "../backend/backend.h"

#define ISOPOD_CHACHA20_WORDS 16u

/* Writes `count` consecutive blocks as words. input: words 12..15 of the first initial state
 * (counter, nonce); the counter grows by one per block. Leaves traces of the key on the stack, so
 * callers end a run of calls with isopod_wipe_stack. */
void isopod_chacha20_blocks(uint32_t *out, const uint8_t key[32], const uint32_t input[4],
                            uint32_t count);
uint32_t isopod_native_chacha20_blocks(uint32_t *out, const uint8_t key[32],
                                       const uint32_t input[4], uint32_t count);

/* One block, under any key, and under one that the program keeps (base/program_memory.h). */
#if ISOPOD_HAS_PROGRAM_MEMORY
void isopod_chacha20_block(uint32_t out[16], const uint8_t key[32], const uint32_t input[4]);
void isopod_chacha20_embedded(uint32_t out[16], const uint8_t key[32], const uint32_t input[4]);
#else
static inline void isopod_chacha20_block(uint32_t out[16], const uint8_t key[32],
                                         const uint32_t input[4]) {
    isopod_chacha20_blocks(out, key, input, 1);
}

static inline void isopod_chacha20_embedded(uint32_t out[16], const uint8_t key[32],
                                            const uint32_t input[4]) {
    isopod_chacha20_blocks(out, key, input, 1);
}
#endif

void isopod_hchacha20(uint8_t out[32], const uint8_t key[32], const uint8_t nonce[16]);

#endif
