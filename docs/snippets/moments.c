/* A device around the snippet of device/README.md. */
#include "isopod/ckks.h"
#include "isopod/moments.h"
#include "isopod/rounded.h"

#define COLUMNS 8

extern const isopod_encryption_config config;
extern const isopod_encryptor encryptor;
isopod_status begin_with_products(isopod_rounded *context, const int16_t *readings, uint32_t rows);

#include "snippet.h"
