/* Arbitrary contents of memory, numbers within bounds, and choices, for harnesses of Eva. */
#ifndef ARBITRARY_H
#define ARBITRARY_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "__fc_builtin.h"

static inline void arbitrary(void *at, size_t bytes) {
    Frama_C_make_unknown((char *)at, bytes);
}

#define ARBITRARY(object) arbitrary(&(object), sizeof(object))
#define BETWEEN(least, most) Frama_C_unsigned_int_interval(least, most)
#define SIZE_TO(most) Frama_C_size_t_interval(0, most)
#define SIGNED(least, most) Frama_C_int_interval(least, most)
#define LONG(least, most) Frama_C_long_long_interval(least, most)
#define ANY8 ((uint8_t)Frama_C_unsigned_char_interval(0, 255))
#define ANY16 ((uint16_t)Frama_C_unsigned_short_interval(0, 65535))
#define ANY32 Frama_C_unsigned_int_interval(0, 0xffffffffu)
#define ANY64 Frama_C_unsigned_long_long_interval(0, 0xffffffffffffffffu)
#define MAYBE Frama_C_int_interval(0, 1)
/* One of two pointers, without a case for each: Eva keeps both in one state. */
#define EITHER(type, a, b) ((type[2]){a, b}[BETWEEN(0, 1)])

#endif
