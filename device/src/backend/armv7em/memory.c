/* Copying and wiping by words is in memory_words.S. */
#include "../../memory.h"

/* Deeper than any call of the library that handles noise or keys. */
#define SECRET_STACK_BYTES 784u

#if defined(__GNUC__) || defined(__clang__)
__attribute__((noinline))
#endif
void isopod_wipe_stack(void) {
    uint32_t below[SECRET_STACK_BYTES / 4];
    isopod_wipe(below, sizeof below);
}

/* Below the frame of a chunk of 64-bit limbs, whose first layers hold a kilobyte. */
#define DEEP_STACK_BYTES 1280u

#if defined(__GNUC__) || defined(__clang__)
__attribute__((noinline))
#endif
void isopod_wipe_deep_stack(void) {
    uint32_t below[DEEP_STACK_BYTES / 4];
    isopod_wipe(below, sizeof below);
}
