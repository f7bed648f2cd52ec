/* The registers of the engine as operations; rtl/doc/programmers_guide.md gives their order. The
 * build names the address of the registers: -DISOPOD_ACCEL_BASE=0x20000000u. With
 * -DISOPOD_ACCEL_SLEEPS=1 the processor sleeps (wfi) instead of polling; the interrupt line must
 * then be enabled at the core, where it may stay masked. Memory must be coherent with the engine's
 * transfers. */
#ifndef ISOPOD_ACCEL_DRIVER_H
#define ISOPOD_ACCEL_DRIVER_H

#include <stddef.h>
#include <stdint.h>

#include "registers.h"

#ifndef ISOPOD_ACCEL_BASE
#error "Define ISOPOD_ACCEL_BASE as the address of the engine's registers."
#endif
#ifndef ISOPOD_ACCEL_SLEEPS
#define ISOPOD_ACCEL_SLEEPS 0
#endif

/* 0: software encrypts under secret keys, and its ciphertexts follow from the root alone. By
 * default the key slot takes secret keys, and nothing outside it can repeat its roots. */
#ifndef ISOPOD_ACCEL_SLOT
#define ISOPOD_ACCEL_SLOT 1
#endif

/* Words that may alias any object. */
typedef uint32_t __attribute__((may_alias)) isopod_accel_word;

static inline uint32_t isopod_accel_read(uint32_t offset) {
    return *(volatile uint32_t *)(uintptr_t)(ISOPOD_ACCEL_BASE + offset);
}

static inline void isopod_accel_write(uint32_t offset, uint32_t value) {
    *(volatile uint32_t *)(uintptr_t)(ISOPOD_ACCEL_BASE + offset) = value;
}

/* One field of a register's value. */
#define ISOPOD_ACCEL_FIELD(value, field) (((value)&field##_MASK) >> field##_SHIFT)

/* error_e of isopod_pkg.sv. */
enum {
    ISOPOD_ACCEL_ERROR_OVERFLOW = 5,
    ISOPOD_ACCEL_ERROR_ABORT = 9,
};

/* The operation that a start runs; fields as in registers.md. */
typedef struct {
    uint32_t command;
    uint32_t encoding;
    const void *samples;
    uint32_t sample_words; /* 0: software writes them */
    const void *public_words;
    uint32_t public_count; /* words of 32 bits, if wide of 64; 0: software writes them */
} isopod_accel_operation;

/* Starts an operation. `owner` marks the context that uses the engine. */
void isopod_accel_start(const isopod_accel_operation *operation, uint32_t owner);

/* Waits until the engine has taken all samples; returns 0, or the error that ended the
 * operation. */
uint32_t isopod_accel_wait_samples(void);

/* Writes the seeds, 8 words each, little endian, and so starts the engine's randomness. By secret
 * key there is no noise key (NULL), because the slot makes both seeds from this mask seed. */
void isopod_accel_seeds(const isopod_accel_word *mask_seed, const isopod_accel_word *noise_key);

/* Waits for the mask seed that the slot made, 8 words. */
void isopod_accel_slot_seed(isopod_accel_word *mask_seed);

/* Whether the engine makes whole frames. */
uint8_t isopod_accel_frames(void);

/* Before a framed start: the device key, unless the engine's own is locked, and the number of bytes
 * of c0 that are sent (0: all). */
void isopod_accel_seal(const isopod_accel_word *device_key, uint32_t cut);

/* The first 12 bytes of a frame's nonce, before the seeds. */
void isopod_accel_nonce(const isopod_accel_word *nonce);

/* Waits until the frame has begun; its number, the last 4 bytes of its nonce. */
uint32_t isopod_accel_frame_number(void);

/* Lets a framed operation send bare residues, before its first transfer. */
void isopod_accel_bare(void);

/* Whether another header can be written. */
uint8_t isopod_accel_has_header_room(void);

/* Writes the header of the next part, with room up to a whole word behind it. */
void isopod_accel_header(const isopod_accel_word *header, uint32_t bytes);

/* Writes a secret key for the slot: 8 words of a secret that no other load uses, then the blob of
 * the key with `payload` words. Non-zero if the slot holds it. */
uint32_t isopod_accel_load_slot(const isopod_accel_word *secret, const uint32_t *blob,
                                uint32_t payload);

/* Moves the next beats of 8 bytes of output to `out`, aligned to 8 bytes; 0, or non-zero after an
 * error. */
uint32_t isopod_accel_take(uint8_t *out, uint32_t beats);

/* Ends the running operation, waits until the bus is idle, clears errors. Keys and descriptors
 * stay. */
void isopod_accel_recover(void);

#endif
