/* Around the snippet of device/README.md: keys, flash and sender. */
#include "isopod/pad.h"

extern const uint8_t key_id[ISOPOD_KEY_ID_BYTES], pad_key[ISOPOD_PAD_KEY_BYTES];
static isopod_sender sender;
extern const isopod_flash flash;
isopod_status begin(uint8_t item[ISOPOD_PAD_CONTEXT_MOST], size_t *length);
isopod_status send(const int16_t integers[10], uint8_t packet[33]);

#include "snippet.h"
