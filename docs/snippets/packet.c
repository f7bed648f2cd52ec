/* Around the snippet of device/README.md: key, flash, entropy and sender. */
#undef ISOPOD_ALLOW_DEVICE_SECRET_KEY
#define ISOPOD_ALLOW_DEVICE_SECRET_KEY 1
#include "isopod/packet.h"

static isopod_key key;
static isopod_entropy entropy;
static isopod_sender sender;
extern const isopod_flash flash;
isopod_status begin(uint8_t item[ISOPOD_CONTEXT_MOST], size_t *length);
isopod_status send(const int16_t readings[10], uint8_t packet[42]);

#include "snippet.h"
