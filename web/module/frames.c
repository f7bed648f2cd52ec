/* Frames by the device library, as a device makes them. */
#include "frames.h"

#include "isopod/bfv.h"
#include "isopod/ckks.h"
#include "memory.h"

/* Memory for every layout: slots with messages of 64 bits, or rounded coefficients of two primes.
 */
static size_t workspace_bytes(const isopod_params *params) {
    const size_t n = (size_t)1 << params->log2_ring_degree;
    const size_t whole = params->primes64 == NULL ? ISOPOD_PUBLIC_WORKSPACE(n, 1u, 8u * n)
                                                  : ISOPOD64_PUBLIC_WORKSPACE(n, 1u, 8u * n);
    const size_t rounded = ISOPOD_ROUNDED_PUBLIC_WORKSPACE(n, 2u);
    return whole > rounded ? whole : rounded;
}

device *device_open(uint32_t number, const void *blob, size_t bytes, int32_t *status) {
    const isopod_params *const params = set_of(number);
    device *const opened = memory_take(sizeof *opened);
    *status = params == NULL ? ISOPOD_ERROR_PARAMETERS : STATUS_MEMORY;
    if (opened == NULL || params == NULL) {
        return NULL;
    }
    opened->config = (isopod_encryption_config){.params = params,
                                                .tables = &opened->tables,
                                                .suite = &isopod_suite_chacha20,
                                                .key = &opened->key,
                                                .chunks = 1,
                                                .accept_label = params->label};
    const size_t needed = workspace_bytes(params);
    opened->encryptor =
        (isopod_encryptor){{memory_take(needed), needed}, &opened->entropy, &opened->sender};
    if (opened->encryptor.workspace.memory == NULL) {
        return NULL;
    }
    *status = set_tables(&opened->tables, params);
    if (*status == ISOPOD_OK) {
        *status = params->primes64 == NULL
                      ? isopod_public_key_open(&opened->key, params, blob, bytes)
                      : isopod64_public_key_open(&opened->key, params, blob, bytes);
    }
    return *status == ISOPOD_OK ? opened : NULL;
}

frame_settings *device_settings(device *device) {
    return &device->settings;
}

uint32_t device_refused(const device *device) {
    return device->refused;
}

/* The configuration that the settings describe. */
static void configure(device *device) {
    const frame_settings *const settings = &device->settings;
    isopod_encryption_config *const config = &device->config;
    const int rounded = settings->layout == ISOPOD_COEFFICIENTS_ROUNDED;
    const int real = config->params->plain == NULL;
    device->sender = (isopod_sender){.device = settings->device,
                                     .epoch = settings->epoch,
                                     .sequence = settings->sequence,
                                     .key = settings->frame_key};
    device->rounding = (isopod_rounding){
        .method = &isopod_rounded_public,
        .columns = settings->columns,
        .run = settings->columns,
        .dropped = {(uint8_t)settings->dropped[0], (uint8_t)settings->dropped[1]}};
    config->layout = (uint8_t)settings->layout;
    config->log2_scale = real ? (uint8_t)settings->log2_scale : 0;
    config->log2_bound = real ? (int8_t)settings->log2_bound : 0;
    config->bound = real ? 0 : settings->bound;
    config->stride = settings->stride;
    config->packing = settings->packing;
    config->chunks = rounded ? 0 : 1;
    config->encoder = real && !rounded ? &isopod_encoder_slots64 : NULL;
    config->rounding = rounded ? &device->rounding : NULL;
}

/* Writes the whole frame; its length, or a status. */
static int32_t write_frame(isopod_frame *frame, uint8_t *out, size_t capacity) {
    size_t length = 0;
    for (;;) {
        isopod_piece piece;
        if (length == capacity) {
            uint8_t beyond;
            return isopod_frame_next(frame, &beyond, 1, &piece) == ISOPOD_DONE
                       ? (int32_t)length
                       : ISOPOD_ERROR_CAPACITY;
        }
        const isopod_status status =
            isopod_frame_next(frame, out + length, capacity - length, &piece);
        if (status == ISOPOD_DONE) {
            return (int32_t)length;
        }
        if (status != ISOPOD_OK) {
            return status;
        }
        length += piece.length;
    }
}

static int32_t rounded_frame(device *device, const isopod_values *values, uint8_t *out,
                             size_t capacity) {
    const isopod_value_source source = {.values = *values};
    isopod_rounded encryption;
    isopod_frame frame;
    isopod_status status = (device->config.params->plain == NULL ? isopod_ckks_rounded_begin
                                                                 : isopod_bfv_rounded_begin)(
        &encryption, &device->config, &device->encryptor, &source);
    if (status != ISOPOD_OK) {
        device->refused = isopod_rounded_refused(&encryption);
        return status;
    }
    status = isopod_rounded_frame_begin(&frame, &encryption);
    const int32_t length = status == ISOPOD_OK ? write_frame(&frame, out, capacity) : status;
    isopod_rounded_abort(&encryption);
    return length;
}

static int32_t slots_frame(device *device, const isopod_values *values, uint8_t *out,
                           size_t capacity) {
    isopod_encryption encryption;
    isopod_frame frame;
    isopod_status status =
        (device->config.params->plain == NULL ? isopod_ckks_begin : isopod_bfv_begin)(
            &encryption, &device->config, &device->encryptor, values);
    if (status != ISOPOD_OK) {
        device->refused = encryption.refused;
        return status;
    }
    status = isopod_frame_begin(&frame, &encryption);
    const int32_t length = status == ISOPOD_OK ? write_frame(&frame, out, capacity) : status;
    isopod_encryption_abort(&encryption);
    return length;
}

int32_t device_frame(device *device, const void *values, uint32_t count, uint8_t *entropy,
                     uint8_t *out, size_t capacity) {
    const int real = device->config.params->plain == NULL;
    const isopod_values given = {values, count, real ? ISOPOD_VALUES_FLOAT64 : ISOPOD_VALUES_INT32};
    configure(device);
    entropy_give(&device->given, &device->entropy, entropy);
    const int32_t length = device->settings.layout == ISOPOD_COEFFICIENTS_ROUNDED
                               ? rounded_frame(device, &given, out, capacity)
                               : slots_frame(device, &given, out, capacity);
    device->settings.sequence = device->sender.sequence;
    return length;
}
