/* Bit packing of fields of one width for Helium, four words of the result at a time. Everything but
 * the fields is public: counts, widths and places. */
#ifndef ISOPOD_HELIUM_ROUNDED_PACK_H
#define ISOPOD_HELIUM_ROUNDED_PACK_H

#include "../../encrypt/rounded.h"

#define ISOPOD_FIELDS_MOST ISOPOD_ROUNDED_BLOCK
#define ISOPOD_FIELDS_MARGIN 2u /* fields of zeros before and behind */

/* Fields of `kept` bits, without higher bits: a word each, or two where kept > 32. */
typedef struct {
    uint32_t words[2 * (ISOPOD_FIELDS_MOST + 2 * ISOPOD_FIELDS_MARGIN) + 4];
    uint32_t count, kept;
} isopod_fields;

/* Starts `count` <= ISOPOD_FIELDS_MOST fields. Returns the place of the first; whole vectors may be
 * written. */
uint32_t *isopod_fields_start(isopod_fields *fields, uint32_t count, uint32_t kept);

/* Appends the fields. */
void isopod_fields_put(isopod_rounded_bits *bits, isopod_fields *fields);

#endif
