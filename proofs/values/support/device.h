/* A device: entropy and sender of any state, and memory of any contents. */
#ifndef DEVICE_H
#define DEVICE_H

#include "arbitrary.h"
#include "isopod/encryptor.h"

static uint8_t device_key[32];
static uint32_t workspace[8192];
static isopod_entropy entropy;
static isopod_sender sender;
static isopod_encryptor encryptor;

static int fill(void *state, uint8_t *out, size_t length) {
    arbitrary(out, length);
    return SIGNED(-1, 1);
}

static void lock(void *state, uint8_t is_taken) {}

static int (*const fills[2])(void *state, uint8_t *out, size_t length) = {NULL, fill};
static void (*const locks[2])(void *state, uint8_t is_taken) = {NULL, lock};

/* Any device; its workspace has this number of bytes. */
static void any_device(size_t bytes) {
    ARBITRARY(device_key);
    ARBITRARY(entropy);
    ARBITRARY(sender);
    ARBITRARY(workspace);
    entropy.fill = fills[BETWEEN(0, 1)];
    entropy.state = NULL;
    sender.key = device_key;
    sender.lock = locks[BETWEEN(0, 1)];
    sender.state = NULL;
    encryptor.workspace.memory = workspace;
    encryptor.workspace.bytes = bytes;
    encryptor.entropy = &entropy;
    encryptor.sender = &sender;
}

#endif
