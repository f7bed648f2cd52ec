/* The entropy source (spec/ckks.md, section 2). The library calls `fill` for 32 bytes once for each
 * ciphertext or key pair, and refuses to encrypt if the call fails. A source serves one encryption
 * at a time, so each thread needs its own. */
#ifndef ISOPOD_ENTROPY_H
#define ISOPOD_ENTROPY_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ISOPOD_ENTROPY_BYTES 32u

/* One per device, kept across encryptions, owned by the caller. port/entropy/ has `fill` functions
 * for known platforms. Zero the struct, then set the first two members. */
typedef struct {
    int (*fill)(void *state, uint8_t *out,
                size_t length); /* 0 on success; anything else is fatal */
    void *state;
    uint8_t fingerprint[8]; /* hash of the last 32 bytes, to notice a stuck source */
    uint8_t poisoned;       /* non-zero after a failure: every later encryption is refused until the
                               struct is set anew */
} isopod_entropy;

#ifdef __cplusplus
}
#endif

#endif
