#include "benchmark.h"

#include "isopod/ckks.h"
#include "isopod/frame.h"
#include "isopod_kconfig.h"
#include "isopod_keys.h" /* isopod keygen --set ckks-1024x1-sum; isopod_public_key.h comes, too */
#include "isopod_tables.h"

#if ISOPOD_KCONFIG_CHUNKS == 0
#error "The benchmark measures slots: set CONFIG_ISOPOD_LAYOUT_SLOTS=y"
#endif

enum { READINGS = 512, LOG2_SCALE = 17 };

static uint64_t workspace[ISOPOD_KCONFIG_CKKS_WORKSPACE(1024, 0) / 8];
static isopod_key key;
static isopod_entropy entropy = {.fill = board_random};
/* A benchmark sends nothing, so its epoch need not be kept. */
static isopod_sender sender = {
    .device = ISOPOD_DEVICE, .epoch = 1, .key = (const uint8_t *)isopod_frame_key};
static const isopod_encryptor encryptor = {{workspace, sizeof workspace}, &entropy, &sender};
static const isopod_ckks_config config = {.params = &isopod_ckks_1024x1_sum,
                                          .tables = &isopod_tables_ckks_1024x1_sum,
                                          .suite = ISOPOD_KCONFIG_SUITE,
                                          .key = &key,
                                          .chunks = ISOPOD_KCONFIG_CHUNKS,
                                          .fault_check = ISOPOD_KCONFIG_FAULT_CHECK,
                                          .log2_scale = LOG2_SCALE,
                                          .log2_bound = 6};
static isopod_ckks context;
static float readings[READINGS];

static isopod_status open_key(void) {
    const uint32_t started = board_microseconds();
    const isopod_status status = isopod_public_key_open(
        &key, &isopod_ckks_1024x1_sum, isopod_public_key, sizeof isopod_public_key);
    board_report("open_us", board_microseconds() - started);
    return status;
}

static isopod_status begin(void) {
    const isopod_values values = {readings, READINGS, ISOPOD_VALUES_FLOAT32};
    const uint32_t started = board_microseconds();
    const isopod_status status = isopod_ckks_begin(&context, &config, &encryptor, &values);
    board_report("begin_us", board_microseconds() - started);
    return status;
}

/* Takes all pieces, and reports the longest call. */
static isopod_status take_pieces(void) {
    static isopod_frame frame;
    uint32_t longest = 0, bytes = 0;
    isopod_status status = isopod_frame_begin(&frame, &context);
    while (status == ISOPOD_OK) {
        uint8_t buffer[64];
        isopod_piece piece = {0};
        const uint32_t started = board_microseconds();
        status = isopod_frame_next(&frame, buffer, sizeof buffer, &piece);
        const uint32_t took = board_microseconds() - started;
        longest = took > longest ? took : longest;
        bytes += (uint32_t)piece.length;
    }
    board_report("piece_us", longest);
    board_report("frame_bytes", bytes);
    return status;
}

isopod_status run_benchmark(void) {
    isopod_status status = open_key();
    const uint32_t started = board_microseconds();
    if (status == ISOPOD_OK) {
        status = begin();
    }
    if (status == ISOPOD_OK) {
        status = take_pieces();
    }
    board_report("all_us", board_microseconds() - started);
    board_report("workspace_bytes", sizeof workspace);
    return status;
}
