/* Zephyr's LoRaWAN, whose network is the standard output. Faults: "join"; "send", where a packet is
 * lost. */
#ifndef LORAWAN_H
#define LORAWAN_H

#include <errno.h>
#include <stdint.h>
#include <stdio.h>

#include "memory.h"

enum lorawan_act_type { LORAWAN_ACT_OTAA };
enum lorawan_message_type { LORAWAN_MSG_UNCONFIRMED };

struct lorawan_join_otaa {
    uint8_t *join_eui;
    uint8_t *nwk_key;
    uint8_t *app_key;
    uint16_t dev_nonce;
};

struct lorawan_join_config {
    union {
        struct lorawan_join_otaa otaa;
    };
    uint8_t *dev_eui;
    enum lorawan_act_type mode;
};

static inline int lorawan_start(void) {
    return 0;
}

static inline int lorawan_join(const struct lorawan_join_config *config) {
    return memory_has("join") || config->otaa.nwk_key == NULL ? -ETIMEDOUT : 0;
}

static inline int lorawan_send(uint8_t port, uint8_t *data, uint8_t length,
                               enum lorawan_message_type type) {
    if (memory_has("send") || port == 0 || type != LORAWAN_MSG_UNCONFIRMED) {
        return -EAGAIN;
    }
    printf("air ");
    for (int i = 0; i < length; i++) {
        printf("%02x", data[i]);
    }
    printf("\n");
    return 0;
}

#endif
