/* The functions of the engine that encryptions of every layout share: the check of set, suite and
 * key, the load of keys, and the seeds. */
#ifndef ISOPOD_ENGINE_ACCEL_H
#define ISOPOD_ENGINE_ACCEL_H

#include "../../encrypt/method.h"

uint8_t isopod_accel_is_public(const isopod_encryption *context);

/* The residues or symbols of the key. */
const uint32_t *isopod_accel_payload(const isopod_encryption *context);

/* Whether an engine of this capability takes the encryption, whatever its values, and is free. */
uint8_t isopod_accel_takes(const isopod_encryption *context, uint32_t capability);

/* The command's bit for a frame, and before its start device key and number of bytes of c0 that are
 * sent (0: all), where the engine makes frames; otherwise 0. */
uint32_t isopod_accel_framed(const isopod_encryption *context, uint32_t cut);

/* Loads descriptors and key, unless the engine holds them. */
isopod_status isopod_accel_load_key(const isopod_encryption *context);

/* Draws the root and gives it to the operation that runs. The engine encodes while software
 * computes the root, and samples while software confirms the entropy. Nothing leaves it before its
 * first transfer. */
isopod_status isopod_accel_give_seeds(isopod_encryption *context, isopod_root_draft *draft);

#endif
