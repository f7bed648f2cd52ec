/* A context of pads and the encryptor of the known sender, for tests. */
#ifndef ISOPOD_TEST_PAD_INPUT_H
#define ISOPOD_TEST_PAD_INPUT_H

#include "isopod/pad.h"

#define PAD_COLUMNS 10u

typedef struct {
    isopod_sender sender;
    isopod_pad_config config;
    isopod_pad_encryptor encryptor;
    isopod_pad_keys keys;
    isopod_pad_context context;
    isopod_values values; /* of 16 bits */
    uint8_t *pad_key;
} pad_fixture;

/* Derives keys from counting bytes, configures ten integers of 16 bits, within 2047, a device of 2
 * bytes and a tag of 8, and opens the context. Memory from check_memory. */
void pad_fixture_open(pad_fixture *fixture);

#endif
