/* An encryption of residues in progress, whose pieces are taken in steps of any length. */
#ifndef ENCRYPTION_H
#define ENCRYPTION_H

#include "set.h"

static isopod_encryption_config config;
static isopod_encryption context;
static uint8_t packing[16], out[512];

/* Takes pieces until there is none, or gives up at any time. */
static void take_pieces(void) {
    size_t length;
    //@ dynamic_split context.config == 0;
    for (;;) {
        if (isopod_encryption_next(&context, out, SIZE_TO(sizeof out), &length) != ISOPOD_OK ||
            MAYBE) {
            isopod_encryption_abort(&context);
            return;
        }
    }
}

#endif
