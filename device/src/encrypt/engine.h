/* Hardware that does whole encryptions. The portable kernel has none; backend/accel drives the
 * engine of rtl/. What the hardware does not take, software computes: the bytes are the same. */
#ifndef ISOPOD_ENGINE_H
#define ISOPOD_ENGINE_H

#include "isopod/encryption.h"

/* Whether the hardware takes this encryption and is free. Configuration and count were checked. */
uint8_t isopod_engine_takes(const isopod_encryption *context, const isopod_values *values);

/* Checks the values, takes the root and starts; the values may then be overwritten.
 * ISOPOD_ERROR_NOT_FINITE, _VALUE_RANGE, _ENTROPY; ISOPOD_ERROR_FAULT if the hardware failed before
 * anything was taken from the entropy source: software may begin in its place. */
isopod_status isopod_engine_begin(isopod_encryption *context, const isopod_values *values);

/* As isopod_encryption_next, with room for at least one byte. ISOPOD_ERROR_FAULT if the hardware
 * failed; the caller gives up. */
isopod_status isopod_engine_next(isopod_encryption *context, uint8_t *out, size_t capacity,
                                 size_t *length);

/* Stops what runs for this context and wipes what it left in the workspace. */
void isopod_engine_abort(isopod_encryption *context);

#endif
