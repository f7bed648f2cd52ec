/* Keys in flash as data, apart from the firmware: a key blob followed by a seal, which is written
 * last (spec/wire.md, section 5). The seal is computed where the key is checked in full. At every
 * start it shows that all bytes arrived and did not change, for a sixteenth of the cost of the full
 * check. `isopod device image` writes sealed keys for a flash programmer; a device that receives a
 * key seals it itself. Side channels: all data is public. Calls share nothing but their arguments.
 * They only read what they open, so any number of threads may use it. */
#ifndef ISOPOD_SEALED_KEY_H
#define ISOPOD_SEALED_KEY_H

#include <stddef.h>
#include <stdint.h>

#include "isopod/key.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Checks a blob of any kind in full, as opening it does, and makes its seal. The first key has
 * generation 1; a key that replaces another has a larger one. On error the seal is zeros. Errors:
 * ISOPOD_ERROR_KEY_FORMAT, _KEY_SET, _PARAMETERS. */
ISOPOD_MUST_CHECK isopod_status isopod_key_seal(uint8_t seal[ISOPOD_KEY_SEAL_BYTES],
                                                const isopod_params *params, const uint32_t *blob,
                                                size_t bytes, uint32_t generation);

/* Opens a sealed public key in place. `bytes` is the length of the memory from `sealed` on, and may
 * be larger than the key and its seal. About 6 instructions per byte on a Cortex-M4. The full check
 * on request is isopod_public_key_open. Errors: ISOPOD_ERROR_KEY_SEAL (half written, or changed),
 * _KEY_FORMAT (no key, or longer than the memory), _KEY_SET, _KEY_KIND, _PARAMETERS. */
ISOPOD_MUST_CHECK isopod_status isopod_sealed_public_key_open(isopod_key *key,
                                                              const isopod_params *params,
                                                              const uint32_t *sealed, size_t bytes);

/* Slots of one length, one behind the other; a new key goes where the older one is. */
typedef struct {
    const void *start; /* aligned as a key blob */
    size_t slot_bytes; /* a multiple of that, at least the key and its seal */
    uint32_t count;    /* at most 32 */
} isopod_key_slots;

/* Opens the valid key with the largest generation and sets *slot. So the previous key stays in use
 * while a new one is half written. After a key was replaced, call it again between encryptions.
 * Errors: those of the last slot tried; ISOPOD_ERROR_KEY_SEAL if no slot has a seal. */
ISOPOD_MUST_CHECK isopod_status isopod_sealed_public_key_newest(isopod_key *key,
                                                                const isopod_params *params,
                                                                const isopod_key_slots *slots,
                                                                uint32_t *slot);

/* The calls above for sets of 64-bit primes; blobs are 8-byte aligned. */
ISOPOD_MUST_CHECK isopod_status isopod64_key_seal(uint8_t seal[ISOPOD_KEY_SEAL_BYTES],
                                                  const isopod_params *params, const uint64_t *blob,
                                                  size_t bytes, uint32_t generation);
ISOPOD_MUST_CHECK isopod_status isopod64_sealed_public_key_open(isopod_key *key,
                                                                const isopod_params *params,
                                                                const uint64_t *sealed,
                                                                size_t bytes);
ISOPOD_MUST_CHECK isopod_status isopod64_sealed_public_key_newest(isopod_key *key,
                                                                  const isopod_params *params,
                                                                  const isopod_key_slots *slots,
                                                                  uint32_t *slot);

#ifdef __cplusplus
}
#endif

#endif
