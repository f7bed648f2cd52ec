/* A board around the README's snippet: sends one frame to frames.bin. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

static FILE *frames, *random_device;

static int board_random(void *state, uint8_t *out, size_t length) {
    (void)state;
    return fread(out, 1, length, random_device) == length ? 0 : 1;
}

static uint32_t board_starts(void) {
    return 1;
}

static void board_send(const uint8_t *bytes, size_t length) {
    (void)fwrite(bytes, 1, length, frames);
}

#include "snippet.h"

int main(void) {
    const float readings[3] = {1.5F, -8.0F, 0.25F};
    random_device = fopen("/dev/urandom", "rb");
    frames = fopen("frames.bin", "wb");
    if (isopod_public_key_open(&key, &isopod_ckks_4096x2_linear, isopod_public_key,
                               sizeof isopod_public_key) != ISOPOD_OK) {
        return 1;
    }
    sender.epoch = board_starts();
    return send_readings(readings, 3) == ISOPOD_DONE && fclose(frames) == 0 ? 0 : 1;
}
