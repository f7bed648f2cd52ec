/* The owner's calls of the device library, for a caller that knows no C struct: JavaScript. Every
 * status is one of isopod/status.h; STATUS_MEMORY is ours. Nothing is imported: entropy, keys and
 * values come as bytes in memory that memory_take gave. */
#ifndef ISOPOD_WEB_MODULE_H
#define ISOPOD_WEB_MODULE_H

#include <stddef.h>
#include <stdint.h>

#include "isopod/key.h"
#include "isopod/tables.h"

#define STATUS_MEMORY (-100) /* the machine gives no more memory */

/* Facts of a set, as JavaScript reads them. */
typedef struct {
    uint64_t plain;    /* t of BFV; 0 in CKKS */
    uint32_t name;     /* address of the name, which ends in 0 */
    uint32_t set_id;   /* address of 8 bytes */
    uint32_t degree;   /* n */
    uint32_t primes;   /* data primes */
    uint32_t word;     /* bytes of a residue in a key */
    uint32_t label;    /* isopod_label */
    uint32_t scale[3]; /* log2: least, default, most */
    uint32_t key_switching;
    uint64_t prime[16];
} set_facts;

/* Set number `number` of all of them; NULL beyond the last. */
const isopod_params *set_of(uint32_t number);

/* Facts of a set, in memory that is taken; NULL beyond the last set, or without memory. */
const set_facts *set_describe(uint32_t number);

/* Tables of a set, in memory that is taken. */
int32_t set_tables(isopod_tables *tables, const isopod_params *params);

/* The text of a status. */
const char *status_text(int32_t status);

#endif
