/* The part of taint.c that only an owner of a secret key runs: results and key pairs. */
#ifndef ISOPOD_TAINT_OWNER_H
#define ISOPOD_TAINT_OWNER_H

#include <stdint.h>

/* Opens, decrypts and decodes sealed results with secret key and link key undefined, and makes key
 * pairs of undefined entropy; the number of runs. */
uint32_t taint_owner(void);

#endif
