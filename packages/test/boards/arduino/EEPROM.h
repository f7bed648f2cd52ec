/* Arduino's EEPROM: bytes that are ones at first. With the fault "cut" power fails at the first
 * write after as many as CUT says; a byte amid its write holds ones. */
#pragma once
#include "memory.h"

struct eeprom {
    static int held(uint8_t bytes[MEMORY_BYTES]) {
        memset(bytes, 0xff, MEMORY_BYTES);
        return memory_read(bytes);
    }

    uint8_t read(int at) {
        uint8_t bytes[MEMORY_BYTES];
        held(bytes);
        return bytes[at];
    }

    void write(int at, uint8_t value) {
        static int writes;
        uint8_t bytes[MEMORY_BYTES];
        const bool is_cut = memory_has("cut") && writes++ == atoi(getenv("CUT"));
        held(bytes);
        bytes[at] = is_cut ? 0xff : value;
        memory_write(bytes, sizeof bytes);
        if (is_cut) {
            exit(0);
        }
    }

    void update(int at, uint8_t value) {
        if (read(at) != value) {
            write(at, value);
        }
    }
};

static eeprom EEPROM;
