/* Encryption into frames, by the public key of a fleet. */
#ifndef ISOPOD_WEB_FRAMES_H
#define ISOPOD_WEB_FRAMES_H

#include "entropy.h"
#include "isopod/frame.h"
#include "isopod/rounded.h"
#include "module.h"

/* The frames of one device, as JavaScript describes them. */
typedef struct {
    uint64_t device;
    uint64_t sequence; /* of the next frame; counted on */
    uint32_t epoch;
    uint32_t layout;     /* ISOPOD_SLOTS or ISOPOD_COEFFICIENTS_ROUNDED */
    uint32_t log2_scale; /* CKKS */
    int32_t log2_bound;  /* CKKS */
    uint32_t bound;      /* BFV */
    uint32_t stride;
    uint32_t columns;
    uint32_t dropped[2];
    uint8_t frame_key[ISOPOD_FRAME_KEY_BYTES];
    uint8_t packing[ISOPOD_PACKING_BYTES];
} frame_settings;

/* One device, opened. */
typedef struct {
    frame_settings settings;
    isopod_encryption_config config;
    isopod_tables tables;
    isopod_key key;
    isopod_entropy entropy;
    isopod_sender sender;
    isopod_encryptor encryptor;
    isopod_rounding rounding;
    given_bytes given;
    uint32_t refused;
} device;

/* Opens a public key of set `number`, whose blob stays in place. *status says why NULL. */
device *device_open(uint32_t number, const void *blob, size_t bytes, int32_t *status);

/* The settings, to be written before the first frame. */
frame_settings *device_settings(device *device);

/* Encrypts `count` values, float64 or int32, and writes the frame; its length, or a status below 0.
 * *entropy: 32 fresh bytes, which are wiped. */
int32_t device_frame(device *device, const void *values, uint32_t count, uint8_t *entropy,
                     uint8_t *out, size_t capacity);

/* The number of the value that was refused. */
uint32_t device_refused(const device *device);

#endif
