/* The engine's registers (rtl/doc/programmers_guide.md): starting, waiting by polling or wfi, and
 * recovery after errors. */
#include "../backend.h"
#ifdef ISOPOD_ACCEL_BASE

#include "driver.h"
#include "isopod/wire.h"

/* The error code of the engine, or all ones after a bus error. */
static uint32_t failure(uint32_t status) {
    if ((status & ISOPOD_STATUS_BUS_ERROR_MASK) != 0) {
        return UINT32_MAX;
    }
    return ISOPOD_ACCEL_FIELD(status, ISOPOD_STATUS_ERROR);
}

/* Waits for an event of the mask; returns at once if nothing runs, as after a refused start. An
 * event before this call is not lost. */
static void wait_event(uint32_t events) {
    events |= ISOPOD_INTERRUPT_STATE_DONE_MASK;
    isopod_accel_write(ISOPOD_INTERRUPT_ENABLE, events);
    while ((isopod_accel_read(ISOPOD_INTERRUPT_STATE) & events) == 0 &&
           (isopod_accel_read(ISOPOD_STATUS) & ISOPOD_STATUS_BUSY_MASK) != 0) {
#if ISOPOD_ACCEL_SLEEPS
        __asm__ volatile("wfi");
#endif
    }
}

void isopod_accel_start(const isopod_accel_operation *operation, uint32_t owner) {
    isopod_accel_write(ISOPOD_COMMAND, operation->command);
    isopod_accel_write(ISOPOD_ENCODING, operation->encoding);
    isopod_accel_write(ISOPOD_SAMPLE_ADDRESS, (uint32_t)(uintptr_t)operation->samples);
    isopod_accel_write(ISOPOD_SAMPLE_WORDS, operation->sample_words);
    isopod_accel_write(ISOPOD_PUBLIC_ADDRESS, (uint32_t)(uintptr_t)operation->public_words);
    isopod_accel_write(ISOPOD_PUBLIC_WORDS, operation->public_count);
    isopod_accel_write(ISOPOD_OWNER, owner);
    isopod_accel_write(ISOPOD_INTERRUPT_STATE, UINT32_MAX);
    /* Makes the program's writes visible to the engine. */
    __asm__ volatile("fence" ::: "memory");
    isopod_accel_write(ISOPOD_CONTROL, ISOPOD_CONTROL_START_MASK);
}

uint32_t isopod_accel_wait_samples(void) {
    wait_event(ISOPOD_INTERRUPT_STATE_SAMPLES_MASK);
    return failure(isopod_accel_read(ISOPOD_STATUS));
}

void isopod_accel_seeds(const isopod_accel_word *mask_seed, const isopod_accel_word *noise_key) {
    for (uint32_t i = 0; i < ISOPOD_MASK_SEED_COUNT; i++) {
        isopod_accel_write(ISOPOD_MASK_SEED + 4 * i, mask_seed[i]);
        if (noise_key != NULL) {
            isopod_accel_write(ISOPOD_NOISE_KEY + 4 * i, noise_key[i]);
        }
    }
    isopod_accel_write(ISOPOD_CONTROL, ISOPOD_CONTROL_SEEDS_MASK);
}

void isopod_accel_slot_seed(isopod_accel_word *mask_seed) {
    while ((isopod_accel_read(ISOPOD_STATUS) & ISOPOD_STATUS_SEEDS_DUE_MASK) != 0) {
    }
    for (uint32_t i = 0; i < ISOPOD_MASK_SEED_COUNT; i++) {
        mask_seed[i] = isopod_accel_read(ISOPOD_MASK_SEED + 4 * i);
    }
}

uint8_t isopod_accel_frames(void) {
    return (isopod_accel_read(ISOPOD_CAPABILITY) & ISOPOD_CAPABILITY_FRAME_MASK) != 0;
}

void isopod_accel_seal(const isopod_accel_word *device_key, uint32_t cut) {
    isopod_accel_write(ISOPOD_FRAME_CUT, cut);
    if ((isopod_accel_read(ISOPOD_KEY_LOCK) & ISOPOD_KEY_LOCK_TAG_MASK) == 0) {
        for (uint32_t i = 0; i < ISOPOD_TAG_KEY_COUNT; i++) {
            isopod_accel_write(ISOPOD_TAG_KEY + 4 * i, device_key[i]);
        }
    }
}

void isopod_accel_nonce(const isopod_accel_word *nonce) {
    for (uint32_t i = 0; i < 3; i++) {
        isopod_accel_write(ISOPOD_FRAME_NONCE + 4 * i, nonce[i]);
    }
}

uint32_t isopod_accel_frame_number(void) {
    while ((isopod_accel_read(ISOPOD_STATUS) & ISOPOD_STATUS_SEEDS_DUE_MASK) != 0) {
    }
    return isopod_accel_read(ISOPOD_FRAME_NUMBER);
}

void isopod_accel_bare(void) {
    isopod_accel_write(ISOPOD_CONTROL, ISOPOD_CONTROL_BARE_MASK);
}

uint8_t isopod_accel_has_header_room(void) {
    return (isopod_accel_read(ISOPOD_STATUS) & ISOPOD_STATUS_HEADER_ROOM_MASK) != 0;
}

void isopod_accel_header(const isopod_accel_word *header, uint32_t bytes) {
    isopod_accel_write(ISOPOD_HEADER_BYTES, bytes);
    for (uint32_t i = 0; 4 * i < bytes; i++) {
        isopod_accel_write(ISOPOD_HEADER_DATA, header[i]);
    }
}

static void write_key(const isopod_accel_word *words, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        isopod_accel_write(ISOPOD_KEY_DATA, words[i]);
    }
}

uint32_t isopod_accel_load_slot(const isopod_accel_word *secret, const uint32_t *blob,
                                uint32_t payload) {
    isopod_accel_write(ISOPOD_KEY_BEGIN, 0);
    write_key(secret, 8);
    write_key(blob, ISOPOD_KEY_WORD_DIGEST);
    write_key(blob + ISOPOD_KEY_HEADER_BYTES / 4, payload);
    write_key(blob + ISOPOD_KEY_WORD_DIGEST, ISOPOD_DIGEST_BYTES / 4);
    return isopod_accel_read(ISOPOD_STATUS) & ISOPOD_STATUS_KEY_VALID_MASK;
}

uint32_t isopod_accel_take(uint8_t *out, uint32_t beats) {
    isopod_accel_write(ISOPOD_OUT_ADDRESS, (uint32_t)(uintptr_t)out);
    isopod_accel_write(ISOPOD_INTERRUPT_STATE, ISOPOD_INTERRUPT_STATE_OUT_MASK);
    isopod_accel_write(ISOPOD_OUT_BEATS, beats);
    wait_event(ISOPOD_INTERRUPT_STATE_OUT_MASK);
    __asm__ volatile("fence" ::: "memory");
    uint32_t left = isopod_accel_read(ISOPOD_OUT_LEFT);
    return failure(isopod_accel_read(ISOPOD_STATUS)) | left;
}

void isopod_accel_recover(void) {
    isopod_accel_write(ISOPOD_CONTROL, ISOPOD_CONTROL_ABORT_MASK);
    while ((isopod_accel_read(ISOPOD_STATUS) & ISOPOD_STATUS_BUSY_MASK) != 0) {
    }
    isopod_accel_write(ISOPOD_CONTROL, ISOPOD_CONTROL_CLEAR_MASK);
}

#endif
