#include "send_readings.h"

#include "isopod/ckks.h"
#include "isopod/rounded.h"
#include "isopod_keys.h" /* isopod keygen; with it comes isopod_public_key.h */
#include "isopod_tables.h"

/* All memory of the library; keys and tables stay in flash. */
static uint64_t workspace[ISOPOD_ROUNDED_PUBLIC_SMALL_WORKSPACE(2048, 1) / 8];
static isopod_key key;
static isopod_entropy entropy = {.fill = board_random};
static isopod_sender sender = {.device = ISOPOD_DEVICE, .key = (const uint8_t *)isopod_frame_key};
static const isopod_encryptor encryptor = {{workspace, sizeof workspace}, &entropy, &sender};

/* The last line of `isopod keygen --precision` gives these numbers. */
static const isopod_rounding rounding = {
    .method = &isopod_rounded_public_small, .columns = READINGS, .dropped = {7, 2}};
static const isopod_ckks_config config = {.params = &isopod_ckks_2048x1_air,
                                          .tables = &isopod_tables_ckks_2048x1_air,
                                          .suite = &isopod_suite_chacha20,
                                          .key = &key,
                                          .log2_scale = 15,
                                          .log2_bound = 6,
                                          .layout = ISOPOD_COEFFICIENTS_ROUNDED,
                                          .stride = READINGS,
                                          .rounding = &rounding};

isopod_status start_sending(void) {
    sender.epoch = board_starts();
    return isopod_public_key_open(&key, &isopod_ckks_2048x1_air, isopod_public_key,
                                  sizeof isopod_public_key);
}

isopod_status send_readings(const float readings[READINGS]) {
    const isopod_value_source source = {.values = {readings, READINGS, ISOPOD_VALUES_FLOAT32}};
    isopod_rounded context;
    isopod_frame frame;
    isopod_status status = isopod_ckks_rounded_begin(&context, &config, &encryptor, &source);
    if (status == ISOPOD_OK) {
        status = isopod_rounded_frame_begin(&frame, &context);
    }
    while (status == ISOPOD_OK) { /* ISOPOD_DONE after the last piece */
        uint8_t buffer[256];
        isopod_piece piece = {0};
        status = isopod_frame_next(&frame, buffer, sizeof buffer, &piece);
        board_send(buffer, piece.length);
    }
    return status;
}
