/* Messages in 64-bit limbs: words of either width are residues as they stand. */
#ifndef ISOPOD_WIDE_MESSAGE_H
#define ISOPOD_WIDE_MESSAGE_H

#include "isopod/encryption.h"
#include "../ring/polynomial.h"

/* How the message of a configuration is loaded modulo message->prime: `load` and `factor`. */
void isopod_wide_set_message(isopod_polynomial *message, const isopod_encryption_config *config);

#endif
