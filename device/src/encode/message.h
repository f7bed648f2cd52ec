/* The message in the workspace, from its encoding to its transforms modulo each prime. */
#ifndef ISOPOD_MESSAGE_H
#define ISOPOD_MESSAGE_H

#include <stddef.h>

#include "../ring/polynomial.h"

typedef enum {
    ISOPOD_MESSAGE_SLOTS,        /* n/2 words that stand for n coefficients */
    ISOPOD_MESSAGE_COMPLEX,      /* n/2 pairs: coefficients k and k + n/2 */
    ISOPOD_MESSAGE_COEFFICIENTS, /* n words */
    ISOPOD_MESSAGE_INTEGERS      /* n words that stand for word / divisor */
} isopod_message_form;

typedef struct {
    isopod_message_form form;
    uint8_t word_bytes;  /* 4 or 8 */
    uint8_t holds_noise; /* e0 is part of the words; otherwise it lies apart */
    uint32_t capacity;   /* the number of values that fit */
    uint32_t divisor;    /* divisor of integers */
    size_t bytes;        /* bytes that the message adds to the workspace; e0 counts as noise */
} isopod_message;

/* Sets `load` and `factor` of the polynomial for a message modulo polynomial->prime, in 64-bit
 * words. */
void isopod64_set_message(isopod_polynomial *polynomial, const isopod_message *message);

#endif
