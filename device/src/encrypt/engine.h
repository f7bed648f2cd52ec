/* The interface of the engine, hardware that computes whole encryptions. backend/accel drives the
 * engine of rtl/. Without an engine, or if it does not take an encryption, software computes the
 * same bytes. */
#ifndef ISOPOD_ENGINE_H
#define ISOPOD_ENGINE_H

#include "../backend/backend.h"
#include "isopod/encryption.h"
#include "isopod/rounded.h"

/* Whether the engine supports this encryption and is free. Configuration and count were checked. */
uint8_t isopod_engine_takes(const isopod_encryption *context, const isopod_values *values);

/* Checks the values, takes the root and starts; the values may then be overwritten.
 * ISOPOD_ERROR_NOT_FINITE, _VALUE_RANGE, _ENTROPY; ISOPOD_ERROR_FAULT if the engine failed before
 * entropy was taken: software may then begin in its place. */
isopod_status isopod_engine_begin(isopod_encryption *context, const isopod_values *values);

/* isopod_encryption_next by the engine, with room for at least one byte. ISOPOD_ERROR_FAULT if it
 * failed; the caller then ends the encryption. */
isopod_status isopod_engine_next(isopod_encryption *context, uint8_t *out, size_t capacity,
                                 size_t *length);

/* Stops the engine's work for this context and wipes its traces in the workspace. */
void isopod_engine_abort(isopod_encryption *context);

/* Where the next bytes of a part go, and how many of them are left. */
typedef struct {
    uint8_t *out;
    size_t capacity; /* at least 1 */
    uint32_t left;
    size_t length; /* bytes written */
} isopod_sealed_piece;

/* Frames by the engine: whether it seals those of this encryption. Then it takes headers, each in
 * whole words, as far ahead as it has room, and gives whole parts. A part may be followed by up to
 * 7 zeros within the capacity. ISOPOD_ERROR_FAULT if the engine failed. */
#if ISOPOD_PORTABLE(ENGINE)
/*@ assigns \nothing;
    ensures \result == 0; */
static inline uint8_t isopod_engine_seals(const isopod_encryption *context) {
    (void)context;
    return 0;
}

/*@ assigns \nothing;
    ensures \result == 0; */
static inline uint8_t isopod_engine_has_header_room(void) {
    return 0;
}

/*@ assigns \nothing; */
static inline void isopod_engine_give_header(const uint32_t *header, uint32_t bytes) {
    (void)header;
    (void)bytes;
}

/*@ assigns \nothing;
    ensures \result == ISOPOD_ERROR_FAULT; */
static inline isopod_status isopod_engine_next_sealed(isopod_encryption *context,
                                                      isopod_sealed_piece *piece) {
    (void)context;
    (void)piece;
    return ISOPOD_ERROR_FAULT;
}
#else
uint8_t isopod_engine_seals(const isopod_encryption *context);
uint8_t isopod_engine_has_header_room(void);
void isopod_engine_give_header(const uint32_t *header, uint32_t bytes);
isopod_status isopod_engine_next_sealed(isopod_encryption *context, isopod_sealed_piece *piece);
#endif

/* Rounded coefficients by the engine, after a check of the values, which begin reads. next sets the
 * piece that leaves next, or returns ISOPOD_DONE. */
#if ISOPOD_PORTABLE(ENGINE)
/*@ assigns \nothing;
    ensures \result == 0; */
static inline uint8_t isopod_engine_takes_rounded(const isopod_rounded *context) {
    (void)context;
    return 0;
}

/*@ assigns \nothing;
    ensures \result == ISOPOD_ERROR_FAULT; */
static inline isopod_status isopod_engine_begin_rounded(isopod_rounded *context) {
    (void)context;
    return ISOPOD_ERROR_FAULT;
}

/*@ assigns \nothing;
    ensures \result == ISOPOD_ERROR_FAULT; */
static inline isopod_status isopod_engine_next_rounded(isopod_rounded *context) {
    (void)context;
    return ISOPOD_ERROR_FAULT;
}

/*@ assigns \nothing; */
static inline void isopod_engine_abort_rounded(const isopod_rounded *context) {
    (void)context;
}
#else
uint8_t isopod_engine_takes_rounded(const isopod_rounded *context);
isopod_status isopod_engine_begin_rounded(isopod_rounded *context);
isopod_status isopod_engine_next_rounded(isopod_rounded *context);
void isopod_engine_abort_rounded(const isopod_rounded *context);
#endif

#endif
